/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of operations, from which the preprocessor makes numbers, declarations of handlers and the dispatch
 * table. */
#ifndef IFR_EXAMPLES_OPERATIONS_H
#define IFR_EXAMPLES_OPERATIONS_H

#include "machine.h"

/* One line for each file: stack, arithmetic, bits, compare, memory, numbers, scan, sums, classify, control. */
// clang-format off
#define OPERATIONS(X) \
	X(literal) X(wide) X(dup) X(drop) X(swap) X(over) X(rotate) X(nip) \
	X(add) X(sub) X(mul) X(divide) X(modulo) X(negate) X(increment) X(average) \
	X(and) X(or) X(xor) X(invert) X(shift_left) X(shift_right) X(rotate_left) X(byte_swap) \
	X(equal) X(less) X(greater) X(zero) X(minimum) X(maximum) X(clamp) X(between) \
	X(load) X(store) X(exchange) X(fill) X(copy) X(reverse) X(prefix) X(total) \
	X(gcd) X(power) X(root) X(triangle) X(fibonacci) X(digits) X(collatz) X(factors) \
	X(ones) X(leading) X(trailing) X(longest_run) X(mirror) X(find) X(count) X(largest) \
	X(multiply_sum) X(shift_sum) X(two_sums) X(polynomial) X(crc) X(mix) X(generator) X(gray) \
	X(words) X(vowels) X(numerals) X(brackets) X(upper) X(runs) X(spaces) X(kinds) \
	X(halt) X(nothing) X(jump) X(jump_zero) X(jump_not_zero) X(call) X(back) X(round)
// clang-format on

#define NUMBER(name) OP_##name,
enum operation { OPERATIONS(NUMBER) OP_COUNT };
#undef NUMBER

#define DECLARATION(name) void op_##name(struct machine *m);
OPERATIONS(DECLARATION)
#undef DECLARATION

typedef void operation_handler(struct machine *m);
extern operation_handler *const operations[OP_COUNT];

/* The byte code that main() runs: one round after another until machine.rounds is 0. */
extern const uint8_t program[];

#endif
