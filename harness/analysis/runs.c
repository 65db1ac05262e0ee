/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs count, by variant and in the order of time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis_result.h"

void ifr_runs_sort(struct ifr_analysis *report) {
	const struct ifr_dataset *dataset = report->dataset;
	size_t medians = dataset->counter_count * dataset->variant_count;
	report->counter_medians = ifr_alloc((medians + 1) * sizeof *report->counter_medians);
	for (size_t i = 0; i < medians; i++)
		report->counter_medians[i] = NAN;
	report->first = ifr_alloc((dataset->variant_count + 2) * sizeof *report->first);
	report->by_variant = ifr_alloc((dataset->run_count + 1) * sizeof *report->by_variant);
	/* The counts stand two places further on, so that putting the runs in leaves every beginning in its own. */
	for (size_t i = 0; i < dataset->run_count; i++)
		report->first[dataset->runs[i].variant + 2]++;
	for (size_t v = 1; v <= dataset->variant_count; v++)
		report->first[v + 1] += report->first[v];
	for (size_t i = 0; i < dataset->run_count; i++)
		report->by_variant[report->first[dataset->runs[i].variant + 1]++] = i;
}

static bool counts(const struct ifr_analysis *report, size_t run) {
	const struct ifr_dataset *dataset = report->dataset;
	return !dataset->runs[run].refused && !dataset->variants[dataset->runs[run].variant].refused &&
	       isfinite(dataset->runs[run].value[report->metric_index]);
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

/* The runs that count in the order of time; returns their number, 0 where the times do not tell. */
static size_t order_by_time(const struct ifr_analysis *report, struct moment *moments) {
	size_t count = 0;
	for (size_t i = 0; i < report->dataset->run_count; i++)
		if (counts(report, i))
			moments[count++] = (struct moment){report->dataset->runs[i].started_ns, i};
	bool sorted = true; /* as they are, unless several measured at once */
	for (size_t i = 1; i < count; i++)
		sorted &= by_time(&moments[i - 1], &moments[i]) < 0;
	if (!sorted)
		qsort(moments, count, sizeof *moments, by_time);
	for (size_t i = 1; i < count; i++)
		if (moments[i].started_ns == moments[i - 1].started_ns)
			return 0;
	return count;
}

/* Layouts that run in the same order in every round, or each in a row, have no neighbours that could speak for the
 * machine alone. */
static bool is_interleaved(const struct ifr_analysis *report, const struct moment *moments, size_t count) {
	const struct ifr_dataset_run *runs = report->dataset->runs;
	size_t variants = report->dataset->variant_count, alike = 0,
		   *follower = ifr_alloc(variants * sizeof *follower);
	for (size_t i = 1; i < count; i++) {
		size_t *known = &follower[runs[moments[i - 1].run].variant], next = runs[moments[i].run].variant + 1;
		alike += *known == next;
		*known = next;
	}
	free(follower);
	return variants < 3 || alike * 2 < count;
}

static void adjust(struct ifr_analysis *report, const struct moment *moments, size_t count) {
	double *values = ifr_alloc(3 * count * sizeof *values), *detrended = values + count,
		   *winsorised = detrended + count;
	unsigned *group = ifr_alloc(count * sizeof *group);
	const struct ifr_series series = {values, group, count, report->dataset->variant_count};
	for (size_t i = 0; i < count; i++) {
		values[i] = report->detrended[moments[i].run];
		group[i] = report->dataset->runs[moments[i].run].variant;
	}
	if (!ifr_series_detrend(&series, detrended, winsorised, &report->bursts, NULL))
		for (size_t i = 0; i < count; i++) {
			report->detrended[moments[i].run] = detrended[i];
			report->winsorised[moments[i].run] = winsorised[i];
		}
	free(group);
	free(values);
}

void ifr_runs_calm(struct ifr_analysis *report) {
	size_t runs = report->dataset->run_count;
	struct moment *moments = ifr_alloc((runs + 1) * sizeof *moments);
	report->detrended = ifr_alloc((runs + 1) * sizeof *report->detrended);
	report->winsorised = ifr_alloc((runs + 1) * sizeof *report->winsorised);
	for (size_t i = 0; i < runs; i++)
		report->detrended[i] = report->winsorised[i] =
			counts(report, i) ? report->dataset->runs[i].value[report->metric_index] : NAN;
	size_t count = order_by_time(report, moments);
	if (count && is_interleaved(report, moments, count))
		adjust(report, moments, count);
	free(moments);
}
