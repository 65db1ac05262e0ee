/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regressions of the response on each counter, a point per layout.
 * Ref: Wang and Jiménez 2011, sections 4.5 to 6.2: medians of each counter, CPI against events per 1000
 * instructions, Student's t-test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/steps.h"

/* Indices of the counters that rates are computed from; -1 without that counter. */
struct rate_counters {
	int cycles, instructions;
};

static bool find_point(const struct ifr_analysis *analysis, const struct rate_counters *counters, size_t counter,
                       size_t variant, double *x, double *y) {
	double instructions = 0;
	size_t response = analysis->response_is_cpi ? (size_t)counters->cycles : analysis->metric_index;
	if (!ifr_counter_median(analysis, counter, variant, x) || !ifr_counter_median(analysis, response, variant, y))
		return false;
	if (!analysis->per_1000_instructions)
		return true;
	if (!ifr_counter_median(analysis, (size_t)counters->instructions, variant, &instructions) ||
	    !(instructions > 0))
		return false;
	*x *= 1000 / instructions;
	if (analysis->response_is_cpi)
		*y /= instructions;
	return true;
}

static void check_line(struct ifr_counter_regression *made) {
	const double *x = made->x;
	struct ifr_multiple_regression model;
	if (ifr_multiple_regression_fit(&x, 1, made->y, made->count, true, &model, NULL))
		return;
	made->has_check = !ifr_residual_check(&model, &x, made->y, &made->check, NULL);
	ifr_multiple_regression_release(&model);
}

/* Fits one counter. Returns false and keeps nothing where no line can be fitted. */
static bool fit_counter(const struct ifr_analysis *analysis, const struct rate_counters *counters, size_t counter,
                        struct ifr_counter_regression *regression) {
	struct ifr_counter_regression made = {.counter = &analysis->dataset->counters[counter]};
	made.x = ifr_alloc((analysis->layout_count + 1) * sizeof *made.x);
	made.y = ifr_alloc((analysis->layout_count + 1) * sizeof *made.y);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		size_t variant = (size_t)(analysis->layouts[i].variant - analysis->dataset->variants);
		double x, y;
		if (!find_point(analysis, counters, counter, variant, &x, &y))
			continue;
		if (&analysis->layouts[i] == analysis->shipped) {
			made.has_shipped = true;
			made.shipped_x = x;
			made.shipped_y = y;
			continue;
		}
		made.x[made.count] = x;
		made.y[made.count++] = y;
	}
	if (!ifr_regression_line_fit(made.x, made.y, made.count, &made.line, NULL)) {
		ifr_correlation_spearman(made.x, made.y, made.count, IFR_REPORT_CONFIDENCE, &made.spearman, NULL);
		ifr_regression_line_bands(&made.line, 0, IFR_REPORT_CONFIDENCE, &made.zero_mean, &made.zero_layout);
		check_line(&made);
		*regression = made;
		return true;
	}
	free(made.x);
	free(made.y);
	return false;
}

static int by_strength(const void *a, const void *b) {
	const struct ifr_counter_regression *first = a, *second = b;
	if (first->line.r2 != second->line.r2)
		return first->line.r2 > second->line.r2 ? -1 : 1;
	return strcmp(first->counter->name, second->counter->name);
}

static void adjust_p_values(struct ifr_analysis *analysis) {
	double *p = ifr_alloc((analysis->regression_count + 1) * sizeof *p);
	for (size_t i = 0; i < analysis->regression_count; i++)
		p[i] = analysis->regressions[i].line.p;
	ifr_p_adjust_holm(p, analysis->regression_count);
	for (size_t i = 0; i < analysis->regression_count; i++)
		analysis->regressions[i].p_adjusted = p[i];
	free(p);
}

void ifr_regressions_find(struct ifr_analysis *analysis) {
	const struct ifr_dataset *dataset = analysis->dataset;
	struct rate_counters counters = {ifr_event_counter(dataset, "cycles"),
	                                 ifr_event_counter(dataset, "instructions")};
	analysis->per_1000_instructions = counters.instructions >= 0;
	analysis->response_is_cpi = counters.cycles >= 0 && counters.instructions >= 0;
	analysis->regressions = ifr_alloc((dataset->counter_count + 1) * sizeof *analysis->regressions);
	for (size_t i = 0; i < dataset->counter_count; i++) {
		/* The response and its divisor do not explain the response. */
		bool itself = (i == analysis->metric_index && !analysis->response_is_cpi) || (int)i == counters.cycles ||
		              (int)i == counters.instructions;
		if (itself || !strcmp(dataset->counters[i].source, "clock"))
			continue;
		if (fit_counter(analysis, &counters, i, &analysis->regressions[analysis->regression_count]))
			analysis->regression_count++;
	}
	adjust_p_values(analysis);
	qsort(analysis->regressions, analysis->regression_count, sizeof *analysis->regressions, by_strength);
}
