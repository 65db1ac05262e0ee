/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts that a search may try: random ones, and ones made from the recording's counts. */
#ifndef IFR_HARNESS_CANDIDATES_H
#define IFR_HARNESS_CANDIDATES_H

#include "harness/design/design.h"
#include "harness/optimize/features.h"
#include "harness/statistics/statistics.h"

enum candidate_origin { CANDIDATE_RANDOM, CANDIDATE_CLUSTERED };

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

/* Makes a layout of hot functions before all others: callers beside callees, and each at the distance from the one before
 * it that the surrogate expects to be fastest; without a surrogate, where the fewest windows of 64 bytes are entered.
 * number 0 puts the densest cluster first; others draw an order of clusters. Ref: Ottoni and Maher 2017 (C3). */
int candidate_cluster(const struct candidate_source *source, unsigned number, struct candidate *candidate,
                      struct ifr_error *err);
void candidate_release(struct candidate *candidate);

#endif
