/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executions that nobody ran and layouts that nobody linked, by a seed: what the engines are compared on. */
#ifndef TESTS_UNIT_MODEL_RANDOM_H
#define TESTS_UNIT_MODEL_RANDOM_H

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/replay/replay.h"

#define RANDOM_BLOCKS 120
#define RANDOM_ACCESSES (4 * RANDOM_BLOCKS)
#define RANDOM_STEPS 3000
#define RANDOM_GROUPS 3

struct random_trace {
	uint64_t seed;
	struct ifr_block blocks[RANDOM_BLOCKS];
	struct ifr_access accesses[RANDOM_ACCESSES];
	uint32_t executions[RANDOM_STEPS];
	size_t data_starts[RANDOM_STEPS + 1]; /* by step: accesses before it */
	uint64_t addresses[RANDOM_GROUPS][4 * RANDOM_STEPS];
	size_t accesses_count;
};

/* 0 … n-1. Ref: Steele, Lea and Flood 2014 (SplitMix64). */
static inline uint64_t draw(uint64_t *seed, uint64_t n) {
	*seed += 0x9e3779b97f4a7c15;
	uint64_t z = *seed;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % n;
}

static inline void random_blocks(struct random_trace *trace) {
	for (size_t i = 0; i < RANDOM_BLOCKS; i++) {
		struct ifr_block *block = &trace->blocks[i];
		const uint64_t kind = draw(&trace->seed, 12);
		block->branch = (uint8_t)(kind <= IFR_BRANCH_RETURN ? kind : IFR_BRANCH_CONDITIONAL);
		block->first_access = (uint32_t)trace->accesses_count;
		block->accesses = (uint16_t)draw(&trace->seed, 5);
		for (size_t k = 0; k < block->accesses; k++) {
			const uint8_t bytes = (uint8_t)(1 + draw(&trace->seed, 64));
			const bool store = draw(&trace->seed, 3) == 0;
			trace->accesses[trace->accesses_count++] = (struct ifr_access){bytes, store, false};
		}
	}
}

/* Walks that favour the next block and a few others, so that there are patterns and reuse; now and then a break.
 */
static inline void random_steps(struct random_trace *trace) {
	size_t at = 0;
	for (size_t i = 0; i < RANDOM_STEPS; i++) {
		const struct ifr_block *block = &trace->blocks[at];
		trace->data_starts[i + 1] = trace->data_starts[i];
		if (draw(&trace->seed, 200) == 0) {
			trace->executions[i] = IFR_EXECUTION_BREAK;
			continue;
		}
		const bool taken = block->branch != IFR_BRANCH_CONDITIONAL || draw(&trace->seed, 3) == 0;
		trace->executions[i] = (uint32_t)(at << 1 | taken);
		trace->data_starts[i + 1] += block->accesses;
		at = taken ? (at * 7 + draw(&trace->seed, 8) * 5) % RANDOM_BLOCKS : (at + 1) % RANDOM_BLOCKS;
	}
}

/* The same objects in other places: of the third group whole pages from those of the first, each on its own, as no
 * two share a page there. Some accesses cross lines and pages. */
static inline void random_addresses(struct random_trace *trace) {
	for (size_t i = 0; i < trace->data_starts[RANDOM_STEPS]; i++) {
		const uint64_t object = draw(&trace->seed, 40), offset = draw(&trace->seed, 8) * 61;
		trace->addresses[0][i] = 0x7f0000000000 + object * 4096 + object * 256 + offset;
		trace->addresses[1][i] = 0x600000000000 + object * 1088 + offset;
		trace->addresses[2][i] = trace->addresses[0][i] + object * 7 % 40 * 0x2b000;
	}
}

/* Makes one load in three a prefetch, now and then of page zero. */
static inline void random_prefetches(struct random_trace *trace) {
	for (size_t i = 0; i < trace->accesses_count; i++)
		if (!trace->accesses[i].store && draw(&trace->seed, 3) == 0)
			trace->accesses[i] = (struct ifr_access){1, false, true};
	for (size_t step = 0; step < RANDOM_STEPS; step++)
		for (size_t at = trace->data_starts[step]; at < trace->data_starts[step + 1]; at++) {
			const struct ifr_block *block = &trace->blocks[trace->executions[step] >> 1];
			const struct ifr_access *access =
				&trace->accesses[block->first_access + at - trace->data_starts[step]];
			for (unsigned group = 0; group < RANDOM_GROUPS && access->prefetch && at % 13 == 0; group++)
				trace->addresses[group][at] = at % 7 * 512;
		}
}

static inline struct random_trace *random_trace_new(uint64_t seed) {
	struct random_trace *trace = ifr_alloc(sizeof *trace);
	trace->seed = seed;
	random_blocks(trace);
	random_steps(trace);
	random_addresses(trace);
	return trace;
}

/* Blocks in an order and with gaps of their own; free with random_lane_free. Lanes of one seed are one layout. */
static inline struct ifr_lane random_lane_new(const struct random_trace *trace, uint64_t seed, uint64_t base) {
	struct ifr_geometry *blocks = ifr_alloc(RANDOM_BLOCKS * sizeof *blocks);
	uint16_t *ends = ifr_alloc(RANDOM_ACCESSES * sizeof *ends);
	uint64_t shape = 1, address = base;
	const size_t first = draw(&seed, RANDOM_BLOCKS);
	for (size_t n = 0; n < RANDOM_BLOCKS; n++) {
		const size_t i = (first + n * 7) % RANDOM_BLOCKS;
		/* Some are further rounds of a repeated instruction. */
		const bool round = trace->blocks[i].branch == IFR_BRANCH_NONE && i % 2;
		const uint16_t branch_bytes = (uint16_t)(round ? 0 : 1 + draw(&shape, 6));
		const uint16_t bytes = (uint16_t)(round ? 0 : branch_bytes + draw(&shape, 180));
		blocks[i] = (struct ifr_geometry){address, bytes, (uint16_t)(round ? 0 : 1 + bytes / 4),
		                                  (uint8_t)branch_bytes, i % 3 == 0};
		uint16_t end = 0;
		for (size_t k = 0; k < trace->blocks[i].accesses; k++) {
			end = (uint16_t)(end + draw(&shape, (uint64_t)(bytes - end) + 1));
			ends[trace->blocks[i].first_access + k] = end || round ? end : 1;
		}
		address += bytes + (draw(&seed, 4) ? draw(&seed, 40) : draw(&seed, 6000));
	}
	const unsigned group = seed % RANDOM_GROUPS;
	return (struct ifr_lane){blocks, ends, group, group % 2 ? group : 0};
}

static inline void random_lane_free(struct ifr_lane *lane) {
	free((void *)lane->blocks);
	free((void *)lane->access_ends);
}

/* Steps from … to, as a chunk. */
static inline struct ifr_chunk random_chunk(const struct random_trace *trace, size_t from, size_t to) {
	return (struct ifr_chunk){trace->blocks,
	                          trace->accesses,
	                          RANDOM_BLOCKS,
	                          trace->accesses_count,
	                          trace->executions + from,
	                          to - from,
	                          trace->data_starts[to] - trace->data_starts[from]};
}

#endif
