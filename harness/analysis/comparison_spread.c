/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worst layout of either side, and the spread between layouts.
 *
 * Problem: the highest of many noisy means is too high, the more so the more layouts there are and the noisier they are.
 * A side without any spread seems to have a worst layout, too.
 *
 * Idea: the runs of each layout are dealt to two halves. The first half chooses the worst layout, the second gives its
 * value, and the other way round; the value is the mean of both. A layout that noise alone made the worst falls back to
 * its own level.
 *
 * Invariant: the runs that give a value did not choose it, so that each half's value is unbiased for the layout that was
 * chosen. Where noise hides which one is the worst, the value is that of a layout that looked so: never too high.
 *
 * The interval of the ratio holds for these layouts and for noise alone: by Student's t, the variance of a run is that of
 * all layouts together. Where noise chooses, both halves choose the same one of k layouts in 1 of k cases, and then both
 * values are the highest of their halves: a covariance, which widens the interval unless the choice is clear.
 * Ref: Hastie, Tibshirani and Friedman 2009, section 7.10 (cross-validation). */
#include "harness/analysis/comparison_spread.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/statistics.h"

/* One side's layouts, by the halves of their runs. */
struct halves {
	double *mean[2];  /* [indices] of logarithms; NaN without runs */
	size_t *count[2]; /* [indices] */
	unsigned indices;
};

static void make_halves(const struct comparison_samples *samples, unsigned side, struct halves *halves) {
	const size_t room = (size_t)samples->indices + 1;
	halves->indices = samples->indices;
	for (unsigned half = 0; half < 2; half++) {
		halves->mean[half] = ifr_alloc(room * sizeof *halves->mean[half]);
		halves->count[half] = ifr_alloc(room * sizeof *halves->count[half]);
	}
	for (size_t i = 0; i < samples->count; i++) {
		const struct comparison_sample *sample = &samples->items[i];
		if (sample->side != side)
			continue;
		const unsigned half = halves->count[0][sample->index] > halves->count[1][sample->index];
		halves->mean[half][sample->index] += sample->log;
		halves->count[half][sample->index]++;
	}
	for (unsigned half = 0; half < 2; half++)
		for (unsigned i = 0; i < samples->indices; i++)
			halves->mean[half][i] =
				halves->count[half][i] ? halves->mean[half][i] / (double)halves->count[half][i] : NAN;
}

static void release_halves(struct halves *halves) {
	for (unsigned half = 0; half < 2; half++) {
		free(halves->mean[half]);
		free(halves->count[half]);
	}
}

/* The random layout of the highest mean; 0: none. */
static unsigned find_highest(const double *means, unsigned indices) {
	unsigned highest = 0;
	for (unsigned i = 1; i < indices; i++)
		if (!isnan(means[i]) && (!highest || means[i] > means[highest]))
			highest = i;
	return highest;
}

/* The logarithm of the worst layout's value. Returns its variance in runs, or infinity where halves lack runs. */
static double cross_halves(const struct halves *halves, double *value) {
	double variance = 0;
	*value = 0;
	for (unsigned half = 0; half < 2; half++) {
		const unsigned at = find_highest(halves->mean[half], halves->indices);
		if (!at || !halves->count[!half][at])
			return INFINITY;
		*value += halves->mean[!half][at] / 2;
		variance += 0.25 / (double)halves->count[!half][at];
	}
	return variance;
}

/* By how much the variance of a value grows if noise chose the layout: 1 + m^2 / k, where m is the highest of k normal
 * values, in standard deviations, on average. A layout twice as far from the median one is no choice of noise.
 * Ref: Blom 1958 (m). */
static double choice_factor(const double *means, unsigned indices, double above, double variance) {
	double count = 0;
	for (unsigned i = 1; i < indices; i++)
		count += !isnan(means[i]);
	if (count < 2)
		return 1;
	const double highest = gsl_cdf_ugaussian_Pinv((count - 0.375) / (count + 0.25));
	return above > 2 * highest * sqrt(variance) ? 1 : 1 + highest * highest / count;
}

