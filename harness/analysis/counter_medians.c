/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians of counters over the runs of each variant, computed when they are first needed. */
#include <math.h>
#include <stdlib.h>

#include "harness/analysis/steps.h"

/* Counters whose values are gathered in one pass: those of a run lie side by side, the runs all over memory. */
enum { TOGETHER = 5 };

static bool is_of(const struct ifr_dataset_run *run, enum ifr_repetitions repetitions) {
	return repetitions == IFR_ALL_REPETITIONS ||
	       (run->repetition % 2 == 0) == (repetitions == IFR_EVEN_REPETITIONS);
}

/* Where the medians of a counter stand, by variant. */
static double *medians_of(const struct ifr_analysis *analysis, size_t counter, enum ifr_repetitions repetitions) {
	const struct ifr_dataset *dataset = analysis->dataset;
	return analysis->counter_medians + (repetitions * dataset->counter_count + counter) * dataset->variant_count;
}

/* Whether a run counts. A sweep's second look runs suspects in another hour: its runs say nothing of the others'
 * counters. */
static bool counts_in(const struct ifr_analysis *analysis, const struct ifr_dataset_run *run,
                      enum ifr_repetitions repetitions) {
	return !run->refused && !run->twin && run->repetition < analysis->held_out &&
	       !analysis->dataset->variants[run->variant].refused && is_of(run, repetitions);
}

/* --- the run of median metric ------------------------------------------------------------------------------------ */

struct pair {
	double metric, value;
};

static int by_metric(const void *a, const void *b) {
	const struct pair *x = a, *y = b;
	return (x->metric > y->metric) - (x->metric < y->metric);
}

/* Puts a counter's values in the runs of median metric, the lower one of two, in place of medians. A variant none of
 * whose runs has both, as of the model's counters, keeps its median.
 * Ref: Wang and Jiménez 2011, section 5.5. */
static void take_median_runs(const struct ifr_analysis *analysis, size_t counter,
                             enum ifr_repetitions repetitions) {
	const struct ifr_dataset *dataset = analysis->dataset;
	struct pair *pairs = ifr_alloc((dataset->run_count + 1) * sizeof *pairs);
	size_t *end = ifr_alloc((dataset->variant_count + 1) * sizeof *end);
	for (size_t i = 0; i < dataset->variant_count; i++)
		end[i] = analysis->first[i];
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const double metric = analysis->detrended[i],
					 value = counter == analysis->metric_index ? metric : run->value[counter];
		if (counts_in(analysis, run, repetitions) && isfinite(metric) && isfinite(value))
			pairs[end[run->variant]++] = (struct pair){metric, value};
	}
	for (size_t i = 0; i < dataset->variant_count; i++) {
		struct pair *own = pairs + analysis->first[i];
		const size_t count = end[i] - analysis->first[i];
		if (!count)
			continue;
		qsort(own, count, sizeof *own, by_metric);
		medians_of(analysis, counter, repetitions)[i] = own[(count - 1) / 2].value;
	}
	free(end);
	free(pairs);
}

/* --- medians ----------------------------------------------------------------------------------------------------- */

/* The medians of some counters in all variants. */
static void find_medians(const struct ifr_analysis *analysis, size_t first, size_t count,
                         enum ifr_repetitions repetitions) {
	const struct ifr_dataset *dataset = analysis->dataset;
	const size_t runs = dataset->run_count, variants = dataset->variant_count;
	double *values = ifr_alloc((count * runs + 1) * sizeof *values);
	size_t *end = ifr_alloc((count * variants + 1) * sizeof *end);
	for (size_t i = 0; i < count * variants; i++)
		end[i] = i / variants * runs + analysis->first[i % variants];
	for (size_t i = 0; i < runs; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const bool counts = counts_in(analysis, run, repetitions);
		for (size_t j = 0; j < count && counts; j++) {
			double value = first + j == analysis->metric_index ? analysis->detrended[i] : run->value[first + j];
			if (isfinite(value))
				values[end[j * variants + run->variant]++] = value;
		}
	}
	for (size_t i = 0; i < count * variants; i++) {
		double *median = medians_of(analysis, first, repetitions) + i;
		const size_t start = i / variants * runs + analysis->first[i % variants];
		if (ifr_sample_median(values + start, end[i] - start, median, NULL))
			*median = INFINITY;
	}
	for (size_t j = 0; j < count && dataset->median_runs; j++)
		take_median_runs(analysis, first + j, repetitions);
	free(end);
	free(values);
}

bool ifr_counter_median(const struct ifr_analysis *analysis, size_t counter, size_t variant,
                        enum ifr_repetitions repetitions, double *median) {
	const double *known = medians_of(analysis, counter, repetitions) + variant;
	const size_t first = counter / TOGETHER * TOGETHER, rest = analysis->dataset->counter_count - first;
	if (isnan(*known))
		find_medians(analysis, first, rest < TOGETHER ? rest : TOGETHER, repetitions);
	*median = *known;
	return isfinite(*known);
}
