/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which counters go along with the response, layout by layout.
 * Ref: Wang and Jiménez 2011, sections 4.5 to 6.2: medians of each counter, CPI against events per 1000
 * instructions, Student's t-test. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis_result.h"

/* What a layout's point is made of: -1 where a counter is not there. */
struct recipe {
	int cycles, instructions;
};

int ifr_event_counter(const struct ifr_dataset *dataset, const char *name) {
	for (size_t i = 0; i < dataset->counter_count; i++)
		if (!strcmp(dataset->counters[i].name, name) && strcmp(dataset->counters[i].source, "clock"))
			return (int)i;
	return -1;
}

static bool point(const struct ifr_analysis *report, const struct recipe *recipe, size_t counter, size_t variant,
                  double *x, double *y) {
	double instructions = 0;
	size_t response = report->response_is_cpi ? (size_t)recipe->cycles : report->metric_index;
	if (!ifr_counter_median(report, counter, variant, x) || !ifr_counter_median(report, response, variant, y))
		return false;
	if (!report->per_1000_instructions)
		return true;
	if (!ifr_counter_median(report, (size_t)recipe->instructions, variant, &instructions) || !(instructions > 0))
		return false;
	*x *= 1000 / instructions;
	if (report->response_is_cpi)
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

/* Returns false, with nothing kept, where there is no line to draw. */
static bool regress(const struct ifr_analysis *report, const struct recipe *recipe, size_t counter,
                    struct ifr_counter_regression *regression) {
	struct ifr_counter_regression made = {.counter = &report->dataset->counters[counter]};
	made.x = ifr_alloc((report->layout_count + 1) * sizeof *made.x);
	made.y = ifr_alloc((report->layout_count + 1) * sizeof *made.y);
	for (size_t i = 0; i < report->layout_count; i++) {
		size_t variant = (size_t)(report->layouts[i].variant - report->dataset->variants);
		double x, y;
		if (!point(report, recipe, counter, variant, &x, &y))
			continue;
		if (&report->layouts[i] == report->shipped) {
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

static void adjust(struct ifr_analysis *report) {
	double *p = ifr_alloc((report->regression_count + 1) * sizeof *p);
	for (size_t i = 0; i < report->regression_count; i++)
		p[i] = report->regressions[i].line.p;
	ifr_p_adjust_holm(p, report->regression_count);
	for (size_t i = 0; i < report->regression_count; i++)
		report->regressions[i].p_adjusted = p[i];
	free(p);
}

void ifr_regressions_find(struct ifr_analysis *report) {
	const struct ifr_dataset *dataset = report->dataset;
	struct recipe recipe = {ifr_event_counter(dataset, "cycles"), ifr_event_counter(dataset, "instructions")};
	report->per_1000_instructions = recipe.instructions >= 0;
	report->response_is_cpi = recipe.cycles >= 0 && recipe.instructions >= 0;
	report->regressions = ifr_alloc((dataset->counter_count + 1) * sizeof *report->regressions);
	for (size_t i = 0; i < dataset->counter_count; i++) {
		/* A thing is not explained by itself, nor by what it is divided by. */
		bool itself = (i == report->metric_index && !report->response_is_cpi) || (int)i == recipe.cycles ||
		              (int)i == recipe.instructions;
		if (itself || !strcmp(dataset->counters[i].source, "clock"))
			continue;
		if (regress(report, &recipe, i, &report->regressions[report->regression_count]))
			report->regression_count++;
	}
	adjust(report);
	qsort(report->regressions, report->regression_count, sizeof *report->regressions, by_strength);
}
