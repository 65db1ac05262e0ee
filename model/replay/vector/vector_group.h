/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector groups of sixteen lanes, and the predictors that run a group at once. A group that is not full repeats
 * its last lane; the counts of repeated lanes are dropped. */
#ifndef INTERFERO_MODEL_VECTOR_GROUP_H
#define INTERFERO_MODEL_VECTOR_GROUP_H

#include "model/replay/stages.h"
#include "model/replay/vector/vec.h"

struct vector_group {
	size_t first, count; /* of the pass: first, first + 1, … */
	size_t blocks_count; /* blocks whose rows are filled */
	void *state;
	uint64_t misses[LANES];
};

/* Where a predictor notes its mispredictions of a chunk, for a core. */
struct vector_notes {
	struct ifr_marks *marks[LANES];
	unsigned wanted; /* lanes, as bits: those that are not repeated */
	uint32_t number; /* of the next branch */
};

/* Notes the lanes (bits) that mispredicted the next branch. */
static inline void vector_note(struct vector_notes *notes, unsigned missed) {
	for (unsigned rest = missed & notes->wanted; rest; rest &= rest - 1)
		ifr_marks_add(notes->marks[__builtin_ctz(rest)], notes->number);
	notes->number++;
}

/* A predictor of a vector group. A block's row has sixteen numbers, one a lane, that the predictor needs at every
 * branch of the block; add_blocks fills the rows of new blocks. */
struct group_predictor {
	const char *name;                     /* of the predictor (model/predictors/) whose counts it reproduces */
	bool (*fits)(const unsigned *values); /* true if it supports these parameters */
	void *(*create)(const unsigned *values);
	void (*add_blocks)(void *state, const struct ifr_pass *pass, const struct vector_group *vector_group,
	                   size_t blocks);
	/* Adds each lane's mispredictions to misses. notes: NULL, or where they are noted. */
	void (*run)(void *state, const struct ifr_branches *branches, const uint8_t *kinds, uint64_t *misses,
	            struct vector_notes *notes);
	void (*destroy)(void *state);
};

extern const struct group_predictor IFR_VECTOR(bimodal), IFR_VECTOR(gag), IFR_VECTOR(gas), IFR_VECTOR(gshare),
	IFR_VECTOR(path), IFR_VECTOR(l_tage), IFR_VECTOR(ittage);

static inline size_t vector_groups_count(const struct ifr_pass *pass) {
	return (pass->lanes_count + LANES - 1) / LANES;
}

static inline size_t group_lane(const struct vector_group *vector_group, size_t i) {
	return vector_group->first + (i < vector_group->count ? i : vector_group->count - 1);
}

static inline struct vector_group vector_group_at(const struct ifr_pass *pass, size_t i) {
	const size_t rest = pass->lanes_count - i * LANES;
	return (struct vector_group){.first = i * LANES, .count = rest < LANES ? rest : LANES};
}

/* Grows rows to count blocks; keeps the old ones. */
static inline void *block_rows_grow(void *rows, size_t count, size_t bytes) {
	return ifr_realloc(rows, (count + 1) * LANES, bytes);
}

/* Adds each lane of a vector to its 64-bit number. */
static inline void tally_add(uint64_t *sums, vec counts) {
	uint32_t each[LANES];
	vec_store(each, counts);
	for (size_t i = 0; i < LANES; i++)
		sums[i] += each[i];
}

#endif
