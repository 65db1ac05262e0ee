/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of branches. */
#include "harness/probe/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROOM = 8192,        /* before the first branch, for the prologue */
	LOOP_JUMP = 6,      /* bytes of the loop's branch */
	SHORT_REACH = 120,  /* bytes over which a short jump reaches */
	COUNT_AND_CLEAR = 4 /* bytes of dec rdi; clc */
};

static const uint8_t count_down[] = {0x48, 0xff, 0xcf};  /* dec rdi */
static const uint8_t clear_carry = 0xf8, go_back = 0xc3; /* clc; ret */

uint64_t probe_place(const struct probe_places *places, size_t i) {
	return i % places->groups * places->granule + i / places->groups * places->distance;
}

uint64_t probe_places_span(const struct probe_places *places) {
	const size_t last_row = (places->count - 1) / places->groups;
	return last_row * places->distance + (places->groups - 1) * places->granule;
}

struct chain {
	struct probe_places places;
	uint64_t first; /* last byte of the first branch */
	bool is_short;
};

static struct chain lay_chain(uint64_t from, const struct probe_places *places) {
	struct chain chain = {.places = *places};
	/* At 4 bytes' distance the loop's branch ends in the last byte of a granule of 16, behind two others: so the one
	 * before it ends in byte 9. */
	const bool is_dense = places->groups == 1 && places->distance < 16;
	const uint64_t phase = is_dense ? (9 - probe_place(places, places->count - 2)) & 15 : 9;
	chain.first = from + phase;
	chain.is_short = places->distance <= SHORT_REACH && (places->groups == 1 || places->granule <= SHORT_REACH);
	return chain;
}

/* The last byte of branch i. The loop's branch lies behind the one before with all its bytes. */
static uint64_t branch_end(const struct chain *chain, size_t i) {
	const uint64_t end = chain->first + probe_place(&chain->places, i);
	if (i + 1 < chain->places.count)
		return end;
	const uint64_t before = chain->first + probe_place(&chain->places, i - 1);
	return end < before + LOOP_JUMP ? before + LOOP_JUMP : end;
}

static unsigned branch_bytes(const struct chain *chain, size_t i) {
	return chain->is_short && i + 1 < chain->places.count ? 2 : LOOP_JUMP;
}

/* dec keeps the carry, so the loop's branch may use what dec said. */
void probe_branch_chain_behind(struct probe_kernel *kernel, const struct probe_places *places, size_t zeroed) {
	static const uint8_t zero[] = {0x31, 0xc0}; /* xor eax, eax */
	const uint64_t room = (zeroed * sizeof zero + ROOM - 1) / ROOM * ROOM;
	const struct chain chain = lay_chain(kernel->code + ROOM + room, places);
	const size_t n = places->count;
	const uint64_t count = chain.first + 1 - branch_bytes(&chain, 0) - COUNT_AND_CLEAR;
	kernel->entry = count - zeroed * sizeof zero;
	uint8_t *code = ifr_alloc(zeroed * sizeof zero + 1);
	for (size_t i = 0; i < zeroed; i++)
		memcpy(code + i * sizeof zero, zero, sizeof zero);
	probe_put(kernel, kernel->entry, code, zeroed * sizeof zero);
	free(code);
	probe_put(kernel, count, count_down, sizeof count_down);
	probe_put(kernel, count + sizeof count_down, &clear_carry, 1);
	for (size_t i = 0; i < n; i++) {
		const bool is_last = i + 1 == n;
		const uint64_t last = branch_end(&chain, i);
		const unsigned bytes = branch_bytes(&chain, i);
		const uint64_t target =
			is_last ? kernel->entry : branch_end(&chain, i + 1) + 1 - branch_bytes(&chain, i + 1);
		probe_put_jump(kernel, last, is_last ? PROBE_IF_NOT_ZERO : PROBE_IF_NO_CARRY, bytes == 2, target);
		probe_execute(kernel,
		              probe_add_block(kernel, i ? last + 1 - bytes : kernel->entry, last,
		                              i ? 1 : 3 + (unsigned)zeroed, IFR_BRANCH_CONDITIONAL, bytes, is_last),
		              true);
	}
	probe_put(kernel, branch_end(&chain, n - 1) + 1, &go_back, 1);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = n;
}

void probe_branch_chain(struct probe_kernel *kernel, const struct probe_places *places) {
	probe_branch_chain_behind(kernel, places, 0);
}

/* The last byte of branch i. */
static uint64_t pair_end(uint64_t first, const struct probe_places *places, size_t i) {
	const size_t row = i / places->groups;
	return first + row * places->distance + i % places->groups * 2 * places->granule -
	       row % 2 * (places->granule - 1);
}

