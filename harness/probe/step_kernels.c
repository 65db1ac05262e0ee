/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of chosen instructions with their accesses, for a core, and of indirect jumps. */
#include "harness/probe/kernels.h"

#include <string.h>

enum {
	ROOM = 8192,
	LOOP_TAIL = 9,      /* dec rdi; jnz, long */
	DATA_ROOM = 1 << 14 /* of words that are set */
};
/* From one round's lines to the next: a multiple of the bytes of all sets of a cache or TLB, so that they share sets. */
#define FAR (UINT64_C(1) << 24)

static const uint8_t count_down[] = {0x48, 0xff, 0xcf}; /* dec rdi */
static const uint8_t clear[] = {0x31, 0xd2};            /* xor edx, edx */
static const uint8_t go_back = 0xc3;                    /* ret */

static void put_accesses(struct probe_kernel *kernel, const struct probe_run *runs, size_t count) {
	unsigned end = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++) {
			const struct probe_step *step = &runs[i].step;
			end += step->length;
			if (step->access)
				probe_add_access(kernel, step->access, step->store, end);
		}
}

static void touch_round(struct probe_kernel *kernel, const struct probe_run *runs, size_t count, uint64_t far) {
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++) {
			const struct probe_step *step = &runs[i].step;
			const uint64_t offset = step->offset + j * step->stride;
			if (step->access)
				probe_touch(kernel, (step->far ? far : kernel->data) + offset);
		}
}

void probe_steps(struct probe_kernel *kernel, const struct probe_run *runs, size_t count, size_t rounds) {
	const uint64_t start = kernel->code + ROOM;
	uint64_t at = start;
	unsigned instructions = 0;
	kernel->entry = start - sizeof clear;
	probe_put(kernel, kernel->entry, clear, sizeof clear);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].count; j++, instructions++) {
			struct probe_step step = runs[i].step;
			const uint32_t offset = (uint32_t)(step.offset + j * step.stride);
			if (step.stride)
				memcpy(step.bytes + step.length - sizeof offset, &offset, sizeof offset);
			probe_put(kernel, at, step.bytes, step.length);
			at += step.length;
		}
	probe_put(kernel, at, count_down, sizeof count_down);
	probe_put_jump(kernel, at + LOOP_TAIL - 1, PROBE_IF_NOT_ZERO, false, start);
	probe_put(kernel, at + LOOP_TAIL, &go_back, 1);
	const uint32_t block =
		probe_add_block(kernel, start, at + LOOP_TAIL - 1, instructions + 2, IFR_BRANCH_CONDITIONAL, 6, true);
	put_accesses(kernel, runs, count);
	kernel->start = kernel->end = kernel->data;
	for (unsigned i = 0; i < DATA_ROOM; i += 8)
		probe_set_word(kernel, kernel->data + i, 0);
	for (size_t round = 0; round < rounds; round++) {
		const uint64_t far = kernel->data + round * FAR;
		probe_set_word(kernel, far + PROBE_NEXT, kernel->data + (round + 1) % rounds * FAR);
		touch_round(kernel, runs, count, far);
		probe_execute(kernel, block, true);
	}
	kernel->rounds = kernel->elements = rounds;
}

/* --- indirect jumps ---------------------------------------------------------------------------------------------- */

static const uint8_t take[] = {0x48, 0x8b, 0x86, 0, 0, 0, 0}; /* mov rax, [rsi + j] */
static const uint8_t jump[] = {0xff, 0xe0};                   /* jmp rax */

/* mov rax, [rsi + 8j]; jmp rax. Returns its block. */
static uint32_t put_indirect(struct probe_kernel *kernel, uint64_t at, size_t j) {
	uint8_t bytes[sizeof take];
	const uint32_t offset = (uint32_t)(8 * j);
	memcpy(bytes, take, sizeof take);
	memcpy(bytes + 3, &offset, sizeof offset);
	probe_put(kernel, at, bytes, sizeof bytes);
	probe_put(kernel, at + sizeof bytes, jump, sizeof jump);
	const uint64_t last = at + sizeof bytes + sizeof jump - 1;
	const uint32_t block = probe_add_block(kernel, at, last, 2, IFR_BRANCH_INDIRECT_JUMP, sizeof jump, false);
	probe_add_access(kernel, 8, false, sizeof take);
	return block;
}

static uint32_t put_plain(struct probe_kernel *kernel, uint64_t at, uint64_t target) {
	probe_put_jump(kernel, at + 4, PROBE_ALWAYS, false, target);
	return probe_add_block(kernel, at, at + 4, 1, IFR_BRANCH_JUMP, 5, false);
}

