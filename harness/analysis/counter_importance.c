/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative importance (LMG) of counters that are correlated with each other. Ref: Wang and Jiménez 2011, section
 * 6.1 and figure 6; Lindeman, Merenda and Gold 1980. */
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/steps.h"

enum { LAYOUTS_PER_COUNTER = 5, DRAWS = 500 };
static const uint64_t bootstrap_seed = 1;

/* Takes the strongest regressions over the same layouts, a counter for every LAYOUTS_PER_COUNTER layouts. */
static void choose_counters(const struct ifr_analysis *analysis, struct ifr_counter_importance *importance) {
	size_t layouts = 0;
	for (size_t i = 0; i < analysis->regression_count; i++)
		layouts = analysis->regressions[i].count > layouts ? analysis->regressions[i].count : layouts;
	size_t most = layouts / LAYOUTS_PER_COUNTER < IFR_RELATIVE_IMPORTANCE_MAX ? layouts / LAYOUTS_PER_COUNTER
	                                                                          : IFR_RELATIVE_IMPORTANCE_MAX;
	for (size_t i = 0; i < analysis->regression_count && importance->count < most; i++)
		if (analysis->regressions[i].count == layouts)
			importance->regression[importance->count++] = i;
}

/* Fits all counters, and drops the weakest until the rest are not collinear. */
static int fit_counters(const struct ifr_analysis *analysis, struct ifr_counter_importance *importance,
                        const double **x, struct ifr_error *err) {
	int result = -1;
	for (; importance->count >= 2 && result; importance->count -= result != 0) {
		const struct ifr_counter_regression *first = &analysis->regressions[importance->regression[0]];
		for (size_t i = 0; i < importance->count; i++)
			x[i] = analysis->regressions[importance->regression[i]].x;
		result = ifr_multiple_regression_fit(x, importance->count, first->y, first->count, true,
		                                     &importance->model, err);
	}
	return result;
}

void ifr_importance_find(struct ifr_analysis *analysis) {
	struct ifr_counter_importance *importance = &analysis->importance;
	const double *x[IFR_RELATIVE_IMPORTANCE_MAX];
	choose_counters(analysis, importance);
	if (importance->count < 2) {
		ifr_fail(&importance->why_not, IFR_E_USAGE,
		         "relative importance takes two counters, and %d layouts for each", LAYOUTS_PER_COUNTER);
		return;
	}
	if (fit_counters(analysis, importance, x, &importance->why_not))
		return;
	const struct ifr_counter_regression *first = &analysis->regressions[importance->regression[0]];
	struct ifr_relative_importance shares = {
		importance->relative, importance->interval, IFR_REPORT_CONFIDENCE, DRAWS, bootstrap_seed, 0};
	importance->known = true;
	if (ifr_relative_importance_estimate(x, importance->count, first->y, first->count, &shares,
	                                     &importance->why_not)) {
		importance->known = false;
		ifr_multiple_regression_release(&importance->model);
		return;
	}
	importance->has_check = !ifr_residual_check(&importance->model, x, first->y, &importance->check, NULL);
}