void probe_branch_pairs(struct probe_kernel *kernel, const struct probe_places *places) {
	const uint64_t first = (kernel->code + 2 * ROOM) / places->granule * places->granule + places->granule - 1;
	kernel->entry = first + 1 - LOOP_JUMP - COUNT_AND_CLEAR;
	probe_put(kernel, kernel->entry, count_down, sizeof count_down);
	probe_put(kernel, kernel->entry + sizeof count_down, &clear_carry, 1);
	for (size_t i = 0; i < places->count; i++) {
		const bool is_last = i + 1 == places->count;
		const uint64_t last = pair_end(first, places, i),
					   target = is_last ? kernel->entry : pair_end(first, places, i + 1) + 1 - LOOP_JUMP;
		probe_put_jump(kernel, last, is_last ? PROBE_IF_NOT_ZERO : PROBE_IF_NO_CARRY, false, target);
		probe_execute(kernel,
		              probe_add_block(kernel, i ? last + 1 - LOOP_JUMP : kernel->entry, last, i ? 1 : 3,
		                              IFR_BRANCH_CONDITIONAL, LOOP_JUMP, is_last),
		              true);
	}
	probe_put(kernel, pair_end(first, places, places->count - 1) + 1, &go_back, 1);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = places->count;
}

void probe_jump_list(struct probe_kernel *kernel, const uint64_t *addresses, size_t count) {
	enum { JUMP = 5, AWAY = 512, TAIL = 9 };
	const uint64_t tail = addresses[count - 1] ^ AWAY;
	kernel->entry = addresses[0];
	for (size_t i = 0; i < count; i++) {
		probe_put_jump(kernel, addresses[i] + JUMP - 1, PROBE_ALWAYS, false,
		               i + 1 < count ? addresses[i + 1] : tail);
		probe_execute(
			kernel,
			probe_add_block(kernel, addresses[i], addresses[i] + JUMP - 1, 1, IFR_BRANCH_JUMP, JUMP, false), true);
	}
	probe_put(kernel, tail, count_down, sizeof count_down);
	probe_put_jump(kernel, tail + TAIL - 1, PROBE_IF_NOT_ZERO, false, kernel->entry);
	probe_put(kernel, tail + TAIL, &go_back, 1);
	probe_execute(kernel,
	              probe_add_block(kernel, tail, tail + TAIL - 1, 2, IFR_BRANCH_CONDITIONAL, LOOP_JUMP,
	                              kernel->entry <= tail),
	              true);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = count;
}

/* cmp byte [rsi + j], 0; jne +0. Ends at `last`. */
static uint32_t put_pattern(struct probe_kernel *kernel, uint64_t start, uint64_t last, size_t j) {
	const uint8_t compare[] = {0x80, 0xbe, (uint8_t)j, (uint8_t)(j >> 8), (uint8_t)(j >> 16), (uint8_t)(j >> 24),
	                           0};
	const uint64_t at = last - 1 - sizeof compare;
	const unsigned nops = probe_put_nops(kernel, start, at - start);
	probe_put(kernel, at, compare, sizeof compare);
	probe_put_jump(kernel, last, PROBE_IF_NOT_ZERO, true, last + 1);
	const uint32_t block = probe_add_block(kernel, start, last, nops + 2, IFR_BRANCH_CONDITIONAL, 2, false);
	probe_add_access(kernel, 1, false, (unsigned)(at + sizeof compare - start));
	return block;
}

static uint32_t put_plain_jump(struct probe_kernel *kernel, uint64_t start, uint64_t last) {
	const unsigned nops = probe_put_nops(kernel, start, last - 1 - start);
	probe_put_jump(kernel, last, PROBE_ALWAYS, true, last + 1);
	return probe_add_block(kernel, start, last, nops + 1, IFR_BRANCH_JUMP, 2, false);
}

/* Pairs of complements of a register leave it as it was, and the flags, and take two cycles each. */
static const uint8_t twice_rdx[] = {0x48, 0xf7, 0xd2, 0x48, 0xf7, 0xd2}, /* not rdx; not rdx */
	twice_rsi[] = {0x48, 0xf7, 0xd6, 0x48, 0xf7, 0xd6};                  /* not rsi; not rsi */

static uint64_t put_pairs(struct probe_kernel *kernel, uint64_t at, const uint8_t pair[6], unsigned pace) {
	enum { PAIR = 6 };
	for (unsigned i = 0; i < pace; i++, at += PAIR)
		probe_put(kernel, at, pair, PAIR);
	return at;
}

