/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts that a search may try: random ones, ones made from the recording's counts, and measured ones with changes. */
#ifndef IFR_HARNESS_CANDIDATES_H
#define IFR_HARNESS_CANDIDATES_H

#include "harness/design/design.h"
#include "harness/optimize/function_order.h"
#include "harness/optimize/surrogate.h"

/* Drawn; hot functions first; another layout with some functions moved, by expectation or as attribution proposes; with
 * loops aligned; or with another axis varied. */
enum candidate_origin {
	CANDIDATE_RANDOM,
	CANDIDATE_ORDERED,
	CANDIDATE_MOVED,
	CANDIDATE_BLAMED,
	CANDIDATE_ALIGNED,
	CANDIDATE_VARIED
};
extern const char *const candidate_origin_names[]; /* random, ordered, moved, blamed, aligned, varied */

struct candidate {
	struct ifr_plan plan;
	enum candidate_origin origin;
	double features[FEATURES_MOST];
	bool inexact;        /* the features are those of a layout with other code or data, and teach nothing */
	double expected, se; /* of the logarithm of the time, as the surrogate predicts it */
};

/* Where candidates come from. */
struct candidate_source {
	const struct ifr_relinker *relinker;
	const struct ifr_layout_generator *generator;
	const char *kit_key;
	const struct hot_code *code;
	const struct surrogate *surrogate; /* NULL: expected is 0 */
};

/* Fills features and expectation of a candidate whose plan is made. Errors: those of ifr_relinker_place. */
int candidate_evaluate(const struct candidate_source *source, struct candidate *candidate, struct ifr_error *err);

/* Makes the random layout of a number; features: [FEATURES_MOST] those that an earlier call computed, or NULL. The
 * caller releases it, as those below. */
int candidate_draw(const struct candidate_source *source, unsigned layout, const double *features,
                   struct candidate *candidate, struct ifr_error *err);

/* Distances of hot functions: as their alignments give them; expected to be fastest by the surrogate; with the fewest
 * windows of 64 bytes entered; with the fewest branches that interfere, being more than two in a line or alike in twelve
 * address bits; or with the fewest executions beyond six ways of a set. All but the first also choose the line of a page
 * at which the code begins, by the surrogate or by the sets. */
enum candidate_gaps {
	CANDIDATE_GAPS_NONE,
	CANDIDATE_GAPS_EXPECTED,
	CANDIDATE_GAPS_OF_WINDOWS,
	CANDIDATE_GAPS_OF_BRANCHES,
	CANDIDATE_GAPS_OF_SETS
};

/* Makes a layout of hot functions before all others, in the order of a rule, at these distances. number: of drawn
 * orders. */
int candidate_order(const struct candidate_source *source, enum function_rule rule, unsigned number,
                    enum candidate_gaps gaps, struct candidate *candidate, struct ifr_error *err);
void candidate_release(struct candidate *candidate);

#endif
