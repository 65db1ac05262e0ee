/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative importance (LMG) of counters that are correlated with each other.
 *
 * The counters are chosen by their strength, so that an F test of the chosen ones finds something in half of the
 * experiments in which there is nothing. A permutation test repeats the choice; nothing is divided among counters
 * unless it finds a relation. Ref: Wang and Jiménez 2011, section 6.1 and figure 6; Lindeman, Merenda and Gold 1980;
 * harness/statistics/selection_test.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/analysis/steps.h"

enum { LAYOUTS_PER_COUNTER = 5, DRAWS = 500, PERMUTATIONS = 999 };
static const uint64_t bootstrap_seed = 1, permutation_seed = 1;

/* The data of the test: the candidates over the same layouts, in both halves where lines are crossed. */
struct candidate_data {
	size_t count, layouts, most; /* candidates; layouts; counters that the regression may have */
	bool crossed;
	const double **x[2], *y[2]; /* [count] of x and y of unlike halves; without crossing only the first */
};

static void drop(struct ifr_counter_importance *importance, size_t regression, enum ifr_dropping why) {
	importance->dropped[importance->dropped_count++] = (struct ifr_dropped_counter){regression, why};
}

/* Takes the strongest regressions over the same layouts, a counter for every LAYOUTS_PER_COUNTER layouts. */
static void choose_counters(const struct ifr_analysis *analysis, struct candidate_data *data,
                            struct ifr_counter_importance *importance) {
	for (size_t i = 0; i < analysis->regression_count; i++)
		data->layouts =
			analysis->regressions[i].count > data->layouts ? analysis->regressions[i].count : data->layouts;
	data->most = data->layouts / LAYOUTS_PER_COUNTER < IFR_RELATIVE_IMPORTANCE_MAX
	                 ? data->layouts / LAYOUTS_PER_COUNTER
	                 : IFR_RELATIVE_IMPORTANCE_MAX;
	for (size_t i = 0; i < analysis->regression_count; i++) {
		if (analysis->regressions[i].count < data->layouts)
			drop(importance, i, IFR_DROPPED_LAYOUTS);
		else if (importance->count == data->most)
			drop(importance, i, IFR_DROPPED_WEAK);
		else
			importance->regression[importance->count++] = i;
		data->count += analysis->regressions[i].count == data->layouts;
	}
	importance->candidates = data->count;
}

/* Lines are crossed together: where one cannot be, though its runs are shared, none is. */
static void find_halves(const struct ifr_analysis *analysis, struct candidate_data *data) {
	bool impossible = false;
	for (size_t i = 0; i < analysis->regression_count; i++) {
		const struct ifr_counter_regression *r = &analysis->regressions[i];
		bool candidate = r->count == data->layouts;
		impossible |= candidate && r->crossing == IFR_CROSSING_IMPOSSIBLE;
		if (!candidate || r->crossing != IFR_CROSSING_DONE)
			continue;
		data->crossed = true;
		data->y[0] = r->halves[1][1];
		data->y[1] = r->halves[1][0];
	}
	data->crossed &= !impossible;
	size_t at = 0;
	for (size_t i = 0; i < analysis->regression_count; i++) {
		const struct ifr_counter_regression *r = &analysis->regressions[i];
		if (r->count < data->layouts)
			continue;
		bool halves = data->crossed && r->crossing == IFR_CROSSING_DONE;
		for (int half = 0; half < 2; half++)
			data->x[half][at] = halves ? r->halves[0][half] : r->x;
		if (!data->crossed)
			data->y[0] = r->y;
		at++;
	}
}

/* Stores p: twice the smaller one of both crossings. */
static int test_choice(const struct candidate_data *data, double *p, struct ifr_error *err) {
	double each[2] = {1, 1};
	int result = 0;
	for (int half = 0; half < 1 + data->crossed && !result; half++)
		result = ifr_selection_test(data->x[half], data->count, data->most, data->y[half], data->layouts,
		                            PERMUTATIONS, permutation_seed, &each[half], err);
	*p = data->crossed ? fmin(1, 2 * fmin(each[0], each[1])) : each[0];
	return result;
}

