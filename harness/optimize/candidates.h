/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts that a search may try: random ones, and ones made from the recording's counts. */
#ifndef IFR_HARNESS_CANDIDATES_H
#define IFR_HARNESS_CANDIDATES_H

#include "harness/design/design.h"
#include "harness/optimize/features.h"
#include "harness/optimize/function_order.h"
#include "harness/statistics/statistics.h"

enum candidate_origin { CANDIDATE_RANDOM, CANDIDATE_ORDERED };

struct candidate {
	struct ifr_plan plan;
	enum candidate_origin origin;
	double features[FEATURES_MOST];
	double expected, se; /* of the logarithm of the time, as the surrogate predicts it */
};

/* Where candidates come from. */
struct candidate_source {
	const struct ifr_relinker *relinker;
	const struct ifr_layout_generator *generator;
	const char *kit_key;
	const struct hot_code *code;
	const struct ifr_ridge *surrogate; /* of the features; NULL: expected is 0 */
};

/* Fills features and expectation of a candidate whose plan is made. Errors: those of ifr_relinker_place. */
int candidate_evaluate(const struct candidate_source *source, struct candidate *candidate, struct ifr_error *err);

/* Makes the random layout of a number; features: [features_count] those that an earlier call computed, or NULL. The
 * caller releases it, as those below. */
int candidate_draw(const struct candidate_source *source, unsigned layout, const double *features,
                   struct candidate *candidate, struct ifr_error *err);

enum candidate_gaps { CANDIDATE_GAPS_NONE, CANDIDATE_GAPS_CHOSEN };

/* Makes a layout of hot functions before all others, in the order of a rule. Each begins where its alignment allows, or
 * at the distance from the one before it that the surrogate expects to be fastest; without a surrogate, where the fewest
 * windows of 64 bytes are entered. number: of drawn orders. */
int candidate_order(const struct candidate_source *source, enum function_rule rule, unsigned number,
                    enum candidate_gaps gaps, struct candidate *candidate, struct ifr_error *err);
void candidate_release(struct candidate *candidate);

#endif
