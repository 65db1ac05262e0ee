/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of the ratio of two means: Fieller's, of independent means and of pairs, and by bootstrap. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/inference.h"

int ifr_ratio_fieller(const struct ifr_quotient *q, double confidence, double *ratio,
                      struct ifr_interval *interval, struct ifr_error *err) {
	const double given[] = {q->a, q->b, q->var_a, q->var_b, q->cov, q->df};
	int result = ifr_values_check(given, sizeof given / sizeof *given, 1, err);
	if (result)
		return result;
	if (!(q->b > 0) || !(q->df > 0))
		return ifr_fail(err, IFR_E_USAGE, "a ratio needs a denominator above 0 and a known uncertainty");
	double t = ifr_t_quantile(1 - (1 - confidence) / 2, q->df), t2 = t * t;
	/* The ends are the roots of (a - r b)^2 = t^2 var(a - r b), a quadratic in r. */
	double square = q->b * q->b - t2 * q->var_b, cross = q->a * q->b - t2 * q->cov;
	double constant = q->a * q->a - t2 * q->var_a;
	if (!(square > 0))
		return ifr_fail(err, IFR_E_USAGE,
		                "the denominator of the ratio cannot be told from 0 with these runs: take more of them");
	double root = sqrt(fmax(0, cross * cross - square * constant));
	*ratio = q->a / q->b;
	*interval = (struct ifr_interval){(cross - root) / square, (cross + root) / square, confidence};
	return 0;
}

static int check_pairs(const double *a, const double *b, size_t count, size_t needed, struct ifr_error *err) {
	int result = ifr_values_check(a, count, needed, err);
	if (!result)
		result = ifr_values_check(b, count, needed, err);
	for (size_t i = 0; i < count && !result; i++)
		if (!(b[i] > 0))
			result =
				ifr_fail(err, IFR_E_USAGE, "a ratio needs denominators above 0; number %zu is %g", i + 1, b[i]);
	return result;
}

/* Stores p of a = b, and the ratio with its interval. */
static int estimate_ratio(const struct ifr_quotient *q, double confidence, double *ratio,
                          struct ifr_interval *interval, double *p, struct ifr_error *err) {
	*p = ifr_t_test_p(q->a - q->b, sqrt(fmax(0, q->var_a + q->var_b - 2 * q->cov)), q->df);
	if (ifr_ratio_fieller(q, confidence, ratio, interval, NULL))
		return ifr_fail(err, IFR_E_USAGE, "values that differ this much do not bound a ratio: take more layouts");
	return 0;
}

int ifr_ratio_pairs(const double *a, const double *b, size_t count, double confidence, double *ratio,
                    struct ifr_interval *interval, double *p, struct ifr_error *err) {
	int result = check_pairs(a, b, count, 2, err);
	if (result)
		return result;
	double n = (double)count, mean_a = gsl_stats_mean(a, 1, count), mean_b = gsl_stats_mean(b, 1, count);
	const struct ifr_quotient quotient = {
		mean_a,
		mean_b,
		gsl_stats_variance_m(a, 1, count, mean_a) / n,
		gsl_stats_variance_m(b, 1, count, mean_b) / n,
		gsl_stats_covariance_m(a, 1, b, 1, count, mean_a, mean_b) / n,
		n - 1,
	};
	return estimate_ratio(&quotient, confidence, ratio, interval, p, err);
}

int ifr_ratio_independent(const double *a, size_t count_a, const double *b, size_t count_b, double confidence,
                          double *ratio, struct ifr_interval *interval, double *p, struct ifr_error *err) {
	int result = ifr_values_check(a, count_a, 2, err);
	if (!result)
		result = ifr_values_check(b, count_b, 2, err);
	if (result)
		return result;
	double mean_a = gsl_stats_mean(a, 1, count_a), mean_b = gsl_stats_mean(b, 1, count_b);
	double var_a = gsl_stats_variance_m(a, 1, count_a, mean_a) / (double)count_a,
		   var_b = gsl_stats_variance_m(b, 1, count_b, mean_b) / (double)count_b;
	const struct ifr_quotient quotient = {mean_a, mean_b, var_a,
	                                      var_b,  0,      ifr_welch_df(var_a, count_a, var_b, count_b)};
	return estimate_ratio(&quotient, confidence, ratio, interval, p, err);
}

static double sum_of(const double *values, size_t count) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

/* The acceleration by the jackknife: how fast the standard error changes with the ratio. */
static double estimate_acceleration(const double *a, const double *b, size_t count) {
	double sum_a = sum_of(a, count), sum_b = sum_of(b, count), mean = 0, second = 0, third = 0;
	for (size_t i = 0; i < count; i++)
		mean += (sum_a - a[i]) / (sum_b - b[i]) / (double)count;
	for (size_t i = 0; i < count; i++) {
		double d = mean - (sum_a - a[i]) / (sum_b - b[i]);
		second += d * d;
		third += d * d * d;
	}
	return second > 0 ? third / (6 * pow(second, 1.5)) : 0;
}

/* The corrected percentile for the normal quantile z. */
static double corrected_percentile(double bias, double accelerated, double z) {
	return gsl_cdf_ugaussian_P(bias + (bias + z) / (1 - accelerated * (bias + z)));
}

int ifr_ratio_bootstrap(const double *a, const double *b, size_t count, double confidence, size_t draws,
                        uint64_t seed, double *ratio, struct ifr_interval *interval, struct ifr_error *err) {
	int result = check_pairs(a, b, count, 8, err);
	if (result)
		return result;
	if (draws < 100)
		return ifr_fail(err, IFR_E_USAGE, "a bootstrap needs at least 100 draws, not %zu", draws);
	struct ifr_random_key key = ifr_random_key_of(seed, "bootstrap");
	double *drawn = ifr_alloc(draws * sizeof *drawn), below = 0;
	*ratio = sum_of(a, count) / sum_of(b, count);
	for (size_t draw = 0; draw < draws; draw++) {
		double sum_a = 0, sum_b = 0;
		for (uint64_t i = 0; i < count; i++) {
			const uint64_t name[] = {draw, i};
			size_t pick = ifr_random_below(ifr_siphash(key.k0, key.k1, name, sizeof name), count);
			sum_a += a[pick];
			sum_b += b[pick];
		}
		drawn[draw] = sum_a / sum_b;
		below += drawn[draw] < *ratio ? 1 : drawn[draw] == *ratio ? 0.5 : 0;
	}
	gsl_sort(drawn, 1, draws);
	double share = fmin(fmax(below, 0.5), (double)draws - 0.5) / (double)draws;
	double bias = gsl_cdf_ugaussian_Pinv(share), accelerated = estimate_acceleration(a, b, count);
	double z = gsl_cdf_ugaussian_Pinv(1 - (1 - confidence) / 2);
	ifr_sample_quantile(drawn, draws, corrected_percentile(bias, accelerated, -z), &interval->low, NULL);
	ifr_sample_quantile(drawn, draws, corrected_percentile(bias, accelerated, z), &interval->high, NULL);
	interval->confidence = confidence;
	free(drawn);
	return 0;
}
