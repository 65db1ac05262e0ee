/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kernel over a branch that executes late: a chain of multiplications leads to its outcome and goes on behind it, so
 * that a round takes the chain's cycles, and a misprediction those until the chain goes on. */
#include "harness/probe/kernels.h"

#include "common/random.h"

enum { ROOM = 8192, ROUNDS = 128 /* of a period that the model is told of */, LOOP_JUMP = 6, SHORT_JUMP = 2 };
#define FACTOR UINT64_C(6364136223846793005)

static const uint8_t take[] = {0x48, 0x8b, 0x06,            /* mov rax, [rsi] */
                               0x48, 0x8b, 0x56, 8};        /* mov rdx, [rsi + 8] */
static const uint8_t multiply[] = {0x48, 0x0f, 0xaf, 0xc2}; /* imul rax, rdx */
static const uint8_t test[] = {0x48, 0x85, 0xc0};           /* test rax, rax */
static const uint8_t count_down[] = {0x48, 0xff, 0xcf};     /* dec rdi */
static const uint8_t keep[] = {0x48, 0x89, 0x06, 0xc3};     /* mov [rsi], rax; ret */

static uint64_t put_chain(struct probe_kernel *kernel, uint64_t at, unsigned products) {
	for (unsigned i = 0; i < products; i++, at += sizeof multiply)
		probe_put(kernel, at, multiply, sizeof multiply);
	return at;
}

/* test rax, rax; js +0, or jz +0: a product of odd numbers is never 0. */
static uint64_t put_branch(struct probe_kernel *kernel, uint64_t at, bool random) {
	const uint64_t end = at + sizeof test + SHORT_JUMP;
	probe_put(kernel, at, test, sizeof test);
	probe_put_jump(kernel, end - 1, random ? PROBE_IF_NEGATIVE : PROBE_IF_ZERO, true, end);
	probe_add_block(kernel, at, end - 1, 2, IFR_BRANCH_CONDITIONAL, SHORT_JUMP, false);
	return end;
}

/* jmp +0 */
static uint64_t put_jump(struct probe_kernel *kernel, uint64_t at) {
	const uint64_t end = at + SHORT_JUMP;
	probe_put_jump(kernel, end - 1, PROBE_ALWAYS, true, end);
	probe_add_block(kernel, at, end - 1, 1, IFR_BRANCH_JUMP, SHORT_JUMP, false);
	return end;
}

static void run(struct probe_kernel *kernel, const struct probe_late *late, uint64_t state) {
	for (size_t round = 0; round < ROUNDS; round++) {
		probe_execute(kernel, 0, late->random && state >> 63);
		for (uint32_t block = 1; block < kernel->blocks_count; block++)
			probe_execute(kernel, block, true);
		for (unsigned i = 0; i < late->products; i++)
			state *= FACTOR;
	}
}

void probe_late_branch(struct probe_kernel *kernel, const struct probe_late *late, uint64_t seed) {
	const uint64_t start = kernel->code + ROOM,
				   state = ifr_siphash(seed, 12, &kernel->code, sizeof kernel->code) | 1;
	kernel->entry = start - sizeof take;
	probe_put(kernel, kernel->entry, take, sizeof take);
	const uint64_t behind = put_branch(kernel, start, late->random),
				   chain = late->jumps ? put_jump(kernel, behind) : behind,
				   tail = put_chain(kernel, chain, late->products), end = tail + sizeof count_down + LOOP_JUMP;
	probe_put(kernel, tail, count_down, sizeof count_down);
	probe_put_jump(kernel, end - 1, PROBE_IF_NOT_ZERO, false, start);
	probe_put(kernel, end, keep, sizeof keep);
	probe_add_block(kernel, chain, end - 1, late->products + 2, IFR_BRANCH_CONDITIONAL, LOOP_JUMP, true);
	probe_set_word(kernel, kernel->data, state);
	probe_set_word(kernel, kernel->data + 8, FACTOR);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = kernel->elements = ROUNDS;
	kernel->is_hard = true;
	run(kernel, late, state);
}
