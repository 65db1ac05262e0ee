/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number measured by a few runs, with errors of whatever shape all runs together show. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/inference.h"

enum { DRAWS = 4000, RUNS_MOST = 64, STEPS = 24 };
static const double step = 0.2;

size_t ifr_residuals_standardise(const double *values, size_t count, double median_variance, double *residuals) {
	double median, n = (double)count;
	if (count < 2 || ifr_sample_median(values, count, &median, NULL))
		return 0;
	/* Of an odd number one is the median itself and says nothing of errors; the others get normal values' scale.
	 */
	bool odd = count % 2;
	double variance = (1 + median_variance - 2 / n) * (odd ? n / (n - 1) : 1);
	size_t taken = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_median = odd && values[i] == median;
		if (is_median)
			odd = false;
		else
			residuals[taken++] = (values[i] - median) / sqrt(variance);
	}
	return taken;
}

/* The median of that many residuals, drawn with replacement: by one half of the bits of number, number + 1, … Of
 * more than RUNS_MOST it is near enough to normal to be had from fewer. */
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

/* The error of one draw: that of the runs. */
static double draw(const struct ifr_median_difference *o, struct ifr_random_key key, uint64_t number) {
	uint64_t bits[RUNS_MOST] = {0};
	size_t most = o->runs[0] > o->runs[1] ? o->runs[0] : o->runs[1];
	for (uint64_t i = 0; i < most && i < RUNS_MOST; i++) {
		uint64_t name = number * RUNS_MOST + i;
		bits[i] = ifr_siphash(key.k0, key.k1, &name, sizeof name);
	}
	return draw_median(o, o->runs[0], bits, 0) - draw_median(o, o->runs[1], bits, 1);
}

/* Student's quantiles over a grid of normal ones, between which they are interpolated. */
static void fill_grid(double df, double grid[STEPS + 1]) {
	for (int i = 0; i <= STEPS; i++)
		grid[i] = ifr_t_quantile(gsl_cdf_ugaussian_P(i * step), df);
}

static double student(const double grid[STEPS + 1], double p) {
	double z = gsl_cdf_ugaussian_Pinv(p), at = fmin(fabs(z) / step, STEPS - 1e-9);
	int from = (int)at;
	return copysign(grid[from] + (at - from) * (grid[from + 1] - grid[from]), z);
}

int ifr_median_difference_interval(const struct ifr_median_difference *o, double confidence,
                                   struct ifr_interval *interval, struct ifr_error *err) {
	int result = ifr_values_check(o->residuals, o->count, 2, err);
	if (result)
		return result;
	if (o->count > UINT32_MAX)
		return ifr_fail(err, IFR_E_USAGE, "that are more than %u residuals", UINT32_MAX);
	if (o->se > 0 && !(o->df > 0))
		return ifr_fail(err, IFR_E_USAGE, "an uncertainty needs degrees of freedom");
	struct ifr_random_key key = ifr_random_key_of(o->seed, "offset");
	double *error = ifr_alloc(DRAWS * sizeof *error), grid[STEPS + 1], reach;
	if (o->se > 0)
		fill_grid(o->df, grid);
	for (int i = 0; i < DRAWS; i++) {
		/* Student's part goes through its quantiles in turn: it needs no chance of its own. */
		double rest = o->se > 0 ? o->se * student(grid, (i + 0.5) / DRAWS) : 0;
		error[i] = fabs(draw(o, key, (uint64_t)i) + rest);
	}
	ifr_sample_quantile(error, DRAWS, confidence, &reach, NULL);
	free(error);
	*interval = (struct ifr_interval){o->value - reach, o->value + reach, confidence};
	return 0;
}
