/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interval of a difference of medians of few runs.
 *
 * Problem: a few runs of one layout do not show the distribution of their errors, and on a shared machine it has
 * longer tails than a normal distribution.
 *
 * Idea: pool the residuals of all layouts, scaled to the variance of an error, and resample medians from them.
 *
 * Few residuals hide the tails, and how far off their own deviation is. So the interval is at least Student's with the
 * degrees of freedom that the residuals have.
 *
 * Invariant: residuals about a median of n runs vary less than errors about the truth. The scale undoes this for a
 * normal distribution, so that resampled medians have the variance of real ones. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/inference.h"

enum { DRAWS = 4000, DRAWS_BEYOND = 20, DRAWS_MOST = 200000, RUNS_MOST = 64, STEPS = 24 };
static const double step = 0.2;

size_t ifr_residuals_standardise(const double *values, size_t count, double median_variance, double *residuals) {
	double median, n = (double)count;
	if (count < 2 || ifr_sample_median(values, count, &median, NULL))
		return 0;
	/* The median of an odd count is one of the values: its residual is always 0 and is left out. */
	bool odd = count % 2;
	double variance = (1 + median_variance - 2 / n) * (odd ? n / (n - 1) : 1);
	size_t stored = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_median = odd && values[i] == median;
		if (is_median)
			odd = false;
		else
			residuals[stored++] = (values[i] - median) / sqrt(variance);
	}
	return stored;
}

/* The median of `runs` residuals drawn with replacement, by half 0 or 1 of each word of bits. The median of more
 * than RUNS_MOST is close to normal: it is that of RUNS_MOST, scaled. */
static double draw_median(const struct ifr_median_difference *o, size_t runs, const uint64_t *bits,
                          unsigned half) {
	double drawn[RUNS_MOST];
	size_t count = runs < RUNS_MOST ? runs : RUNS_MOST;
	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		drawn[i] = o->residuals[((bits[i] >> 32 * half & UINT32_MAX) * o->count) >> 32];
	gsl_sort(drawn, 1, count);
	return (drawn[(count - 1) / 2] + drawn[count / 2]) / 2 * sqrt((double)count / (double)runs);
}

/* The error of one resampled difference of medians. */
static double draw_error(const struct ifr_median_difference *o, struct ifr_random_key key, uint64_t number) {
	uint64_t bits[RUNS_MOST] = {0};
	size_t most = o->runs[0] > o->runs[1] ? o->runs[0] : o->runs[1];
	for (uint64_t i = 0; i < most && i < RUNS_MOST; i++) {
		uint64_t name = number * RUNS_MOST + i;
		bits[i] = ifr_siphash(key.k0, key.k1, &name, sizeof name);
	}
	return draw_median(o, o->runs[0], bits, 0) - draw_median(o, o->runs[1], bits, 1);
}

/* Student's quantiles at a grid of normal quantiles, for linear interpolation. */
static void fill_student_grid(double df, double grid[STEPS + 1]) {
	for (int i = 0; i <= STEPS; i++)
		grid[i] = ifr_t_quantile(gsl_cdf_ugaussian_P(i * step), df);
}

static double student_quantile(const double grid[STEPS + 1], double p) {
	double z = gsl_cdf_ugaussian_Pinv(p), at = fmin(fabs(z) / step, STEPS - 1e-9);
	int from = (int)at;
	return copysign(grid[from] + (at - from) * (grid[from + 1] - grid[from]), z);
}

/* Enough draws for some to lie beyond the quantile. */
static int count_draws(double confidence) {
	return (int)fmin(fmax(DRAWS_BEYOND / (1 - confidence), DRAWS), DRAWS_MOST);
}

/* Student's reach, of normal errors whose variance is estimated. */
static double student_reach(const struct ifr_median_difference *o, double confidence) {
	if (!(o->run_df > 0))
		return 0;
	const double runs = o->run_variance * (ifr_median_variance(o->runs[0]) + ifr_median_variance(o->runs[1]));
	const double rest = o->se * o->se, both = runs + rest;
	if (!(both > 0))
		return 0;
	const double df = both * both / (runs * runs / o->run_df + (rest > 0 ? rest * rest / o->df : 0));
	return sqrt(both) * ifr_t_quantile((1 + confidence) / 2, df);
}

int ifr_median_difference_interval(const struct ifr_median_difference *o, double confidence,
                                   struct ifr_interval *interval, struct ifr_error *err) {
	int result = ifr_values_check(o->residuals, o->count, 2, err);
	if (result)
		return result;
	if (o->count > UINT32_MAX)
		return ifr_fail(err, IFR_E_USAGE, "there are more than %u residuals", UINT32_MAX);
	if (o->se > 0 && !(o->df > 0))
		return ifr_fail(err, IFR_E_USAGE, "an uncertainty needs degrees of freedom");
	struct ifr_random_key key = ifr_random_key_of(o->seed, "offset");
	const int draws = count_draws(confidence);
	double *error = ifr_alloc((size_t)draws * sizeof *error), grid[STEPS + 1], reach;
	if (o->se > 0)
		fill_student_grid(o->df, grid);
	for (int i = 0; i < draws; i++) {
		/* The Student variate takes its quantiles in turn instead of random numbers. */
		double rest = o->se > 0 ? o->se * student_quantile(grid, (i + 0.5) / draws) : 0;
		error[i] = fabs(draw_error(o, key, (uint64_t)i) + rest);
	}
	ifr_sample_quantile(error, (size_t)draws, confidence, &reach, NULL);
	free(error);
	reach = fmax(reach, student_reach(o, confidence));
	*interval = (struct ifr_interval){o->value - reach, o->value + reach, confidence};
	return 0;
}
