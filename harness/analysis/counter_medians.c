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
		/* A sweep's second look runs suspects in another hour: its runs say nothing of the others' counters. */
		bool counts = !run->refused && !run->twin && run->repetition < analysis->held_out &&
		              !dataset->variants[run->variant].refused && is_of(run, repetitions);
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
