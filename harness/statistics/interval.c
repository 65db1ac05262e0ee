/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of medians, of proportions, of differences, and Student's. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "harness/statistics/distributions.h"
#include "harness/statistics/sample.h"

int ifr_proportion_interval(size_t hits, size_t count, double confidence, struct ifr_interval *interval,
                            struct ifr_error *err) {
	if (count == 0 || hits > count)
		return ifr_fail(err, IFR_E_USAGE, "%zu of %zu is not a proportion", hits, count);
	double tail = (1 - confidence) / 2, k = (double)hits, n = (double)count;
	interval->low = hits == 0 ? 0 : ifr_beta_quantile(tail, k, n - k + 1);
	interval->high = hits == count ? 1 : ifr_beta_quantile(1 - tail, k + 1, n - k);
	interval->confidence = confidence;
	return 0;
}

struct ifr_interval ifr_difference_interval(double a, struct ifr_interval of_a, double b,
                                            struct ifr_interval of_b) {
	return (struct ifr_interval){
		.low = a - b - hypot(a - of_a.low, of_b.high - b),
		.high = a - b + hypot(of_a.high - a, b - of_b.low),
		.confidence = fmin(of_a.confidence, of_b.confidence),
	};
}

struct ifr_interval ifr_t_interval(double value, double se, double df, double confidence, size_t comparisons) {
	double tail = (1 - confidence) / 2 / (double)(comparisons ? comparisons : 1);
	double half = ifr_t_quantile(1 - tail, df) * se;
	return (struct ifr_interval){value - half, value + half, confidence};
}

struct ifr_interval ifr_square_interval(struct ifr_interval of_value) {
	double low = of_value.low * of_value.low, high = of_value.high * of_value.high;
	bool crossing = of_value.low < 0 && of_value.high > 0;
	return (struct ifr_interval){crossing ? 0 : fmin(low, high), fmax(low, high), of_value.confidence};
}

double ifr_welch_df(double variance_a, size_t count_a, double variance_b, size_t count_b) {
	double df_a = (double)count_a - 1, df_b = (double)count_b - 1, total = variance_a + variance_b;
	double scatter = variance_a * variance_a / df_a + variance_b * variance_b / df_b;
	return scatter > 0 ? total * total / scatter : df_a + df_b;
}

double ifr_t_test_p(double value, double se, double df) {
	if (!(se > 0))
		return value != 0 ? 0 : 1;
	return 2 * gsl_cdf_tdist_Q(fabs(value) / se, df);
}

int ifr_median_interval(const double *values, size_t count, double confidence, struct ifr_interval *interval,
                        struct ifr_error *err) {
	int result = ifr_values_check(values, count, 2, err);
	if (result)
		return result;
	/* The interval from the k-th smallest to the k-th largest value misses with probability
	 * 2 P(Binomial(n, 1/2) < k). */
	unsigned k = 1, n = (unsigned)count;
	while (2 * (k + 1) <= n && 1 - 2 * gsl_cdf_binomial_P(k, 0.5, n) >= confidence)
		k++;
	double *sorted = ifr_values_sorted(values, count);
	interval->low = sorted[k - 1];
	interval->high = sorted[n - k];
	interval->confidence = 1 - 2 * gsl_cdf_binomial_P(k - 1, 0.5, n);
	free(sorted);
	return 0;
}