/* add rsi, 16; cmp rsi, rdx; cmove rsi, rcx; dec rdi; jnz */
static uint32_t put_indirect_tail(struct probe_kernel *kernel, uint64_t at) {
	static const uint8_t tail[] = {0x48, 0x83, 0xc6, 16,   0x48, 0x39, 0xd6,
	                               0x48, 0x0f, 0x44, 0xf1, 0x48, 0xff, 0xcf};
	const uint64_t last = at + sizeof tail + 5;
	probe_put(kernel, at, tail, sizeof tail);
	probe_put_jump(kernel, last, PROBE_IF_NOT_ZERO, false, kernel->entry);
	probe_put(kernel, last + 1, &go_back, 1);
	return probe_add_block(kernel, at, last, 5, IFR_BRANCH_CONDITIONAL, 6, true);
}

/* cmp byte [rsi], 0; jne +0 */
static uint32_t put_conditional(struct probe_kernel *kernel, uint64_t at) {
	static const uint8_t compare[] = {0x80, 0x3e, 0};
	const uint64_t last = at + sizeof compare + 1;
	probe_put(kernel, at, compare, sizeof compare);
	probe_put_jump(kernel, last, PROBE_IF_NOT_ZERO, true, last + 1);
	const uint32_t block = probe_add_block(kernel, at, last, 2, IFR_BRANCH_CONDITIONAL, 2, false);
	probe_add_access(kernel, 1, false, sizeof compare);
	return block;
}

void probe_indirect_loop(struct probe_kernel *kernel, const struct probe_indirect *indirect) {
	enum { TARGET = 64, BRANCHES = 2, CONDITIONAL = 5 /* bytes */ };
	const unsigned targets = indirect->targets;
	uint64_t at = kernel->code + ROOM;
	uint32_t jumps[BRANCHES], ways[BRANCHES][PROBE_TARGETS_MOST], first = 0;
	uint64_t places[BRANCHES][PROBE_TARGETS_MOST];
	kernel->entry = at;
	for (unsigned b = 0; b < BRANCHES; b++) {
		if (!b && indirect->begins_conditional) {
			jumps[0] = put_conditional(kernel, at);
			at += CONDITIONAL;
		} else {
			jumps[b] = put_indirect(kernel, at, b);
			const uint64_t joins = at + (targets + 1) * TARGET;
			for (unsigned t = 0; t < targets; t++) {
				places[b][t] = at + (t + 1) * TARGET;
				ways[b][t] = put_plain(kernel, places[b][t], joins);
			}
			at = joins;
		}
		for (unsigned j = 0; !b && j < indirect->between; j++, at += TARGET) {
			const uint32_t block = put_plain(kernel, at, at + TARGET);
			first = j ? first : block;
		}
	}
	const uint32_t tail = put_indirect_tail(kernel, at);
	kernel->start = kernel->data;
	kernel->end = kernel->data + BRANCHES * 8 * indirect->rounds;
	for (size_t round = 0; round < indirect->rounds; round++) {
		for (unsigned b = 0; b < BRANCHES; b++) {
			const unsigned t = indirect->which[b] ? indirect->which[b][round] : 0;
			const uint64_t address = kernel->data + 8 * (BRANCHES * round + b);
			const bool conditional = !b && indirect->begins_conditional;
			probe_set_word(kernel, address, conditional ? t : places[b][t]);
			probe_execute(kernel, jumps[b], !conditional || t);
			probe_touch(kernel, address);
			if (!conditional)
				probe_execute(kernel, ways[b][t], true);
			for (unsigned j = 0; !b && j < indirect->between; j++)
				probe_execute(kernel, first + j, true);
		}
		probe_execute(kernel, tail, true);
	}
	kernel->rounds = kernel->elements = indirect->rounds;
}

/* jmp [rsi + 8j] */
static void put_memory_jump(struct probe_kernel *kernel, uint64_t at, unsigned j, uint64_t target) {
	const uint8_t bytes[] = {0xff, 0x66, (uint8_t)(8 * j)};
	probe_put(kernel, at, bytes, sizeof bytes);
	probe_set_word(kernel, kernel->data + 8 * j, target);
	probe_execute(
		kernel,
		probe_add_block(kernel, at, at + sizeof bytes - 1, 1, IFR_BRANCH_INDIRECT_JUMP, sizeof bytes, false),
		true);
	probe_add_access(kernel, 8, false, sizeof bytes);
	probe_touch(kernel, kernel->data + 8 * j);
}

void probe_there_and_back(struct probe_kernel *kernel, bool far) {
	enum { AWAY = 4416, BACK = 64 };
	const uint64_t start = kernel->code + ROOM, there = (far ? kernel->far : kernel->code) + ROOM + AWAY,
				   back = start + BACK;
	kernel->entry = start;
	put_memory_jump(kernel, start, 0, there);
	put_memory_jump(kernel, there, 1, back);
	probe_put(kernel, back, count_down, sizeof count_down);
	probe_put_jump(kernel, back + LOOP_TAIL - 1, PROBE_IF_NOT_ZERO, false, start);
	probe_put(kernel, back + LOOP_TAIL, &go_back, 1);
	probe_execute(kernel, probe_add_block(kernel, back, back + LOOP_TAIL - 1, 2, IFR_BRANCH_CONDITIONAL, 6, true),
	              true);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = 2;
}
