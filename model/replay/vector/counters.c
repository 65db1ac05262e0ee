/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two-bit counters indexed by address and global history, of sixteen lanes: bimodal, GAg, GAs, gshare. The history
 * is the same in all lanes; an index is a lane's own part of the address xor the part that they share.
 *
 * Sixteen counters of a lane are one word, the words of the lanes lie side by side: entry n of lane l is bits
 * 2 * (n % 16) of word n / 16 * 16 + l. */
#include "model/replay/vector/bundle.h"

#include <stdlib.h>
#include <string.h>

struct counters {
	uint32_t *words, *rows;
	uint32_t address_mask;
	/* The part of the history, its last outcome at bit step. */
	uint32_t history, history_mask, step;
	unsigned start;
	size_t size;
};

enum { COUNTERS, HISTORY, START };

static struct counters *counters_new(unsigned size, unsigned start) {
	struct counters *c = ifr_alloc(sizeof *c);
	const size_t words = ((size_t)size + 15) / 16 * LANES;
	c->words = ifr_alloc(words * sizeof *c->words);
	c->size = size;
	memset(c->words, (int)(start * 0x55), words * sizeof *c->words);
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
	free(c->words);
	free(c->rows);
	free(c);
}

static bool fits(const unsigned *values) {
	(void)values;
	return true;
}

static void place(void *state, const struct ifr_pass *pass, const struct bundle *bundle, size_t blocks) {
	struct counters *c = state;
	c->rows = rows_grow(c->rows, blocks, sizeof *c->rows);
	for (size_t block = bundle->placed; block < blocks; block++)
		for (size_t i = 0; i < LANES; i++)
			c->rows[block * LANES + i] = (uint32_t)pass->places[lane_of(bundle, i)].pcs[block] & c->address_mask;
}

static void run(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses) {
	struct counters *c = state;
	const uint32_t *rows = c->rows;
	uint32_t *words = c->words;
	const vec lanes = vec_lanes(), low4 = vec_set(15), high = vec_set(~15u), three = vec_set(3), one = vec_set(1);
	const uint32_t mask = c->history_mask, step = c->step;
	uint32_t history = c->history;
	vec missed = vec_set(0);
	(void)kinds;
	for (size_t i = 0; i < branches->count; i++) {
		const uint32_t branch = branches->steps[i], taken = branch & 1;
		const vec index = vec_xor(vec_load(rows + (size_t)(branch >> 1) * LANES), vec_set(history));
		const vec at = vec_or(vec_and(index, high), lanes);
		const vec shift = vec_left(vec_and(index, low4), 1);
		const vec word = vec_gather(words, at);
		const vec counter = vec_and(vec_right_each(word, shift), three);
		const vec end = vec_set(taken ? 3 : 0);
		missed = vec_add(missed, vec_xor(vec_right(counter, 1), vec_set(taken)));
		/* Up or down by one, unless it is at the end already. */
		const vec moved = vec_add(word, vec_left_each(vec_sub(vec_set(2 * taken), one), shift));
		vec_scatter(words, mask_but(vec_equal(lanes, lanes), vec_equal(counter, end)), at, moved);
		history = (history << 1 | (taken ? step : 0)) & mask;
	}
	c->history = history;
	tally_add(misses, missed);
}

#define COUNTERS_PREDICTOR(id, title, maker) \
	const struct bundle_predictor IFR_VECTOR(id) = {title, fits, maker, place, run, destroy}
COUNTERS_PREDICTOR(bimodal, "bimodal", create_bimodal);
COUNTERS_PREDICTOR(gag, "gag", create_gas);
COUNTERS_PREDICTOR(gas, "gas", create_gas);
COUNTERS_PREDICTOR(gshare, "gshare", create_gshare);
