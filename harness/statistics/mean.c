/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean of all layouts and its skewness-corrected interval. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/components.h"

enum { SKEWNESS_FROM = 8 };

/* Layouts per squared skewness at which the interval keeps its confidence, by simulation of gamma, exponential and
 * two-kinded layouts (tests/unit/test_coverage.c). Without the correction, Cochran (1977, section 2.15) asks for
 * 25. */
static const double needed_per_square = 6, full_correction_kurtosis = 1;

double ifr_sample_skewness(const double *values, size_t count) {
	double skewness, kurtosis;
	if (count < SKEWNESS_FROM)
		return 0;
	ifr_sample_shape(values, count, &skewness, &kurtosis);
	return skewness * fmin(1, fmax(0, kurtosis / full_correction_kurtosis));
}

size_t ifr_mean_layouts_needed(const double *values, size_t count) {
	double skewness = 0, kurtosis;
	if (count >= SKEWNESS_FROM)
		ifr_sample_shape(values, count, &skewness, &kurtosis);
	return (size_t)fmax(IFR_MEAN_LAYOUTS_LEAST, ceil(needed_per_square * skewness * skewness));
}

/* Solves Hall's cubic t = w + a w^2 + a^2 w^3 / 3 + b for w; it is monotone, so that w is unique. */
static double invert_hall(double t, double skewness, double n) {
	double a = skewness / 3, root_n = sqrt(n);
	if (fabs(a) < 1e-9)
		return t / root_n;
	double inner = 1 + 3 * a * (t / root_n - skewness / (6 * n));
	return (cbrt(inner) - 1) / a;
}

struct ifr_interval ifr_mean_interval(double mean, double sd, double skewness, size_t count, double confidence) {
	double n = (double)count, t = ifr_t_quantile(1 - (1 - confidence) / 2, n - 1);
	return (struct ifr_interval){mean - sd * invert_hall(t, skewness, n), mean - sd * invert_hall(-t, skewness, n),
	                             confidence};
}

/* Stores the means and weights of the groups that have values, and returns their number. */
static size_t weigh_groups(const struct ifr_group *groups, size_t count, const struct ifr_components *c,
                           double *means, double *weights) {
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		if (groups[i].count == 0)
			continue;
		double variance = c->between_variance + c->ms_within / (double)groups[i].count;
		means[used] = gsl_stats_mean(groups[i].values, 1, groups[i].count);
		weights[used++] = variance > 0 ? 1 / variance : 1;
	}
	return used;
}

int ifr_mean_estimate(const struct ifr_group *groups, size_t count, double confidence, struct ifr_mean *mean,
                      struct ifr_error *err) {
	struct ifr_components c;
	int result = ifr_components_estimate(groups, count, confidence, &c, err);
	if (result)
		return result;
	double *means = ifr_alloc(count * sizeof *means), *weights = ifr_alloc(count * sizeof *weights);
	size_t used = weigh_groups(groups, count, &c, means, weights);
	double total = 0, sum = 0, spread = 0, n = (double)used;
	for (size_t i = 0; i < used; i++) {
		total += weights[i];
		sum += weights[i] * means[i];
	}
	for (size_t i = 0; i < used; i++)
		spread += weights[i] * (means[i] - sum / total) * (means[i] - sum / total);
	*mean =
		(struct ifr_mean){.groups = used, .mean = sum / total, .se = sqrt(spread / (n - 1) / total), .df = n - 1};
	mean->skewness = ifr_sample_skewness(means, used);
	mean->needs = ifr_mean_layouts_needed(means, used);
	mean->interval = ifr_mean_interval(mean->mean, mean->se * sqrt(n), mean->skewness, used, confidence);
	free(means);
	free(weights);
	return 0;
}