/* Pairs of complements; add rsi, count; cmp rsi, rdx; cmove rsi, rcx; dec rdi; jnz */
static uint32_t put_tail(struct probe_kernel *kernel, uint64_t start, size_t count, unsigned pace) {
	const uint8_t tail[] = {0x48,
	                        0x81,
	                        0xc6,
	                        (uint8_t)count,
	                        (uint8_t)(count >> 8),
	                        (uint8_t)(count >> 16),
	                        0,
	                        0x48,
	                        0x39,
	                        0xd6,
	                        0x48,
	                        0x0f,
	                        0x44,
	                        0xf1,
	                        0x48,
	                        0xff,
	                        0xcf};
	const uint64_t at = put_pairs(kernel, start, twice_rsi, pace), last = at + sizeof tail + LOOP_JUMP - 1;
	probe_put(kernel, at, tail, sizeof tail);
	probe_put_jump(kernel, last, PROBE_IF_NOT_ZERO, false, kernel->entry);
	probe_put(kernel, last + 1, &go_back, 1);
	return probe_add_block(kernel, start, last, 5 + 2 * pace, IFR_BRANCH_CONDITIONAL, LOOP_JUMP, true);
}

static void run_pattern(struct probe_kernel *kernel, const struct probe_item *items, size_t count, uint32_t tail) {
	for (size_t round = 0; round < kernel->rounds; round++) {
		for (size_t j = 0; j < count; j++) {
			const uint64_t address = kernel->start + round * count + j;
			const bool taken = items[j].outcomes && items[j].outcomes[round];
			probe_execute(kernel, (uint32_t)j, items[j].kind == PROBE_ITEM_JUMP || taken);
			if (items[j].kind == PROBE_ITEM_JUMP)
				continue;
			probe_set_byte(kernel, address, taken);
			probe_touch(kernel, address);
		}
		probe_execute(kernel, tail, true);
	}
}

static void put_pattern_loop(struct probe_kernel *kernel, const struct probe_item *items, size_t count,
                             size_t rounds, unsigned spacing, uint64_t offset, unsigned pace) {
	uint64_t start = kernel->entry = kernel->code + ROOM + offset;
	for (size_t j = 0; j < count; j++) {
		const uint64_t last = start + spacing - 1;
		if (items[j].kind == PROBE_ITEM_PATTERN)
			put_pattern(kernel, start, last, j);
		else
			put_plain_jump(kernel, start, last);
		start = last + 1;
	}
	const uint32_t tail = put_tail(kernel, start, count, pace);
	kernel->start = kernel->data;
	kernel->end = kernel->data + rounds * count;
	kernel->rounds = kernel->elements = rounds;
	run_pattern(kernel, items, count, tail);
}

void probe_pattern_loop(struct probe_kernel *kernel, const struct probe_item *items, size_t count, size_t rounds,
                        unsigned spacing, uint64_t offset) {
	put_pattern_loop(kernel, items, count, rounds, spacing, offset, 0);
}

void probe_paced_pattern(struct probe_kernel *kernel, const struct probe_item *item, size_t rounds,
                         unsigned spacing, unsigned pace) {
	put_pattern_loop(kernel, item, 1, rounds, spacing, 0, pace);
	kernel->is_hard = true;
}

/* test dl, 1 or 0; jnz +0, or jnc +0, which is always taken. Ends at `last`. */
static void put_random(struct probe_kernel *kernel, uint64_t start, uint64_t last, enum probe_random_kind kind) {
	const uint8_t test[] = {0xf6, 0xc2, kind == PROBE_RANDOM_BIT};
	const uint64_t at = last - 1 - sizeof test;
	const unsigned nops = probe_put_nops(kernel, start, at - start);
	probe_put(kernel, at, test, sizeof test);
	probe_put_jump(kernel, last, kind == PROBE_RANDOM_ALWAYS ? PROBE_IF_NO_CARRY : PROBE_IF_NOT_ZERO, true,
	               last + 1);
	probe_add_block(kernel, start, last, nops + 2, IFR_BRANCH_CONDITIONAL, 2, false);
}

/* jmp [rsi + 8 * rdx + table]; its targets are the last 16 bytes to `last`, or 8. table: bytes from kernel->data. */
static void put_random_target(struct probe_kernel *kernel, uint64_t start, uint64_t last, unsigned table,
                              bool is_same) {
	enum { APART = 8 };
	const uint8_t jump[] = {0xff, 0x64, 0xd6, (uint8_t)table};
	const uint64_t target = last + 1 - 2 * APART, at = target - sizeof jump;
	const unsigned nops = probe_put_nops(kernel, start, at - start);
	probe_put(kernel, at, jump, sizeof jump);
	probe_add_block(kernel, start, target - 1, nops + 1, IFR_BRANCH_INDIRECT_JUMP, sizeof jump, false);
	probe_put_nops(kernel, target, APART);
	probe_put_nops(kernel, target + APART, APART);
	probe_set_word(kernel, kernel->data + table, target);
	probe_set_word(kernel, kernel->data + table + 8, target + (is_same ? 0 : APART));
}

