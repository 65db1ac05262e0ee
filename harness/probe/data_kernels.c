/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of loads and stores, and of plain instructions. */
#include "harness/probe/kernels.h"

#include <stdlib.h>

#include "common/random.h"

enum { ROOM = 8192, LOOP_TAIL = 9 /* dec rdi; jnz, long */ };

static const uint8_t take_start[] = {0x48, 0x89, 0xf0}; /* mov rax, rsi */
static const uint8_t follow[] = {0x48, 0x8b, 0x00};     /* mov rax, [rax] */
static const uint8_t count_down[] = {0x48, 0xff, 0xcf}; /* dec rdi */
static const uint8_t go_back = 0xc3;                    /* ret */

static uint64_t put_prologue(struct probe_kernel *kernel) {
	kernel->entry = kernel->code + ROOM - sizeof take_start;
	probe_put(kernel, kernel->entry, take_start, sizeof take_start);
	return kernel->code + ROOM;
}

/* Ends a loop, of so many instructions before its tail, as one block. */
static uint32_t put_loop_end(struct probe_kernel *kernel, uint64_t start, uint64_t at, unsigned instructions) {
	probe_put(kernel, at, count_down, sizeof count_down);
	probe_put_jump(kernel, at + LOOP_TAIL - 1, PROBE_IF_NOT_ZERO, false, start);
	probe_put(kernel, at + LOOP_TAIL, &go_back, 1);
	return probe_add_block(kernel, start, at + LOOP_TAIL - 1, instructions + 2, IFR_BRANCH_CONDITIONAL, 6, true);
}

static uint32_t put_chase(struct probe_kernel *kernel) {
	const uint64_t start = put_prologue(kernel);
	probe_put(kernel, start, follow, sizeof follow);
	const uint32_t block = put_loop_end(kernel, start, start + sizeof follow, 1);
	probe_add_access(kernel, 8, false, sizeof follow);
	return block;
}

/* A random order of 0 … count-1. Ref: Knuth 1997, section 3.4.2, algorithm P. */
static uint32_t *draw_order(size_t count, uint64_t seed) {
	uint32_t *order = ifr_realloc(NULL, count, sizeof *order);
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (size_t i = count; seed && i > 1; i--) {
		const size_t j = ifr_random_below(ifr_siphash(seed, 0, &i, sizeof i), i);
		const uint32_t was = order[i - 1];
		order[i - 1] = order[j];
		order[j] = was;
	}
	return order;
}

void probe_chase_list(struct probe_kernel *kernel, const uint64_t *addresses, size_t count) {
	const uint32_t block = put_chase(kernel);
	for (size_t i = 0; i < count; i++) {
		probe_set_word(kernel, addresses[i], addresses[i + 1 < count ? i + 1 : 0]);
		probe_execute(kernel, block, true);
		probe_touch(kernel, addresses[i]);
	}
	kernel->start = kernel->end = addresses[0];
	kernel->rounds = kernel->elements = count;
}

void probe_chase(struct probe_kernel *kernel, const struct probe_places *places, uint64_t seed) {
	uint32_t *order = draw_order(places->count, seed);
	uint64_t *addresses = ifr_realloc(NULL, places->count, sizeof *addresses);
	for (size_t i = 0; i < places->count; i++)
		addresses[i] = kernel->data + probe_place(places, order[i]);
	probe_chase_list(kernel, addresses, places->count);
	free(addresses);
	free(order);
}

void probe_chase_self(struct probe_kernel *kernel, uint64_t offset) {
	const uint64_t address = kernel->data + offset;
	probe_chase_list(kernel, &address, 1);
}

/* Not additions of a constant: Golden Cove does several of them in a cycle, at rename. */
void probe_unit_chain(struct probe_kernel *kernel) {
	enum { COUNT = 128 };
	static const uint8_t flip[] = {0x48, 0x31, 0xf0}; /* xor rax, rsi */
	const uint64_t start = put_prologue(kernel);
	for (unsigned i = 0; i < COUNT; i++)
		probe_put(kernel, start + i * sizeof flip, flip, sizeof flip);
	probe_execute(kernel, put_loop_end(kernel, start, start + COUNT * sizeof flip, COUNT), true);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = COUNT;
}

