/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/comparison_kinds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/steps.h"

static const double confidence = 0.95;

/* Sums of logarithms, by layout, kind and side. */
struct cell {
	double sum[2];
	size_t count[2];
};

static bool counts(const struct ifr_dataset *dataset, const struct ifr_dataset_run *run, int counter) {
	return !run->twin && !run->simulated && !run->refused && !dataset->variants[run->variant].refused &&
	       dataset->variants[run->variant].program < 2 && run->value[counter] > 0;
}

static size_t find_kind(const struct ifr_dataset *dataset, const struct ifr_dataset_run *run,
                        struct ifr_strings *names) {
	const char *name = ifr_dataset_processor(dataset, run->node);
	size_t kind = 0;
	while (kind < names->count && strcmp(names->items[kind], name) != 0)
		kind++;
	if (kind == names->count)
		ifr_strings_add(names, name);
	return kind;
}

/* The log ratios of the random layouts that all kinds measured, by layout and kind. */
static double *take_ratios(const struct ifr_dataset *dataset, int counter, struct ifr_comparison_kinds *kinds) {
	const size_t columns = kinds->names.count;
	size_t layouts = 0;
	for (size_t i = 0; i < dataset->variant_count; i++)
		layouts = dataset->variants[i].layout >= layouts ? dataset->variants[i].layout + 1 : layouts;
	struct cell *cells = ifr_alloc((layouts * columns + 1) * sizeof *cells);
	double *ratios = ifr_alloc((layouts * columns + 1) * sizeof *ratios);
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
		if (!counts(dataset, run, counter))
			continue;
		struct cell *cell = &cells[variant->layout * columns + find_kind(dataset, run, &kinds->names)];
		cell->sum[variant->program] += log(run->value[counter]);
		cell->count[variant->program]++;
	}
	for (size_t layout = 1; layout < layouts; layout++) {
		const struct cell *row = &cells[layout * columns];
		bool whole = true;
		for (size_t k = 0; k < columns; k++)
			whole &= row[k].count[0] && row[k].count[1];
		for (size_t k = 0; k < columns && whole; k++)
			ratios[kinds->layouts * columns + k] =
				row[k].sum[1] / (double)row[k].count[1] - row[k].sum[0] / (double)row[k].count[0];
		kinds->layouts += whole;
	}
	free(cells);
	return ratios;
}

static double mean_of(const double *values, size_t count, size_t step) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i * step];
	return sum / (double)count;
}

static void test_kinds(const double *ratios, struct ifr_comparison_kinds *kinds) {
	const size_t rows = kinds->layouts, columns = kinds->names.count;
	const double grand = mean_of(ratios, rows * columns, 1), df = (double)columns - 1,
				 rest_df = df * ((double)rows - 1);
	double *layout = ifr_alloc(rows * sizeof *layout), of_kinds = 0, of_rest = 0, mean, sd;
	for (size_t i = 0; i < rows; i++)
		layout[i] = mean_of(ratios + i * columns, columns, 1);
	for (size_t k = 0; k < columns; k++) {
		const double column = mean_of(ratios + k, rows, columns);
		of_kinds += (double)rows * (column - grand) * (column - grand);
		for (size_t i = 0; i < rows; i++) {
			const double rest = ratios[i * columns + k] - layout[i] - column + grand;
			of_rest += rest * rest;
		}
	}
	kinds->f = of_kinds / df / (of_rest / rest_df);
	kinds->p = isfinite(kinds->f) ? gsl_cdf_fdist_Q(kinds->f, df, rest_df) : of_kinds > 0 ? 0 : 1;
	ifr_sample_moments(layout, rows, &mean, &sd, NULL);
	kinds->interval = ifr_t_interval(mean, sd / sqrt((double)rows), (double)rows - 1, confidence, 1);
	kinds->interval.low = exp(kinds->interval.low);
	kinds->interval.high = exp(kinds->interval.high);
	kinds->ratio = exp(mean);
	free(layout);
}

void ifr_comparison_kinds_make(const struct ifr_comparison_side *old, const struct ifr_comparison_side *new,
                               const char *metric, struct ifr_comparison_kinds *kinds) {
	const struct ifr_dataset *const datasets[2] = {old->dataset, new->dataset};
	int counter[2];
	*kinds = (struct ifr_comparison_kinds){0};
	if (old->dataset != new->dataset || ifr_metric_match(datasets, metric, counter) >= 0)
		return;
	for (size_t i = 0; i < old->dataset->run_count; i++)
		if (counts(old->dataset, &old->dataset->runs[i], counter[0]))
			find_kind(old->dataset, &old->dataset->runs[i], &kinds->names);
	if (kinds->names.count < 2)
		return;
	double *ratios = take_ratios(old->dataset, counter[0], kinds);
	if (kinds->layouts > 1)
		test_kinds(ratios, kinds);
	free(ratios);
}

void ifr_comparison_kinds_release(struct ifr_comparison_kinds *kinds) {
	ifr_strings_release(&kinds->names);
}
