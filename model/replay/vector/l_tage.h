/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sixteen lanes of L-TAGE: model/predictors/l_tage.c, tage.c and loop.c, which say what it is. The outcomes are
 * the same in all lanes, and so are their folds; a lane has its own addresses, and its path, a bit of each
 * address. */
#ifndef INTERFERO_MODEL_VECTOR_L_TAGE_H
#define INTERFERO_MODEL_VECTOR_L_TAGE_H

#include "model/predictors/loop.h"
#include "model/predictors/tage.h"
#include "model/replay/vector/bundle.h"

#define TABLES IFR_TAGE_TABLES

/* Of loops, what tells the lanes that know a branch: the tags of each set's four entries, two a word. */
struct lane_loops {
	struct ifr_loop loops[LANES];
	uint32_t tags[2][16 * LANES];
};

/* An entry is a word: tag | counter << 16 (0 to 7, 4 and more is taken) | useful << 24. Those of the lanes lie
 * side by side; the base is as in counters.c. */
struct l_tage {
	const struct ifr_tage_shape *shape;
	uint32_t *rows; /* by block and lane: the bits of the address that come in */
	uint32_t *base, *tables[TABLES];
	struct ifr_fold index_folds[TABLES], tag_folds[2][TABLES];
	unsigned turns[TABLES];
	uint32_t path_masks[TABLES];
	uint8_t ring[IFR_TAGE_RING];
	unsigned head;
	uint32_t path[LANES], use_alternate[LANES], random[LANES]; /* use_alternate: -8 to 7 */
	uint32_t ticks;
	bool uses_loop;
	struct lane_loops loops;
};

/* Of a prediction, one a lane; taken as 0 or 1, tables as -1 for the base. */
struct l_tage_said {
	vec pc, taken, provider_taken, alternate_taken;
	vec word, at, table;                               /* of the provider */
	vec alternate_word, alternate_at, alternate_table; /* of the alternate */
	vec base_word, base_at, base_shift;
	vec_mask weak;                    /* the provider is new */
	vec places[TABLES], tags[TABLES]; /* in each table: where, and what tag is wanted */
	unsigned knows;                   /* lanes whose loop predictor has the branch, as bits */
	unsigned final;                   /* lanes that say taken, with the loop predictor's word */
};

void IFR_VECTOR(loops_init)(struct lane_loops *loops);
/* Sets knows and final. */
void IFR_VECTOR(loops_predict)(struct lane_loops *loops, struct l_tage_said *said);
/* missed: lanes whose final word was wrong. */
void IFR_VECTOR(loops_train)(struct lane_loops *loops, const struct l_tage_said *said, bool taken,
                             unsigned missed);
void IFR_VECTOR(l_tage_train)(struct l_tage *l, const struct l_tage_said *said, uint32_t taken);

#endif
