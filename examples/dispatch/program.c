/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The byte code. It executes every operation; the walks over the text and memory take most of the time. */
#include "operations.h"

#define L(value) OP_literal, value

enum { STIR = 2, TEXT = 11, ROUND = 16 };

// clang-format off
const uint8_t program[] = {
	/* 0: the first round */
	OP_jump, ROUND,
	/* 2, STIR: mixes a word; a second word is dropped */
	OP_mix, OP_dup, OP_gray, OP_over, OP_xor, OP_drop, OP_generator, OP_crc, OP_back,
	/* 11, TEXT: takes most of the time */
	OP_brackets, OP_drop, OP_kinds, OP_vowels, OP_back,
	/* 16, ROUND: memory */
	L(3), L(17), OP_fill, OP_prefix, OP_reverse, OP_copy, OP_total, OP_largest, OP_average,
	L(200), OP_count, OP_add, L(40), OP_find, OP_add,
	/* the text */
	OP_words, OP_vowels, OP_kinds, OP_brackets, OP_numerals, OP_upper, OP_runs, OP_spaces, OP_add,
	OP_multiply_sum, OP_shift_sum, OP_xor, OP_two_sums, OP_sub, L(31), OP_polynomial, OP_or,
	OP_call, TEXT, OP_call, TEXT, OP_call, TEXT, OP_call, TEXT,
	OP_call, TEXT, OP_call, TEXT, OP_call, TEXT, OP_call, TEXT,
	/* words */
	OP_wide, 0x12, 0x34, OP_call, STIR, OP_mirror, OP_ones, L(9), OP_mul, OP_byte_swap,
	OP_leading, L(3), OP_shift_left, OP_invert, OP_trailing, OP_increment, OP_negate, OP_longest_run,
	L(77), OP_exchange, L(5), OP_rotate_left, L(7), OP_shift_right, OP_and,
	/* numbers */
	L(84), L(36), OP_gcd, L(13), OP_power, OP_root, L(20), OP_triangle, L(24), OP_fibonacci, OP_digits,
	L(27), OP_collatz, L(60), OP_factors, OP_rotate, OP_swap, OP_nip, OP_divide, L(100), OP_modulo,
	/* comparisons */
	L(10), L(90), OP_clamp, L(50), OP_minimum, L(20), OP_maximum, OP_dup, L(20), L(30), OP_between,
	OP_over, L(40), OP_less, OP_equal, OP_zero, OP_over, OP_greater, OP_nothing,
	OP_jump_zero, 1, OP_nothing, L(1), OP_jump_not_zero, 1, OP_halt, L(0), OP_load, L(1), OP_store,
	OP_round, ROUND, OP_halt,
};
// clang-format on