void probe_random_loop(struct probe_kernel *kernel, const enum probe_random_kind *kinds, size_t count,
                       unsigned spacing, unsigned pace) {
	enum { HEAD = 64 };
	static const uint8_t take[] = {0x48, 0x8b, 0x06,          /* mov rax, [rsi] */
	                               0x31, 0xc9};               /* xor ecx, ecx */
	static const uint8_t chained[] = {0x83, 0xe2, 0,          /* and edx, 0 */
	                                  0x09, 0xca};            /* or edx, ecx */
	static const uint8_t move[] = {0x89, 0xca};               /* mov edx, ecx */
	static const uint8_t draw[] = {0x48, 0x0f, 0xaf, 0x46, 8, /* imul rax, [rsi + 8] */
	                               0x48, 0x83, 0xc0, 1,       /* add rax, 1 */
	                               0x48, 0x89, 0xc1,          /* mov rcx, rax */
	                               0x48, 0xc1, 0xe9, 63};     /* shr rcx, 63 */
	static const uint8_t keep[] = {0x48, 0x89, 0x06, 0xc3};   /* mov [rsi], rax; ret */
	const uint64_t start = kernel->code + ROOM;
	uint64_t at = start + HEAD;
	unsigned table = 16; /* behind the sequence's state and factor */
	kernel->entry = start - sizeof take;
	probe_put(kernel, kernel->entry, take, sizeof take);
	const uint64_t from = start + (pace ? sizeof chained : sizeof move);
	probe_put(kernel, start, pace ? chained : move, (size_t)(from - start));
	probe_put(kernel, from, draw, sizeof draw);
	probe_put_nops(kernel, from + sizeof draw, start + HEAD - from - sizeof draw);
	for (size_t j = 0; j < count; j++) {
		const uint64_t last = at + spacing - 1;
		if (j && j + 1 < count)
			at = put_pairs(kernel, at, twice_rdx, pace);
		if (kinds[j] == PROBE_RANDOM_TARGET || kinds[j] == PROBE_RANDOM_SAME_TARGET) {
			put_random_target(kernel, at, last, table, kinds[j] == PROBE_RANDOM_SAME_TARGET);
			table += 16;
		} else if (kinds[j] == PROBE_RANDOM_JUMP) {
			put_plain_jump(kernel, at, last);
		} else {
			put_random(kernel, at, last, kinds[j]);
		}
		at = last + 1;
	}
	probe_put(kernel, at, count_down, sizeof count_down);
	probe_put_jump(kernel, at + sizeof count_down + LOOP_JUMP - 1, PROBE_IF_NOT_ZERO, false, start);
	probe_put(kernel, at + sizeof count_down + LOOP_JUMP, keep, sizeof keep);
	probe_set_word(kernel, kernel->data, 1);
	probe_set_word(kernel, kernel->data + 8, UINT64_C(6364136223846793005));
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = kernel->elements = 1;
}

/* Function i: a call of the next one, and a return; the innermost only returns. */
void probe_call_nest(struct probe_kernel *kernel, size_t depth) {
	enum { FUNCTION = 64 };
	const uint64_t first = kernel->code + ROOM;
	kernel->entry = first;
	for (size_t i = 0; i < depth; i++) {
		const uint64_t at = first + i * FUNCTION;
		probe_put_jump(kernel, at + 4, PROBE_CALL, false, at + FUNCTION);
		probe_add_block(kernel, at, at + 4, 1, IFR_BRANCH_CALL, 5, false);
		probe_add_access(kernel, 8, true, 5);
		probe_execute(kernel, (uint32_t)i, true);
		probe_touch(kernel, PROBE_STACK - 8 * i - 16);
	}
	for (size_t i = depth; i; i--) {
		const uint64_t at = first + i * FUNCTION + (i < depth ? 5 : 0);
		probe_put(kernel, at, &go_back, 1);
		const uint32_t block = probe_add_block(kernel, at, at, 1, IFR_BRANCH_RETURN, 1, false);
		probe_add_access(kernel, 8, false, 1);
		probe_execute(kernel, block, true);
		probe_touch(kernel, PROBE_STACK - 8 * (i - 1) - 16);
	}
	const uint64_t tail = first + 5;
	probe_put(kernel, tail, count_down, sizeof count_down);
	probe_put_jump(kernel, tail + 8, PROBE_IF_NOT_ZERO, false, first);
	probe_put(kernel, tail + 9, &go_back, 1);
	probe_execute(kernel, probe_add_block(kernel, tail, tail + 8, 2, IFR_BRANCH_CONDITIONAL, 6, true), true);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = depth;
}
