/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which counter explains how much, when they move together. Ref: Wang and Jiménez 2011, section 6.1 and figure 6.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis_result.h"

enum { LAYOUTS_PER_COUNTER = 5, DRAWS = 500 };
static const uint64_t bootstrap_seed = 1;

/* The strongest regressions that are over the same layouts, as many as the layouts can bear. */
static void choose(const struct ifr_analysis *report, struct ifr_blame *blame) {
	size_t layouts = 0;
	for (size_t i = 0; i < report->regression_count; i++)
		layouts = report->regressions[i].count > layouts ? report->regressions[i].count : layouts;
	size_t most = layouts / LAYOUTS_PER_COUNTER < IFR_RELATIVE_IMPORTANCE_MAX ? layouts / LAYOUTS_PER_COUNTER
	                                                                          : IFR_RELATIVE_IMPORTANCE_MAX;
	for (size_t i = 0; i < report->regression_count && blame->count < most; i++)
		if (report->regressions[i].count == layouts)
			blame->regression[blame->count++] = i;
}

/* Leaves the last one out until the rest can be told apart: the first are the strongest. */
static int fit(const struct ifr_analysis *report, struct ifr_blame *blame, const double **x,
               struct ifr_error *err) {
	int result = -1;
	for (; blame->count >= 2 && result; blame->count -= result != 0) {
		const struct ifr_counter_regression *first = &report->regressions[blame->regression[0]];
		for (size_t i = 0; i < blame->count; i++)
			x[i] = report->regressions[blame->regression[i]].x;
		result = ifr_multiple_regression_fit(x, blame->count, first->y, first->count, true, &blame->model, err);
	}
	return result;
}

void ifr_blame_find(struct ifr_analysis *report) {
	struct ifr_blame *blame = &report->blame;
	const double *x[IFR_RELATIVE_IMPORTANCE_MAX];
	choose(report, blame);
	if (blame->count < 2) {
		ifr_fail(&blame->why_not, IFR_E_USAGE, "it takes two counters, and %d layouts for each",
		         LAYOUTS_PER_COUNTER);
		return;
	}
	if (fit(report, blame, x, &blame->why_not))
		return;
	const struct ifr_counter_regression *first = &report->regressions[blame->regression[0]];
	struct ifr_relative_importance shares = {blame->share, blame->interval, IFR_REPORT_CONFIDENCE,
	                                         DRAWS,        bootstrap_seed,  0};
	blame->known = true;
	if (ifr_relative_importance_estimate(x, blame->count, first->y, first->count, &shares, &blame->why_not)) {
		blame->known = false;
		ifr_multiple_regression_release(&blame->model);
		return;
	}
	blame->has_check = !ifr_residual_check(&blame->model, x, first->y, &blame->check, NULL);
}