/* The values of a chosen counter that the regression takes. */
static const double *values_of(const struct ifr_analysis *analysis, const struct candidate_data *data, size_t i,
                               int half) {
	const struct ifr_counter_regression *r = &analysis->regressions[analysis->importance.regression[i]];
	return data->crossed && r->crossing == IFR_CROSSING_DONE ? r->halves[0][half] : r->x;
}

/* Fits all chosen counters, and drops the weakest until the rest are not collinear. */
static int fit_counters(const struct ifr_analysis *analysis, const struct candidate_data *data,
                        struct ifr_counter_importance *importance, const double **x, struct ifr_error *err) {
	int result = -1;
	while (importance->count >= 2 && result) {
		for (size_t i = 0; i < importance->count; i++)
			x[i] = values_of(analysis, data, i, 0);
		result = ifr_multiple_regression_fit(x, importance->count, data->y[0], data->layouts, true,
		                                     &importance->model, err);
		if (result)
			drop(importance, importance->regression[--importance->count], IFR_DROPPED_COLLINEAR);
	}
	return result;
}

static void find_partial_slopes(const struct ifr_analysis *analysis, const struct candidate_data *data,
                                struct ifr_counter_importance *importance) {
	struct ifr_halves x[IFR_RELATIVE_IMPORTANCE_MAX], y = {data->y[1], data->y[0]};
	if (!data->crossed)
		return;
	for (size_t i = 0; i < importance->count; i++)
		x[i] = (struct ifr_halves){values_of(analysis, data, i, 0), values_of(analysis, data, i, 1)};
	importance->has_slopes = !ifr_crossed_regression_fit(x, importance->count, &y, data->layouts,
	                                                     IFR_REPORT_CONFIDENCE, &importance->partial, NULL);
}

static void divide(const struct ifr_analysis *analysis, const struct candidate_data *data,
                   struct ifr_counter_importance *importance) {
	const double *x[IFR_RELATIVE_IMPORTANCE_MAX];
	struct ifr_relative_importance shares = {
		importance->relative, importance->interval, IFR_REPORT_CONFIDENCE, DRAWS, bootstrap_seed, 0};
	if (fit_counters(analysis, data, importance, x, &importance->why_not))
		return;
	importance->known = !ifr_relative_importance_estimate(x, importance->count, data->y[0], data->layouts, &shares,
	                                                      &importance->why_not);
	if (!importance->known) {
		ifr_multiple_regression_release(&importance->model);
		return;
	}
	find_partial_slopes(analysis, data, importance);
	importance->has_check = !ifr_residual_check(&importance->model, x, data->y[0], &importance->check, NULL);
}

void ifr_importance_find(struct ifr_analysis *analysis) {
	struct ifr_counter_importance *importance = &analysis->importance;
	struct candidate_data data = {0};
	importance->dropped = ifr_alloc((analysis->regression_count + 1) * sizeof *importance->dropped);
	choose_counters(analysis, &data, importance);
	if (importance->count < 2) {
		ifr_fail(&importance->why_not, IFR_E_USAGE,
		         "relative importance takes two counters, and %d layouts for each", LAYOUTS_PER_COUNTER);
		return;
	}
	for (int half = 0; half < 2; half++)
		data.x[half] = ifr_alloc((data.count + 1) * sizeof *data.x[half]);
	find_halves(analysis, &data);
	importance->tested = !test_choice(&data, &importance->p, &importance->why_not);
	if (importance->tested && importance->p < IFR_REPORT_LEVEL)
		divide(analysis, &data, importance);
	else if (importance->tested)
		ifr_fail(&importance->why_not, IFR_E_USAGE,
		         "a permutation test finds no relation of %zu counters together with the layouts (p = %.2g)",
		         data.count, importance->p);
	for (int half = 0; half < 2; half++)
		free(data.x[half]);
}