/* A move between rax and [rsi + offset]; opcode: 0x89 stores, 0x8b loads. */
static uint64_t put_move(struct probe_kernel *kernel, uint64_t at, uint8_t opcode, uint64_t offset) {
	const uint8_t move[] = {0x48,
	                        opcode,
	                        0x86,
	                        (uint8_t)offset,
	                        (uint8_t)(offset >> 8),
	                        (uint8_t)(offset >> 16),
	                        (uint8_t)(offset >> 24)};
	probe_put(kernel, at, move, sizeof move);
	return at + sizeof move;
}

void probe_store_load(struct probe_kernel *kernel, size_t between, uint64_t distance) {
	enum { MOVE = 7, ELSEWHERE = 64 }; /* bytes of a move; the other stores begin so far behind the first */
	const uint64_t start = put_prologue(kernel);
	uint64_t at = put_move(kernel, start, 0x89, 0);
	for (size_t i = 0; i < between; i++)
		at = put_move(kernel, at, 0x89, ELSEWHERE + 8 * i);
	at = put_move(kernel, at, 0x8b, distance);
	const uint32_t block = put_loop_end(kernel, start, at, (unsigned)between + 2);
	kernel->start = kernel->end = kernel->data;
	for (size_t i = 0; i < between + 2; i++) {
		const bool is_load = i == between + 1;
		probe_add_access(kernel, 8, !is_load, (unsigned)(MOVE * (i + 1)));
		probe_touch(kernel, kernel->data + (is_load ? distance : i ? ELSEWHERE + 8 * (i - 1) : 0));
	}
	probe_set_word(kernel, kernel->data + distance, 0);
	probe_execute(kernel, block, true);
	kernel->rounds = kernel->elements = 1;
}

void probe_stream(struct probe_kernel *kernel, size_t lines, uint64_t data) {
	enum { LOADS = 16, LINE = 64, MOVE = 7, PAGE = 4096 };
	static const uint8_t step[] = {0x48, 0x81, 0xc6, 0,   4, 0, 0, /* add rsi, 1024 */
	                               0x48, 0x39, 0xd6,               /* cmp rsi, rdx */
	                               0x48, 0x0f, 0x44, 0xf1};        /* cmove rsi, rcx */
	const uint64_t start = kernel->entry = kernel->code + ROOM;
	uint64_t at = start;
	for (unsigned i = 0; i < LOADS; i++)
		at = put_move(kernel, at, 0x8b, i * LINE);
	probe_put(kernel, at, step, sizeof step);
	const uint32_t block = put_loop_end(kernel, start, at + sizeof step, LOADS + 3);
	for (unsigned i = 0; i < LOADS; i++)
		probe_add_access(kernel, 8, false, MOVE * (i + 1));
	kernel->start = data ? data : kernel->data;
	kernel->end = kernel->start + lines * LINE;
	for (uint64_t page = kernel->start; !data && page < kernel->end; page += PAGE)
		probe_set_word(kernel, page, 0);
	for (size_t i = 0; i < lines; i++) {
		if (i % LOADS == 0)
			probe_execute(kernel, block, true);
		probe_touch(kernel, kernel->start + i * LINE);
	}
	kernel->rounds = lines / LOADS;
	kernel->elements = lines;
}

void probe_nops(struct probe_kernel *kernel, size_t count, unsigned bytes) {
	const uint64_t start = put_prologue(kernel);
	for (size_t i = 0; i < count; i++)
		probe_put_nops(kernel, start + i * bytes, bytes);
	probe_execute(kernel, put_loop_end(kernel, start, start + count * bytes, (unsigned)count), true);
	kernel->start = kernel->end = kernel->data;
	kernel->rounds = 1;
	kernel->elements = count;
}
