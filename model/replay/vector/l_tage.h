/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of L-TAGE: model/predictors/l_tage.c, tage.c and loop.c, which say what it is. The outcomes are
 * the same in all lanes, and so are their folds; a lane has its own addresses, and its path, a bit of each
 * address. Outcomes are known before anything is predicted: so of a batch of branches all places in the tables are
 * found first. */
#ifndef INTERFERO_MODEL_VECTOR_L_TAGE_H
#define INTERFERO_MODEL_VECTOR_L_TAGE_H

#include "model/predictors/tage.h"
#include "model/replay/vector/bundle.h"

#define TABLES IFR_TAGE_TABLES
#define BATCH 4
#define PLACE_STEP 8  /* words of tags an entry */
#define OUTCOMES 2048 /* kept in a row: more than the longest history */
#define LOOP_SETS 16

/* struct ifr_loop, of each lane, by set and lane. Of a set's four entries the tags are two a word (0xffff: free),
 * the ages bytes of a word. A state is current | length << 14 | confidence << 28 | direction << 30. */
struct lane_loops {
	_Alignas(64) uint32_t tags[2][LOOP_SETS * LANES], ages[LOOP_SETS * LANES];
	uint32_t states[4 * LOOP_SETS * LANES]; /* by way, then as the others */
	uint32_t trust[LANES];
};

/* struct ifr_fold, of each table. */
struct l_tage_folds {
	_Alignas(64) uint32_t value[LANES], mask[LANES], out[LANES], width[LANES];
};

/* Outcomes are written downwards; at the start of their row the newest are moved to its end. */
struct l_tage_history {
	_Alignas(64) uint32_t outcomes[OUTCOMES], lengths[LANES]; /* length: by table */
	unsigned head, longest;
	struct l_tage_folds index, tag[2];
	/* By table, what the folds put into a place, and into a tag, twice. */
	_Alignas(64) uint32_t indexes[LANES], tags[LANES];
	uint32_t path[LANES]; /* by lane */
};

/* A conditional branch whose histories are known: in each table where to look, and what tag is wanted. */
struct l_tage_asked {
	_Alignas(64) uint32_t base_at[LANES], loop_at[LANES], places[TABLES][LANES], tags[TABLES][LANES];
	uint32_t step;
};

/* Of a table, what its places and tags are made with; index_mask and path_mask are those of an index times
 * PLACE_STEP. */
struct l_tage_table {
	_Alignas(64) uint32_t first[LANES], tag_mask[LANES];
	uint32_t turn, turn_back, log, pc_shift, index_mask, path_mask;
};

/* The tables lie one behind the other, an entry's lanes side by side. Most of what is looked at is tags, of which
 * two are in a word, the even lane's below; notes, apart from them, are four in a word: counter (0 to 7, 4 and
 * more is taken) | useful << 3. A place is that of a tag's word; the first stand for the base. */
struct l_tage {
	const struct ifr_tage_shape *shape;
	uint32_t *rows; /* by block and lane: the bits of the address that come in */
	uint32_t *base;
	uint32_t *tags, *notes;
	uint32_t starts[TABLES + 1]; /* places of the tables, and their end */
	struct l_tage_table tables[TABLES];
	struct l_tage_history history;
	struct l_tage_asked asked[BATCH];
	_Alignas(64) uint32_t use_alternate[LANES], random[LANES]; /* use_alternate: -8 to 7 */
	uint32_t ticks;
	bool uses_loop;
	struct lane_loops loops;
};

/* Where a lane's tag and its note begin in their words. */
static inline vec l_tage_tag_shift(void) {
	return vec_left(vec_and(vec_lanes(), vec_set(1)), 4);
}
static inline vec l_tage_note_shift(void) {
	return vec_left(vec_and(vec_lanes(), vec_set(3)), 3);
}
static inline vec l_tage_base_place(void) {
	return vec_right(vec_lanes(), 1);
}

/* Of a prediction, one a lane; taken as 0 or 1. The base has notes of the same sense. */
struct l_tage_said {
	vec pc, taken, provider_taken, alternate_taken;
	vec at, note, alternate_at, alternate_note;
	vec base_word, base_at, base_shift;
	vec_mask base, alternate_base; /* these are the base */
	vec_mask weak;                 /* the provider is new */
};

void IFR_VECTOR(loops_init)(struct lane_loops *loops);
/* What the loop predictors say and learn of a branch; at: where each lane's tags are, other: what is said without
 * them. Returns the lanes that were wrong, as bits. */
unsigned IFR_VECTOR(loops_run)(struct lane_loops *loops, const uint32_t *at, vec pc, vec other, bool taken);
void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_asked *asked, const struct l_tage_said *said);
/* Finds the places of at most BATCH conditional branches from first on. Sets count; returns where to go on. */
size_t IFR_VECTOR(l_tage_prepare)(struct l_tage *l, const struct ifr_branches *branches, const uint8_t *kinds,
                                  size_t first, size_t *count);

#endif
