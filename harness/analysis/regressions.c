/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regressions of the response on each counter, a point per layout.
 * Ref: Wang and Jiménez 2011, sections 4.5 to 6.2: medians of each counter, CPI against events per 1000
 * instructions, Student's t-test. crossed_line.c takes noise out that the runs share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/crossed_line.h"
#include "harness/analysis/steps.h"

/* Indices of the counters that rates are computed from; -1 without that counter. */
struct rate_counters {
	int cycles, instructions;
};

static bool find_point(const struct ifr_analysis *analysis, const struct rate_counters *counters, size_t counter,
                       size_t variant, enum ifr_repetitions repetitions, double *x, double *y) {
	double instructions = 0;
	size_t response = analysis->response_is_cpi ? (size_t)counters->cycles : analysis->metric_index;
	if (!ifr_counter_median(analysis, counter, variant, repetitions, x) ||
	    !ifr_counter_median(analysis, response, variant, repetitions, y))
		return false;
	if (!analysis->per_1000_instructions)
		return true;
	if (!ifr_counter_median(analysis, (size_t)counters->instructions, variant, repetitions, &instructions) ||
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

static bool is_exact(const struct ifr_dataset_counter *counter) {
	return !strcmp(counter->source, "model");
}

/* Whether some run gave both. */
static bool share_runs(const struct ifr_dataset *dataset, size_t x, size_t y) {
	for (size_t i = 0; i < dataset->run_count; i++)
		if (isfinite(dataset->runs[i].value[x]) && isfinite(dataset->runs[i].value[y]))
			return true;
	return false;
}

/* Adds the halves of the layout that was added last; without one of them there are none at all. */
static void add_halves(const struct ifr_analysis *analysis, const struct rate_counters *counters, size_t counter,
                       size_t variant, struct ifr_counter_regression *made) {
	size_t at = made->count - 1;
	made->has_halves = made->has_halves &&
	                   find_point(analysis, counters, counter, variant, IFR_ODD_REPETITIONS,
	                              &made->halves[0][0][at], &made->halves[1][0][at]) &&
	                   find_point(analysis, counters, counter, variant, IFR_EVEN_REPETITIONS,
	                              &made->halves[0][1][at], &made->halves[1][1][at]);
}

/* A counter from the model has one value for a layout and no halves. */
static void fit_line(const struct ifr_analysis *analysis, const struct rate_counters *counters, size_t counter,
                     struct ifr_counter_regression *made) {
	const struct ifr_dataset *dataset = analysis->dataset;
	size_t response = analysis->response_is_cpi ? (size_t)counters->cycles : analysis->metric_index;
	bool exact = is_exact(&dataset->counters[counter]) || is_exact(&dataset->counters[response]);
	if (!exact && made->has_halves)
		crossed_line_fit(made);
	else if (!exact && share_runs(dataset, counter, response))
		made->crossing = IFR_CROSSING_IMPOSSIBLE;
	ifr_regression_line_bands(&made->line, 0, IFR_REPORT_CONFIDENCE, &made->zero_mean, &made->zero_layout);
}

static void release(struct ifr_counter_regression *made) {
	free(made->x);
	free(made->y);
	for (int i = 0; i < 4; i++)
		free(made->halves[i / 2][i % 2]);
}

/* Fits one counter. Returns false and keeps nothing where no line can be fitted. */
static bool fit_counter(const struct ifr_analysis *analysis, const struct rate_counters *counters, size_t counter,
                        struct ifr_counter_regression *regression) {
	struct ifr_counter_regression made = {.counter = &analysis->dataset->counters[counter], .has_halves = true};
	made.x = ifr_alloc((analysis->layout_count + 1) * sizeof *made.x);
	made.y = ifr_alloc((analysis->layout_count + 1) * sizeof *made.y);
	for (int i = 0; i < 4; i++)
		made.halves[i / 2][i % 2] = ifr_alloc((analysis->layout_count + 1) * sizeof *made.x);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		size_t variant = (size_t)(analysis->layouts[i].variant - analysis->dataset->variants);
		double x, y;
		if (!find_point(analysis, counters, counter, variant, IFR_ALL_REPETITIONS, &x, &y))
			continue;
		if (&analysis->layouts[i] == analysis->shipped) {
			made.has_shipped = true;
			made.shipped_x = x;
			made.shipped_y = y;
			continue;
		}
		made.x[made.count] = x;
		made.y[made.count++] = y;
		add_halves(analysis, counters, counter, variant, &made);
	}
	if (ifr_regression_line_fit(made.x, made.y, made.count, &made.line, NULL)) {
		release(&made);
		return false;
	}
	plain_line_finish(&made);
	fit_line(analysis, counters, counter, &made);
	check_line(&made);
	*regression = made;
	return true;
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
		if (itself || !strcmp(dataset->counters[i].source, "clock") ||
		    ifr_counter_is_figure(&dataset->counters[i]))
			continue;
		if (fit_counter(analysis, &counters, i, &analysis->regressions[analysis->regression_count]))
			analysis->regression_count++;
	}
	adjust_p_values(analysis);
	qsort(analysis->regressions, analysis->regression_count, sizeof *analysis->regressions, by_strength);
}
