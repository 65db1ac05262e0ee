/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The errors of single runs, by runs that have another beside them.
 *
 * Problem: an experiment that ends early has few repeats of a layout, or none, while half of its layouts have twins, two
 * runs on one copy.
 *
 * Idea: where twins outnumber repeats, their differences join the resampled errors, and the variance is the larger of
 * both. So few runs seldom meet those that are far off: layouts of one run that lie far from all others tell of them, too
 * (one run in ten far off: 0.8 % of 99 % intervals of the layout effect miss, where 2.9 % did). Twins do not know what
 * copies differ by, so that they never make the noise smaller, and degrees of freedom remain those of the repeats. */
#include "harness/analysis/comparison_noise.h"

#include <math.h>
#include <stdlib.h>

#include "harness/statistics/statistics.h"

static const double FAR_APART = 4; /* standard deviations, by the median */

/* Variance of runs about their layouts. */
static void measure_variance(const struct comparison_samples *samples, const struct comparison_layouts *layouts,
                             struct comparison_noise *noise) {
	double squares = 0;
	for (size_t i = 0; i < samples->count; i++) {
		const struct comparison_sample *sample = &samples->items[i];
		double off = sample->log - layouts->mean[sample->side][sample->index];
		squares += off * off;
	}
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < samples->indices; i++)
			noise->repeats += layouts->runs[side][i] ? layouts->runs[side][i] - 1 : 0;
	noise->variance = noise->repeats ? squares / (double)noise->repeats : 0;
}

static int by_layout(const void *a, const void *b) {
	const struct comparison_sample *x = a, *y = b;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->side != y->side ? (x->side < y->side ? -1 : 1) : (x->order > y->order) - (x->order < y->order);
}

/* Collects the errors of single runs and the medians of the shipped layouts. Sorts the samples. */
static void collect_errors(struct comparison_samples *samples, struct comparison_noise *noise) {
	struct comparison_sample *items = samples->items;
	size_t count = samples->count, known = 0;
	double median_variance = 0, *detrended = ifr_alloc((count + 1) * sizeof *detrended);
	qsort(items, count, sizeof *items, by_layout);
	for (size_t from = 0, n; from < count; from += n) {
		for (n = 0; from + n < count && items[from + n].index == items[from].index &&
		            items[from + n].side == items[from].side;
		     n++)
			detrended[n] = items[from + n].detrended;
		if (!items[from].index)
			ifr_sample_median(detrended, n, &noise->shipped[items[from].side], NULL);
		if (n != known)
			median_variance = ifr_median_variance(n);
		known = n;
		noise->residual_count +=
			ifr_residuals_standardise(detrended, n, median_variance, noise->residuals + noise->residual_count);
	}
	free(detrended);
}

/* --- twins ------------------------------------------------------------------------------------------------------ */

static int by_twins(const void *a, const void *b) {
	const struct ifr_dataset_run *x = *(const struct ifr_dataset_run *const *)a,
								 *y = *(const struct ifr_dataset_run *const *)b;
	if (x->variant != y->variant)
		return x->variant < y->variant ? -1 : 1;
	if (x->repetition != y->repetition)
		return x->repetition < y->repetition ? -1 : 1;
	return x->pass != y->pass ? (x->pass < y->pass ? -1 : 1) : x->twin - y->twin;
}

static bool are_twins(const struct ifr_dataset_run *a, const struct ifr_dataset_run *b) {
	return !a->twin && b->twin && a->variant == b->variant && a->repetition == b->repetition && a->pass == b->pass;
}

/* Lists the differences of a side's twins as logarithms. Returns their number. */
static size_t list_twins(const struct ifr_comparison_side *side, int counter, unsigned layouts, double *off) {
	const struct ifr_dataset *dataset = side->dataset;
	const struct ifr_dataset_run **runs = ifr_alloc((dataset->run_count + 1) * sizeof *runs);
	size_t count = 0, found = 0;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		const struct ifr_dataset_variant *variant = &dataset->variants[run->variant];
		if (variant->program == side->program && !variant->refused && !run->refused && run->value[counter] > 0 &&
		    (!layouts || variant->layout <= layouts))
			runs[count++] = run;
	}
	qsort(runs, count, sizeof *runs, by_twins);
	for (size_t i = 1; i < count; i++)
		if (are_twins(runs[i - 1], runs[i]))
			off[found++] = log(runs[i]->value[counter] / runs[i - 1]->value[counter]);
	free(runs);
	return found;
}

/* Adds errors of twins. Half of the variance of their difference is a run's, but where they are far apart one of them
 * alone is far off, and its error is the whole. The robust deviation leaves out what the resampled errors hold, rare
 * slow runs. */
static void add_twins(const double *off, size_t pairs, struct comparison_noise *noise) {
	double *apart = ifr_alloc((pairs + 1) * sizeof *apart), typical = 0;
	for (size_t i = 0; i < pairs; i++)
		apart[i] = fabs(off[i]);
	if (!ifr_sample_median(apart, pairs, &typical, NULL))
		noise->variance = fmax(noise->variance, pow(IFR_SD_PER_MAD * typical, 2) / 2);
	for (size_t i = 0; i < pairs; i++) {
		const double error = fabs(off[i]) > FAR_APART * IFR_SD_PER_MAD * typical ? off[i] : off[i] / M_SQRT2;
		noise->residuals[noise->residual_count++] = error;
		noise->residuals[noise->residual_count++] = -error;
	}
	free(apart);
}

/* Adds the errors of single runs that are far from all other layouts' of their side: the layout may be far off, or the
 * run, and nothing tells which. */
static void add_lone_runs(const struct comparison_samples *samples, const struct comparison_layouts *layouts,
                          struct comparison_noise *noise) {
	double *logs = ifr_alloc((samples->count + 1) * sizeof *logs),
		   *off = ifr_alloc((samples->count + 1) * sizeof *off);
	for (unsigned side = 0; side < 2; side++) {
		size_t count = 0;
		double centre, typical;
		for (size_t i = 0; i < samples->count; i++)
			if (samples->items[i].side == side && layouts->runs[side][samples->items[i].index] == 1)
				logs[count++] = samples->items[i].detrended;
		if (ifr_sample_median(logs, count, &centre, NULL))
			continue;
		for (size_t i = 0; i < count; i++)
			off[i] = fabs(logs[i] - centre);
		ifr_sample_median(off, count, &typical, NULL);
		for (size_t i = 0; i < count; i++)
			if (fabs(logs[i] - centre) > FAR_APART * IFR_SD_PER_MAD * typical)
				noise->residuals[noise->residual_count++] = logs[i] - centre;
	}
	free(logs);
	free(off);
}

void comparison_noise_measure(const struct ifr_comparison *c, const int counter[2], unsigned layouts,
                              struct comparison_samples *samples, const struct comparison_layouts *means,
                              struct comparison_noise *noise) {
	const size_t runs = c->side[0].dataset->run_count + c->side[1].dataset->run_count;
	double *off = ifr_alloc((runs + 1) * sizeof *off);
	*noise = (struct comparison_noise){.residuals = ifr_alloc((2 * runs + 1) * sizeof *noise->residuals)};
	measure_variance(samples, means, noise);
	collect_errors(samples, noise);
	size_t pairs = list_twins(&c->side[0], counter[0], layouts, off);
	pairs += list_twins(&c->side[1], counter[1], layouts, off + pairs);
	if (pairs > noise->repeats) {
		add_twins(off, pairs, noise);
		add_lone_runs(samples, means, noise);
	}
	free(off);
}

void comparison_noise_release(struct comparison_noise *noise) {
	free(noise->residuals);
}
