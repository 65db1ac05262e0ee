/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two-bit counters indexed by address and global history, of sixteen lanes: bimodal, GAg, GAs, gshare. The history
 * is the same in all lanes; an index is a lane's own part of the address xor the part that they share.
 *
 * Four lanes go together through a chunk, and no vector is in it: gathers and scatters cost more here than loads
 * and stores one by one, and the tables of four lanes stay nearer than those of sixteen. */
#include "model/replay/vector/bundle.h"

#include <stdlib.h>
#include <string.h>

#define QUAD 4
#define QUADS (LANES / QUAD)

/* Of four lanes, and of each counter: its next value, and if it was wrong 1 in the lane's own twelve bits, which
 * stand above the sum of the values. So one addition tallies, as many times as twelve bits hold. */
struct outcome {
	uint64_t next[QUAD][4];
};
#define MISS(lane) (1ull << (16 + 12 * (lane)))
#define NOT_TAKEN(lane) \
	{ 0, 0, MISS(lane) + 1, MISS(lane) + 2 }
#define TAKEN(lane) \
	{ MISS(lane) + 1, MISS(lane) + 2, 3, 3 }
#define TALLIES 4095

static const struct outcome outcomes[2] = {{{NOT_TAKEN(0), NOT_TAKEN(1), NOT_TAKEN(2), NOT_TAKEN(3)}},
                                           {{TAKEN(0), TAKEN(1), TAKEN(2), TAKEN(3)}}};

struct counters {
	const struct outcome *outcomes; /* by whether taken */
	uint8_t *tables;                /* by lane, one after the other */
	uint32_t *rows[QUADS]; /* by block and lane of the four: where its table starts, or'd with the address part */
	uint32_t address_mask;
	/* The part of the history, its last outcome at bit step. */
	uint32_t history, history_mask, step;
	uint32_t size;
	size_t quads_count;
};

enum { COUNTERS, HISTORY, START };

static struct counters *counters_new(unsigned size, unsigned start) {
	struct counters *c = ifr_alloc(sizeof *c);
	c->tables = ifr_alloc((size_t)size * LANES);
	c->outcomes = outcomes;
	c->size = size;
	memset(c->tables, (int)start, (size_t)size * LANES);
	return c;
}

static void *create_bimodal(const unsigned *values) {
	struct counters *c = counters_new(values[COUNTERS], 1);
	c->address_mask = values[COUNTERS] - 1;
	return c;
}

static void *create_gshare(const unsigned *values) {
	struct counters *c = counters_new(values[COUNTERS], 1);
	c->address_mask = values[COUNTERS] - 1;
	if (values[HISTORY]) {
		c->step = 1u << (ifr_log2_of(values[COUNTERS]) - values[HISTORY]);
		c->history_mask = c->address_mask & ~(c->step - 1);
	}
	return c;
}

static void *create_gas(const unsigned *values) {
	struct counters *c = counters_new(values[COUNTERS], values[START]);
	const unsigned address_bits = ifr_log2_of(values[COUNTERS]) - values[HISTORY];
	c->address_mask = (1u << address_bits) - 1;
	c->history_mask = (values[COUNTERS] - 1) & ~c->address_mask;
	c->step = values[HISTORY] ? 1u << address_bits : 0;
	return c;
}

static void destroy(void *state) {
	struct counters *c = state;
	for (size_t i = 0; i < QUADS; i++)
		free(c->rows[i]);
	free(c->tables);
	free(c);
}

static bool fits(const unsigned *values) {
	(void)values;
	return true;
}

static void place(void *state, const struct ifr_pass *pass, const struct bundle *bundle, size_t blocks) {
	struct counters *c = state;
	c->quads_count = (bundle->count + QUAD - 1) / QUAD;
	for (uint32_t i = 0; i < c->quads_count * QUAD; i++) {
		uint32_t **rows = &c->rows[i / QUAD];
		const uint64_t *pcs = pass->branch_layouts[lane_of(bundle, i)].pcs;
		if (i % QUAD == 0)
			*rows = ifr_realloc(*rows, (blocks + 1) * QUAD, sizeof **rows);
		for (size_t block = bundle->placed; block < blocks; block++)
			(*rows)[block * QUAD + i % QUAD] = i * c->size | ((uint32_t)pcs[block] & c->address_mask);
	}
}

/* What four lanes miss of at most TALLIES branches. */
static inline uint64_t run_some(struct counters *c, const uint32_t *rows, const uint32_t *executions,
                                const uint32_t *end) {
	const struct outcome *both = c->outcomes;
	const uint32_t mask = c->history_mask, newest = c->step;
	uint8_t *tables = c->tables;
	uint32_t history = c->history;
	uint64_t sum = 0;
	for (; executions < end; executions++) {
		const uint32_t taken = *executions & 1;
		const uint32_t *row = rows + (size_t)(*executions - taken) * (QUAD / 2);
		const struct outcome *outcome = &both[taken];
#pragma GCC unroll 4
		for (size_t k = 0; k < QUAD; k++) {
			uint8_t *counter = &tables[row[k] ^ history];
			const uint64_t next = outcome->next[k][*counter];
			*counter = (uint8_t)next;
			sum += next;
		}
		history = (history * 2 + taken * newest) & mask;
	}
	c->history = history;
	return sum;
}

static void run(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses) {
	struct counters *c = state;
	const uint32_t *end = branches->executions + branches->count;
	const uint32_t history = c->history;
	(void)kinds;
	for (size_t i = 0; i < c->quads_count; i++) {
		c->history = history;
		for (const uint32_t *from = branches->executions, *to; from < end; from = to) {
			to = end - from < TALLIES ? end : from + TALLIES;
			const uint64_t sum = run_some(c, c->rows[i], from, to);
			for (size_t k = 0; k < QUAD; k++)
				misses[i * QUAD + k] += sum / MISS(k) % (TALLIES + 1);
		}
	}
}

#define COUNTERS_PREDICTOR(id, title, maker) \
	const struct bundle_predictor IFR_VECTOR(id) = {title, fits, maker, place, run, destroy}
COUNTERS_PREDICTOR(bimodal, "bimodal", create_bimodal);
COUNTERS_PREDICTOR(gag, "gag", create_gas);
COUNTERS_PREDICTOR(gas, "gas", create_gas);
COUNTERS_PREDICTOR(gshare, "gshare", create_gshare);
