/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs by variant, and in the order of time without serial disturbances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/steps.h"

void ifr_runs_sort(struct ifr_analysis *analysis) {
	const struct ifr_dataset *dataset = analysis->dataset;
	size_t medians = IFR_REPETITION_SETS * dataset->counter_count * dataset->variant_count;
	analysis->counter_medians = ifr_alloc((medians + 1) * sizeof *analysis->counter_medians);
	for (size_t i = 0; i < medians; i++)
		analysis->counter_medians[i] = NAN;
	analysis->first = ifr_alloc((dataset->variant_count + 2) * sizeof *analysis->first);
	analysis->by_variant = ifr_alloc((dataset->run_count + 1) * sizeof *analysis->by_variant);
	/* Counting sort: the counts stand two places further on, so that filling in leaves every start in its
	 * place. */
	for (size_t i = 0; i < dataset->run_count; i++)
		analysis->first[dataset->runs[i].variant + 2]++;
	for (size_t v = 1; v <= dataset->variant_count; v++)
		analysis->first[v + 1] += analysis->first[v];
	for (size_t i = 0; i < dataset->run_count; i++)
		analysis->by_variant[analysis->first[dataset->runs[i].variant + 1]++] = i;
}

static bool counts(const struct ifr_analysis *analysis, size_t run) {
	const struct ifr_dataset *dataset = analysis->dataset;
	return !dataset->runs[run].refused && !dataset->variants[dataset->runs[run].variant].refused &&
	       isfinite(dataset->runs[run].value[analysis->metric_index]);
}

struct moment {
	int64_t started_ns;
	size_t run;
};

static int by_time(const void *a, const void *b) {
	const struct moment *first = a, *second = b;
	if (first->started_ns != second->started_ns)
		return first->started_ns < second->started_ns ? -1 : 1;
	return first->run < second->run ? -1 : 1;
}

/* Puts the runs that count in the order of time; returns their number, 0 where two started at the same time. */
static size_t order_by_time(const struct ifr_analysis *analysis, struct moment *moments) {
	size_t count = 0;
	for (size_t i = 0; i < analysis->dataset->run_count; i++)
		if (counts(analysis, i))
			moments[count++] = (struct moment){analysis->dataset->runs[i].started_ns, i};
	bool sorted = true; /* as recorded, unless runs were measured in parallel */
	for (size_t i = 1; i < count; i++)
		sorted &= by_time(&moments[i - 1], &moments[i]) < 0;
	if (!sorted)
		qsort(moments, count, sizeof *moments, by_time);
	for (size_t i = 1; i < count; i++)
		if (moments[i].started_ns == moments[i - 1].started_ns)
			return 0;
	return count;
}

/* Whether layouts ran in an order drawn anew for each round. Otherwise a run's neighbours are always the same
 * layouts, and their common deviation is not the machine's alone. */
static bool is_interleaved(const struct ifr_analysis *analysis, const struct moment *moments, size_t count) {
	const struct ifr_dataset_run *runs = analysis->dataset->runs;
	size_t variants = analysis->dataset->variant_count, alike = 0,
		   *follower = ifr_alloc(variants * sizeof *follower);
	for (size_t i = 1; i < count; i++) {
		size_t *known = &follower[runs[moments[i - 1].run].variant], next = runs[moments[i].run].variant + 1;
		alike += *known == next;
		*known = next;
	}
	free(follower);
	return variants < 3 || alike * 2 < count;
}

static void detrend_runs(struct ifr_analysis *analysis, const struct moment *moments, size_t count) {
	double *values = ifr_alloc(3 * count * sizeof *values), *detrended = values + count,
		   *winsorised = detrended + count;
	unsigned *group = ifr_alloc(count * sizeof *group);
	const struct ifr_series series = {values, group, count, analysis->dataset->variant_count, false};
	for (size_t i = 0; i < count; i++) {
		values[i] = analysis->detrended[moments[i].run];
		group[i] = analysis->dataset->runs[moments[i].run].variant;
	}
	if (!ifr_series_detrend(&series, detrended, winsorised, &analysis->disturbances, NULL))
		for (size_t i = 0; i < count; i++) {
			analysis->detrended[moments[i].run] = detrended[i];
			analysis->winsorised[moments[i].run] = winsorised[i];
		}
	free(group);
	free(values);
}

void ifr_runs_detrend(struct ifr_analysis *analysis) {
	size_t runs = analysis->dataset->run_count;
	struct moment *moments = ifr_alloc((runs + 1) * sizeof *moments);
	analysis->detrended = ifr_alloc((runs + 1) * sizeof *analysis->detrended);
	analysis->winsorised = ifr_alloc((runs + 1) * sizeof *analysis->winsorised);
	for (size_t i = 0; i < runs; i++)
		analysis->detrended[i] = analysis->winsorised[i] =
			counts(analysis, i) ? analysis->dataset->runs[i].value[analysis->metric_index] : NAN;
	ifr_machines_level(analysis, analysis->detrended);
	memcpy(analysis->winsorised, analysis->detrended, runs * sizeof *analysis->winsorised);
	/* Neighbours in time on several machines share no disturbance. */
	size_t count = analysis->machines.nodes > 1 ? 0 : order_by_time(analysis, moments);
	if (count && is_interleaved(analysis, moments, count))
		detrend_runs(analysis, moments, count);
	free(moments);
}
