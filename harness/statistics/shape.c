/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of a sample: a test for the normal distribution, and a density estimate. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "common/random.h"
#include "harness/statistics/distributions.h"
#include "harness/statistics/sample.h"

static int check_spread(const double *values, size_t count, size_t needed, struct ifr_error *err) {
	int result = ifr_values_check(values, count, needed, err);
	if (result)
		return result;
	double low, high;
	gsl_stats_minmax(&low, &high, values, 1, count);
	return low < high ? 0 : ifr_fail(err, IFR_E_USAGE, "all %zu values are the same", count);
}

double ifr_normality_tail(double a2_adjusted) {
	double a = a2_adjusted;
	if (a < 0.2)
		return 1 - exp(-13.436 + 101.14 * a - 223.73 * a * a);
	if (a < 0.34)
		return 1 - exp(-8.318 + 42.796 * a - 59.938 * a * a);
	if (a < 0.6)
		return exp(0.9177 - 4.279 * a - 1.38 * a * a);
	/* The parabola rises again far beyond the end of the table. */
	a = fmin(a, 13);
	return exp(1.2937 - 5.709 * a + 0.0186 * a * a);
}

int ifr_normality_check(const double *values, size_t count, struct ifr_normality *normality,
                        struct ifr_error *err) {
	int result = check_spread(values, count, 8, err);
	if (result)
		return result;
	double n = (double)count, sum = 0;
	double mean = gsl_stats_mean(values, 1, count), sd = gsl_stats_sd_m(values, 1, count, mean);
	double *sorted = ifr_values_sorted(values, count);
	for (size_t i = 0; i < count; i++) {
		/* The logarithm of a value dozens of standard deviations off would be infinite. */
		double below = fmax(gsl_cdf_ugaussian_P((sorted[i] - mean) / sd), 1e-300);
		double above = fmax(gsl_cdf_ugaussian_Q((sorted[count - 1 - i] - mean) / sd), 1e-300);
		sum += (2 * (double)i + 1) * (log(below) + log(above));
	}
	free(sorted);
	normality->a2 = -n - sum / n;
	normality->a2_adjusted = normality->a2 * (1 + 0.75 / n + 2.25 / (n * n));
	normality->p = ifr_normality_tail(normality->a2_adjusted);
	return 0;
}

void ifr_sample_shape(const double *values, size_t count, double *skewness, double *kurtosis) {
	double n = (double)count, mean = gsl_stats_mean(values, 1, count), second = 0, third = 0, fourth = 0;
	for (size_t i = 0; i < count; i++) {
		double d = values[i] - mean, square = d * d;
		second += square / n;
		third += square * d / n;
		fourth += square * square / n;
	}
	*skewness = *kurtosis = 0;
	if (!(second > 0))
		return;
	*skewness = third / pow(second, 1.5) * sqrt(n * (n - 1)) / (n - 2);
	*kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (fourth / (second * second) - 3) + 6);
}

double ifr_normal_score(size_t rank, size_t count) {
	return gsl_cdf_ugaussian_Pinv(((double)rank - 0.375) / ((double)count + 0.25));
}

/* A value, and its place among equal ones. */
struct ranked {
	double value;
	uint64_t order;
	size_t index;
};

static int by_value(const void *a, const void *b) {
	const struct ranked *first = a, *second = b;
	if (first->value != second->value)
		return first->value < second->value ? -1 : 1;
	return first->order < second->order ? -1 : first->order > second->order;
}

void ifr_normal_scores(const double *values, size_t count, uint64_t seed, double *scores) {
	struct ranked *ranked = ifr_alloc((count + 1) * sizeof *ranked);
	struct ifr_random_key key = ifr_random_key_of(seed, "ties");
	for (size_t i = 0; i < count; i++) {
		const uint64_t name = i;
		ranked[i] = (struct ranked){values[i], ifr_siphash(key.k0, key.k1, &name, sizeof name), i};
	}
	qsort(ranked, count, sizeof *ranked, by_value);
	for (size_t i = 0; i < count; i++)
		scores[ranked[i].index] = ifr_normal_score(i + 1, count);
	free(ranked);
}

int ifr_density_bandwidth(const double *values, size_t count, double *bandwidth, struct ifr_error *err) {
	int result = check_spread(values, count, 3, err);
	if (result)
		return result;
	double *sorted = ifr_values_sorted(values, count);
	double range = gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.75) -
	               gsl_stats_quantile_from_sorted_data(sorted, 1, count, 0.25);
	free(sorted);
	double width = gsl_stats_sd(values, 1, count);
	/* The interquartile range is 0 where more than half of the values are equal. */
	if (range > 0)
		width = fmin(width, range / 1.34);
	*bandwidth = 0.9 * width * pow((double)count, -0.2);
	return 0;
}

double ifr_density_at(const double *values, size_t count, double bandwidth, double point) {
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += gsl_ran_ugaussian_pdf((point - values[i]) / bandwidth);
	return sum / ((double)count * bandwidth);
}
