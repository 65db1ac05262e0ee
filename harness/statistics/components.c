/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-way random-effects analysis of variance. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "harness/statistics/distributions.h"
#include "harness/statistics/components.h"

/* Sums over the groups with values. */
struct sums {
	double count, squares, inverses; /* of the sizes */
	double total;                    /* of all values */
	double means;                    /* of the groups' means */
};

static int sum_groups(const struct ifr_group *groups, size_t count, struct ifr_components *c, struct sums *sums,
                      struct ifr_error *err) {
	for (size_t i = 0; i < count; i++) {
		int result = ifr_values_check(groups[i].values, groups[i].count, 0, err);
		if (result)
			return result;
		if (groups[i].count == 0)
			continue;
		double n = (double)groups[i].count, mean = gsl_stats_mean(groups[i].values, 1, groups[i].count);
		sums->count += n;
		sums->squares += n * n;
		sums->inverses += 1 / n;
		sums->total += n * mean;
		sums->means += mean;
		c->groups++;
		c->values += groups[i].count;
	}
	if (c->groups < 2)
		return ifr_fail(err, IFR_E_USAGE, "differences between layouts need at least two layouts, and %s",
		                c->groups ? "there is one" : "there is none");
	return 0;
}

/* Stores the sums of squares, computed about the means: differences of large sums would cancel. Returns the sum of
 * squares of the groups' means about their unweighted mean. */
static double sum_squares(const struct ifr_group *groups, size_t count, const struct sums *sums,
                          struct ifr_components *c) {
	double grand = sums->total / sums->count, unweighted = 0;
	for (size_t i = 0; i < count; i++) {
		if (groups[i].count == 0)
			continue;
		double mean = gsl_stats_mean(groups[i].values, 1, groups[i].count);
		c->ss_between += (double)groups[i].count * (mean - grand) * (mean - grand);
		c->ss_within += gsl_stats_tss_m(groups[i].values, 1, groups[i].count, mean);
		unweighted += (mean - c->mean) * (mean - c->mean);
	}
	return unweighted;
}

static void test_layout_effect(struct ifr_components *c) {
	c->testable = c->noise_known && c->ms_within > 0;
	if (!c->testable)
		return;
	c->f = c->ms_between / c->ms_within;
	c->p = gsl_cdf_fdist_Q(c->f, c->df_between, c->df_within);
}

/* The end of Williams's interval that belongs to a cumulative probability. */
static double williams_bound(const struct ifr_components *c, double ss, double harmonic, double probability) {
	double noise = c->ms_within > 0 ? c->ms_within * ifr_f_quantile(probability, c->df_between, c->df_within) : 0;
	double variance = (ss - c->df_between * noise) / (harmonic * ifr_chi2_quantile(probability, c->df_between));
	return variance > 0 ? sqrt(variance) : 0;
}

int ifr_components_estimate(const struct ifr_group *groups, size_t count, double confidence,
                            struct ifr_components *components, struct ifr_error *err) {
	struct ifr_components c = {0};
	struct sums sums = {0};
	int result = sum_groups(groups, count, &c, &sums, err);
	if (result)
		return result;
	c.mean = sums.means / (double)c.groups;
	double unweighted = sum_squares(groups, count, &sums, &c);
	c.df_between = (double)c.groups - 1;
	c.df_within = (double)(c.values - c.groups);
	c.ms_between = c.ss_between / c.df_between;
	c.noise_known = c.df_within > 0;
	c.ms_within = c.noise_known ? c.ss_within / c.df_within : 0;
	c.n0 = (sums.count - sums.squares / sums.count) / c.df_between;
	test_layout_effect(&c);
	c.between_variance = fmax(0, (c.ms_between - c.ms_within) / c.n0);
	double sizes = sums.count / (double)c.groups, within;
	if (c.ms_within > 0 && sums.squares > (1 + 1e-9) * sizes * sums.count)
		ifr_reml_estimate(groups, count, &c.between_variance, &within);
	c.between_sd = sqrt(c.between_variance);
	double harmonic = (double)c.groups / sums.inverses, tail = (1 - confidence) / 2;
	c.between_interval.low = williams_bound(&c, harmonic * unweighted, harmonic, 1 - tail);
	c.between_interval.high = williams_bound(&c, harmonic * unweighted, harmonic, tail);
	c.between_interval.confidence = confidence;
	*components = c;
	return 0;
}