static double median_layout(const double *means, unsigned indices) {
	double *values = ifr_alloc(((size_t)indices + 1) * sizeof *values), median = NAN;
	size_t count = 0;
	for (unsigned i = 1; i < indices; i++)
		if (!isnan(means[i]))
			values[count++] = means[i];
	if (ifr_sample_median(values, count, &median, NULL))
		median = NAN;
	free(values);
	return median;
}

/* The worst layout of one side: its value as a logarithm. Returns the value's variance. */
static double find_worst(struct ifr_comparison *c, unsigned side, const struct comparison_samples *samples,
                         const struct comparison_layouts *layouts, const struct comparison_noise *noise,
                         double *value) {
	const double *means = layouts->mean[side];
	struct ifr_comparison_spread *spread = &c->spread;
	struct halves halves;
	double variance = 0;
	spread->worst[side] = find_highest(means, samples->indices);
	*value = means[spread->worst[side]];
	if (!c->exact) {
		make_halves(samples, side, &halves);
		variance = cross_halves(&halves, value) * noise->variance;
		release_halves(&halves);
	}
	const double above = *value - median_layout(means, samples->indices);
	spread->above[side] = exp(above);
	return isfinite(variance) ? variance * choice_factor(means, samples->indices, above, variance) : variance;
}

static void compare_worst(struct ifr_comparison *c, const struct comparison_samples *samples,
                          const struct comparison_layouts *layouts, const struct comparison_noise *noise) {
	double value[2], variance = 0, reach = 0;
	for (unsigned side = 0; side < 2; side++)
		variance += find_worst(c, side, samples, layouts, noise, &value[side]);
	c->spread.has_worst = isfinite(variance) && (c->exact || noise->repeats);
	if (!c->spread.has_worst)
		return;
	const double log_ratio = value[1] - value[0], beyond = (1 - c->confidence) / 2;
	if (c->exact)
		reach = c->sampling_error * gsl_cdf_ugaussian_Qinv(beyond);
	else
		reach = sqrt(variance) * gsl_cdf_tdist_Qinv(beyond, (double)noise->repeats);
	c->spread.worst_ratio = exp(log_ratio);
	c->spread.worst_interval =
		(struct ifr_interval){exp(log_ratio - reach), exp(log_ratio + reach), c->confidence};
}

/* The random layouts of a side as groups of runs, which lie behind one another in the sorted samples. */
static void measure_sd(struct ifr_comparison *c, unsigned side, const struct comparison_samples *samples) {
	struct ifr_group *groups = ifr_alloc(((size_t)samples->indices + 1) * sizeof *groups);
	double *logs = ifr_alloc((samples->count + 1) * sizeof *logs);
	struct ifr_components components;
	size_t count = 0;
	for (size_t i = 0; i < samples->count; i++) {
		const struct comparison_sample *sample = &samples->items[i];
		if (sample->side != side || !sample->index)
			continue;
		if (!groups[sample->index].count++)
			groups[sample->index].values = &logs[count];
		logs[count++] = sample->log;
	}
	const bool known = !ifr_components_estimate(groups, samples->indices, c->confidence, &components, NULL);
	c->spread.has_sd &= known;
	if (known) {
		c->spread.sd[side] = components.between_sd;
		c->spread.sd_interval[side] = components.between_interval;
	}
	free(logs);
	free(groups);
}

void comparison_spread_measure(struct ifr_comparison *c, const struct comparison_samples *samples,
                               const struct comparison_layouts *layouts, const struct comparison_noise *noise) {
	c->spread = (struct ifr_comparison_spread){.has_sd = c->exact || noise->repeats};
	compare_worst(c, samples, layouts, noise);
	for (unsigned side = 0; side < 2; side++)
		measure_sd(c, side, samples);
}
