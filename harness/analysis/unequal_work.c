/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of one layout that execute different numbers of instructions.
 *
 * The processor counts instructions in user mode nearly without noise: programs with fixed work repeat within some
 * hundredths of a percent, whatever disturbs the machine. A program that chooses its iterations by the time that they
 * take does not. Processor time is no such evidence: fixed work varies by tens of percent on a disturbed machine.
 * Ref: Weaver, Terpstra and Moore 2013 (non-determinism and overcount). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "harness/analysis/analysis.h"

enum { RUNS_LEAST = 3, LAYOUTS_LEAST = 2 };
static const double unequal_share = 0.01;

static int find_instructions(const struct ifr_dataset *dataset) {
	static const char *const names[] = {"instructions", "instructions:u"};
	for (size_t i = 0; i < dataset->counter_count; i++)
		for (size_t j = 0; j < sizeof names / sizeof *names; j++)
			if (!strcmp(dataset->counters[i].name, names[j]) && strcmp(dataset->counters[i].source, "model"))
				return (int)i;
	return -1;
}

/* The relative standard deviation of a layout's runs; NaN for too few of them. */
static double spread_of(const struct ifr_dataset *dataset, size_t variant, size_t counter, double *values) {
	size_t count = 0;
	double mean, sd;
	for (size_t i = 0; i < dataset->run_count; i++)
		if (dataset->runs[i].variant == variant && !dataset->runs[i].refused &&
		    isfinite(dataset->runs[i].value[counter]))
			values[count++] = dataset->runs[i].value[counter];
	if (count < RUNS_LEAST || ifr_sample_moments(values, count, &mean, &sd, NULL) || !(mean > 0))
		return NAN;
	return sd / mean;
}

bool ifr_work_is_unequal(const struct ifr_dataset *dataset, double *share) {
	const int counter = find_instructions(dataset);
	double *values = ifr_alloc((dataset->run_count + 1) * sizeof *values),
		   *spreads = ifr_alloc((dataset->variant_count + 1) * sizeof *spreads);
	size_t count = 0;
	*share = 0;
	for (size_t i = 0; i < dataset->variant_count && counter >= 0; i++) {
		const double spread = dataset->variants[i].refused ? NAN : spread_of(dataset, i, (size_t)counter, values);
		if (isfinite(spread))
			spreads[count++] = spread;
	}
	/* The median layout: one odd run is not the program's way. */
	if (count >= LAYOUTS_LEAST)
		ifr_sample_median(spreads, count, share, NULL);
	free(spreads);
	free(values);
	return *share > unequal_share;
}

bool ifr_work_is_adaptive(const struct ifr_dataset *dataset, const struct ifr_dataset_counter *metric) {
	const char *iterations = ifr_dataset_fact(dataset, "own iterations");
	double share;
	/* Figures for one iteration or one pass, and the model's recording, do not depend on how many there are. */
	if (strcmp(metric->source, "clock") != 0 && strcmp(metric->source, "perf") != 0)
		return false;
	return (iterations && ifr_starts_with(iterations, IFR_WORK_ADAPTIVE)) || ifr_work_is_unequal(dataset, &share);
}
