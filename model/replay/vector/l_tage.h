/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of L-TAGE: model/predictors/l_tage.c, tage.c and loop.c, which say what it is. The outcomes are
 * the same in all lanes, and so are their folds; a lane has its own addresses, and its path, a bit of each
 * address. Outcomes are known before anything is predicted: so of a batch of branches all places in the tables are
 * found first. */
#ifndef INTERFERO_MODEL_VECTOR_L_TAGE_H
#define INTERFERO_MODEL_VECTOR_L_TAGE_H

#include "model/predictors/loop.h"
#include "model/predictors/tage.h"
#include "model/replay/vector/bundle.h"

#define TABLES IFR_TAGE_TABLES
#define BATCH 4
#define OUTCOMES 2048 /* kept in a row: more than the longest history */

/* Of loops, what tells the lanes that know a branch: the tags of each set's four entries, two a word. */
struct lane_loops {
	struct ifr_loop loops[LANES];
	uint32_t tags[2][16 * LANES];
};

/* struct ifr_fold, of each table. */
struct l_tage_folds {
	uint32_t value[LANES], mask[LANES], out[LANES], width[LANES];
};

/* Outcomes are written downwards; at the start of their row the newest are moved to its end. */
struct l_tage_history {
	uint32_t outcomes[OUTCOMES], lengths[LANES]; /* length: by table */
	unsigned head, longest;
	struct l_tage_folds index, tag[2];
	uint32_t path[LANES]; /* by lane */
};

/* A conditional branch whose histories are known: in each table where to look, and what tag is wanted. */
struct l_tage_asked {
	uint32_t step;
	uint32_t base_at[LANES], loop_at[LANES], places[TABLES][LANES], tags[TABLES][LANES];
};

/* An entry is a word: tag | counter << 16 (0 to 7, 4 and more is taken) | useful << 24. Those of the lanes lie
 * side by side; the base is as in counters.c. */
struct l_tage {
	const struct ifr_tage_shape *shape;
	uint32_t *rows; /* by block and lane: the bits of the address that come in */
	uint32_t *base, *tables[TABLES];
	struct l_tage_history history;
	struct l_tage_asked asked[BATCH];
	unsigned turns[TABLES];
	uint32_t path_masks[TABLES];
	uint32_t use_alternate[LANES], random[LANES]; /* use_alternate: -8 to 7 */
	uint32_t ticks;
	bool uses_loop;
	struct lane_loops loops;
};

/* Of a prediction, one a lane; taken as 0 or 1. A word is as of an entry, but for the tag there is the table,
 * counted from 1. 0 is the base, whose counter comes as a table's of the same sense. */
struct l_tage_said {
	vec pc, taken, provider_taken, alternate_taken;
	vec word, alternate_word;
	vec base_word, base_at, base_shift;
	vec_mask weak;  /* the provider is new */
	unsigned knows; /* lanes whose loop predictor has the branch, as bits */
	unsigned final; /* lanes that say taken, with the loop predictor's word */
};

void IFR_VECTOR(loops_init)(struct lane_loops *loops);
/* Sets knows and final. at: where each lane's tags are. */
void IFR_VECTOR(loops_predict)(struct lane_loops *loops, const uint32_t *at, struct l_tage_said *said);
/* missed: lanes whose final word was wrong. */
void IFR_VECTOR(loops_train)(struct lane_loops *loops, const struct l_tage_said *said, bool taken,
                             unsigned missed);
void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_asked *asked, const struct l_tage_said *said);
/* Finds the places of at most BATCH conditional branches from first on. Sets count; returns where to go on. */
size_t IFR_VECTOR(l_tage_prepare)(struct l_tage *l, const struct ifr_branches *branches, const uint8_t *kinds,
                                  size_t first, size_t *count);

#endif
