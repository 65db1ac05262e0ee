/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-TAGE of sixteen lanes. model/predictors/l_tage.c, tage.c and loop.c define it; these files give the same
 * predictions.
 *
 * Problem: a branch reads twelve tagged tables, a base and a loop table, in each of sixteen lanes.
 * Idea: outcomes are the same in all lanes, so there is one history and one set of folds for all sixteen; a lane
 * has only its addresses and its path of address bits. The trace says every outcome, so that the indices of
 * LOOKAHEAD branches are computed before any table is read, and their loads overlap. Tags, which every lookup
 * reads, lie apart from counters, which are read in at most two entries a lane.
 * Invariant: indices and tags depend on histories alone, never on predictions; tables are read and trained in
 * program order. Index 0 to ENTRY_WORDS - 1 stands for the base, so that "no table hit" needs no mask.
 * Gain: tags apart and aligned, and loops of all lanes together: 41d2267, d8afdf0 in the git log; 47 to 49 M
 * branches/s for 16 layouts (note of issue 7). */
#ifndef INTERFERO_MODEL_VECTOR_L_TAGE_H
#define INTERFERO_MODEL_VECTOR_L_TAGE_H

#include "model/predictors/tage.h"
#include "model/replay/vector/vector_group.h"

#define TABLES IFR_TAGE_TABLES
#define LOOKAHEAD 4
#define ENTRY_WORDS 8 /* words of tags that one entry of all lanes takes */
#define OUTCOMES 2048 /* kept, in one word each: more than the longest history */
#define LOOP_SETS 16

/* The loop tables (struct ifr_loop) of all lanes, indexed by set * LANES + lane.
 *   tags    of a set's four entries, two a word; 0xffff: free
 *   ages    of a set's four entries, a byte each
 *   states  of one entry: current | length << 14 | confidence << 28 | direction << 30 */
struct lane_loops {
	_Alignas(64) uint32_t tags[2][LOOP_SETS * LANES], ages[LOOP_SETS * LANES];
	uint32_t states[4 * LOOP_SETS * LANES]; /* by way, set and lane */
	uint32_t trust[LANES];
};

/* struct ifr_fold of each table. */
struct l_tage_folds {
	_Alignas(64) uint32_t value[LANES], mask[LANES], out[LANES], width[LANES];
};

/* Outcomes are written downwards. At the start of the array the newest move to its end. */
struct l_tage_history {
	_Alignas(64) uint32_t outcomes[OUTCOMES], lengths[LANES]; /* length: by table */
	unsigned head, longest;
	struct l_tage_folds index, tag[2];
	/* By table: the history's part of an index, and of a tag (repeated in both halves of the word). */
	_Alignas(64) uint32_t indexes[LANES], tags[LANES];
	uint32_t path[LANES]; /* by lane */
};

/* A conditional branch whose histories are known: the index in each table, and the tag to find there. */
struct l_tage_lookup {
	_Alignas(64) uint32_t base_at[LANES], loop_at[LANES], indices[TABLES][LANES], tags[TABLES][LANES];
	uint32_t execution;
};

/* Constants of one table. index_mask and path_mask are those of an index times ENTRY_WORDS. */
struct l_tage_table {
	_Alignas(64) uint32_t first[LANES], tag_mask[LANES];
	uint32_t rotation, rotation_back, log, pc_shift, index_mask, path_mask;
};

/* The tables lie one after the other, the lanes of an entry side by side.
 *   tags    two a word, the even lane's in the lower half; an index is that of a tag's word
 *   states  four a word: counter (0 to 7; 4 and more predicts taken) | useful << 3 */
struct l_tage {
	const struct ifr_tage_shape *shape;
	uint32_t *rows; /* by block and lane: the address bits that the tables use */
	uint32_t *base;
	uint32_t *tags, *states;
	uint32_t starts[TABLES + 1]; /* first index of each table, and their end */
	struct l_tage_table tables[TABLES];
	struct l_tage_history history;
	struct l_tage_lookup lookup[LOOKAHEAD];
	_Alignas(64) uint32_t use_alternate[LANES], random[LANES]; /* use_alternate: -8 to 7 */
	uint32_t ticks;
	bool uses_loop;
	struct lane_loops loops;
};

/* Bit of each lane's tag, and of its state, in their words. */
static inline vec l_tage_tag_shift(void) {
	return vec_left(vec_and(vec_lanes(), vec_set(1)), 4);
}
static inline vec l_tage_state_shift(void) {
	return vec_left(vec_and(vec_lanes(), vec_set(3)), 3);
}
static inline vec l_tage_base_place(void) {
	return vec_right(vec_lanes(), 1);
}

/* Of each lane's prediction; taken is 0 or 1. A base counter is read as the state with the same meaning. */
struct l_tage_prediction {
	vec pc, taken, provider_taken, alternate_taken;
	vec at, state, alternate_at, alternate_state;
	vec base_word, base_at, base_counter_shift;
	vec_mask base, alternate_base; /* provider, or alternate, is the base */
	vec_mask weak;                 /* the provider is newly allocated */
};

void IFR_VECTOR(loops_init)(struct lane_loops *loops);
/* Predicts and trains the loop predictors. at: each lane's tag words; tage_taken: TAGE's predictions. Returns the
 * lanes that mispredicted in the end, as bits. */
unsigned IFR_VECTOR(loops_run)(struct lane_loops *loops, const uint32_t *at, vec pc, vec other, bool taken);
void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_lookup *lookup,
                              const struct l_tage_prediction *prediction);
/* Computes the lookups of at most LOOKAHEAD conditional branches from first on. Sets count; returns the branch to
 * go on with. */
size_t IFR_VECTOR(l_tage_prepare)(struct l_tage *l, const struct ifr_branches *branches, const uint8_t *kinds,
                                  size_t first, size_t *count);

#endif
