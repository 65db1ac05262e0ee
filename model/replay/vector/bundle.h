/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes in bundles of sixteen, and the predictors that work on a bundle at once. A bundle that is not full repeats
 * its last lane; what the repeated ones count is dropped. */
#ifndef INTERFERO_MODEL_BUNDLE_H
#define INTERFERO_MODEL_BUNDLE_H

#include "model/replay/stages.h"
#include "model/replay/vector/vec.h"

struct bundle {
	size_t first, count; /* lanes */
	size_t placed;       /* blocks whose rows are filled */
	void *state;
	uint64_t misses[LANES];
};

/* A predictor of a bundle. Rows are what it needs to know of a block, sixteen numbers, one a lane: place fills
 * them for new blocks. */
struct bundle_predictor {
	const char *name;                     /* the one it equals */
	bool (*fits)(const unsigned *values); /* whether it can, with these */
	void *(*create)(const unsigned *values);
	void (*place)(void *state, const struct ifr_pass *pass, const struct bundle *bundle, size_t blocks);
	/* Adds up mispredictions of each lane. */
	void (*run)(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses);
	void (*destroy)(void *state);
};

extern const struct bundle_predictor IFR_VECTOR(bimodal), IFR_VECTOR(gag), IFR_VECTOR(gas), IFR_VECTOR(gshare),
	IFR_VECTOR(path), IFR_VECTOR(l_tage), IFR_VECTOR(ittage);

static inline size_t bundles_of(const struct ifr_pass *pass) {
	return (pass->lanes_count + LANES - 1) / LANES;
}

static inline size_t lane_of(const struct bundle *bundle, size_t i) {
	return bundle->first + (i < bundle->count ? i : bundle->count - 1);
}

static inline struct bundle bundle_at(const struct ifr_pass *pass, size_t i) {
	const size_t rest = pass->lanes_count - i * LANES;
	return (struct bundle){.first = i * LANES, .count = rest < LANES ? rest : LANES};
}

/* Rows for count blocks, those of old ones kept. */
static inline void *rows_grow(void *rows, size_t count, size_t bytes) {
	return ifr_realloc(rows, (count + 1) * LANES, bytes);
}

/* Adds the lanes of a vector to 64-bit numbers. */
static inline void tally_add(uint64_t *sums, vec counts) {
	uint32_t each[LANES];
	vec_store(each, counts);
	for (size_t i = 0; i < LANES; i++)
		sums[i] += each[i];
}

#endif
