/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, ratios, correlations, classes, multiple tests, interim analyses and power against published and
 * independent figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/statistics/inference.h"
#include "tests/unit/swiss.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void near(double got, double expected, double relative) {
	if (!(fabs(got - expected) <= relative * fabs(expected)))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* Equal sizes: the t interval of the groups' means 2, 4, 9: mean 5, sd sqrt(13), t(.975; 2) = 4.302653. */
static void test_mean(void **state) {
	(void)state;
	const double values[] = {1, 3, 3, 5, 8, 10};
	const struct ifr_group groups[] = {{values, 2}, {values + 2, 2}, {values + 4, 2}};
	struct ifr_mean mean;
	assert_int_equal(ifr_mean_estimate(groups, 3, 0.95, &mean, NULL), 0);
	near(mean.mean, 5, 1e-14);
	near(mean.interval.high - 5, 4.302653 * sqrt(13.0 / 3), 1e-6);
	near(5 - mean.interval.low, 4.302653 * sqrt(13.0 / 3), 1e-6);
	assert_true(mean.df == 2);
	assert_int_equal(ifr_mean_estimate(groups, 1, 0.95, &mean, NULL), -IFR_E_USAGE);
}

/* Unequal sizes: a layout's weight is the reciprocal of its variance. */
static void test_mean_unequal(void **state) {
	(void)state;
	const double values[] = {0, 9, 11, 20, 20, 20, 20};
	const struct ifr_group groups[] = {{values, 1}, {values + 1, 2}, {NULL, 0}, {values + 3, 4}};
	struct ifr_components c;
	assert_int_equal(ifr_components_estimate(groups, 4, 0.95, &c, NULL), 0);
	double w[3], m[] = {0, 10, 20}, n[] = {1, 2, 4}, total = 0, centre = 0, spread = 0;
	for (int i = 0; i < 3; i++) {
		w[i] = 1 / (c.between_variance + 0.5 / n[i]);
		total += w[i];
		centre += w[i] * m[i];
	}
	for (int i = 0; i < 3; i++)
		spread += w[i] * (m[i] - centre / total) * (m[i] - centre / total);
	struct ifr_mean mean;
	assert_int_equal(ifr_mean_estimate(groups, 4, 0.95, &mean, NULL), 0);
	near(mean.mean, centre / total, 1e-8);
	near(mean.se, sqrt(spread / 2 / total), 1e-8);
}

/* Hall's cubic of both ends of the interval gives the t quantile: t(.975; 9) = 2.262157. */
static void test_skewed_interval(void **state) {
	(void)state;
	double skewness = 1.2, n = 10, a = skewness / 3;
	struct ifr_interval interval = ifr_mean_interval(0, 1, 1.2, 10, 0.95);
	const double ends[] = {-interval.low, -interval.high}, expected[] = {2.262157, -2.262157};
	for (int i = 0; i < 2; i++) {
		double w = ends[i];
		near(sqrt(n) * (w + a * w * w + a * a * w * w * w / 3 + skewness / (6 * n)), expected[i], 1e-6);
	}
	assert_true(interval.high > -interval.low); /* a long tail to the right extends the interval to the right */
	interval = ifr_mean_interval(3, 2, 0, 10, 0.95);
	near(interval.high, 3 + 2 * 2.262157 / sqrt(10), 1e-6);
	/* 1, 1, 1, 1, 1, 1, 1, 9: mean 2, m2 = 7, m3 = 42, m4 = 301; G1 = 42 / 7^1.5 sqrt(56)/6 = 2.828427, and G2 =
	 * 7/30 (9 (301/49 - 3) + 6) = 8: full correction, and 6 times 8 layouts are needed. */
	const double values[] = {1, 1, 1, 1, 1, 1, 1, 9};
	near(ifr_sample_skewness(values, 8), 2 * M_SQRT2, 1e-12);
	assert_int_equal(ifr_mean_layouts_needed(values, 8), 48);
	/* Two kinds of layouts, five to three: no long tail, no correction. */
	const double kinds[] = {1, 1, 1, 1, 1, 9, 9, 9};
	assert_true(ifr_sample_skewness(kinds, 8) == 0);
	assert_int_equal(ifr_mean_layouts_needed(kinds, 8), 20);
	assert_true(ifr_sample_skewness(values, 7) == 0);
}

/* Residuals of few runs. About the median of 0 and 2, half of the variance is left: -+sqrt(2). About the median of
 * 0, 1, 5, which is left out, 1.5 (1 + 0.448671 - 2/3) is left; 0.448671 is the median's variance (David and
 * Nagaraja). */
static void test_median_difference(void **state) {
	(void)state;
	double residuals[4];
	const double two[] = {0, 2}, three[] = {0, 1, 5}, signs[] = {-1, 1}, none[] = {0, 0};
	struct ifr_interval interval;
	assert_int_equal(ifr_residuals_standardise(two, 1, 1, residuals), 0);
	assert_int_equal(ifr_residuals_standardise(two, 2, 0.5, residuals), 2);
	near(residuals[0], -M_SQRT2, 1e-12);
	assert_int_equal(ifr_residuals_standardise(three, 3, 0.448671, residuals), 2);
	near(residuals[0], -1 / sqrt(1.5 * (1 + 0.448671 - 2.0 / 3)), 1e-12);
	near(residuals[1], 4 / sqrt(1.5 * (1 + 0.448671 - 2.0 / 3)), 1e-12);
	/* One run on either side, errors of -+1: half of the differences are -+2. */
	struct ifr_median_difference offset = {.value = 10, .runs = {1, 1}, .residuals = signs, .count = 2, .seed = 1};
	assert_int_equal(ifr_median_difference_interval(&offset, 0.95, &interval, NULL), 0);
	assert_true(interval.low == 8 && interval.high == 12);
	assert_int_equal(ifr_median_difference_interval(&offset, 0.30, &interval, NULL), 0);
	assert_true(interval.low == 10 && interval.high == 10);
	/* Without errors of runs: Student's interval, t(.975; 10) = 2.228139. */
	offset = (struct ifr_median_difference){.value = 0, .residuals = none, .count = 2, .se = 3, .df = 10};
	assert_int_equal(ifr_median_difference_interval(&offset, 0.95, &interval, NULL), 0);
	near(interval.high, 3 * 2.228139, 0.01);
	/* The variance of a run by one repeat, two runs on one side, one on the other: t(.975; 1) = 12.7062 times
	 * sqrt(4 (1 / 2 + 1)). With 9 of 10 degrees of freedom beside it: (6 + 9)^2 / (36 / 1 + 81 / 10) = 5.1020,
	 * and t(.975; 5.1020) = 2.555195 by R. */
	offset = (struct ifr_median_difference){
		.runs = {2, 1}, .residuals = signs, .count = 2, .run_variance = 4, .run_df = 1};
	assert_int_equal(ifr_median_difference_interval(&offset, 0.95, &interval, NULL), 0);
	near(interval.high, 12.7062 * sqrt(6), 0.001);
	offset.se = 3;
	offset.df = 10;
	assert_int_equal(ifr_median_difference_interval(&offset, 0.95, &interval, NULL), 0);
	near(interval.high, 2.555195 * sqrt(15), 1e-4);
	offset.df = 0;
	assert_int_equal(ifr_median_difference_interval(&offset, 0.95, &interval, NULL), -IFR_E_USAGE);
	offset.count = 1;
	assert_int_equal(ifr_median_difference_interval(&offset, 0.95, &interval, NULL), -IFR_E_USAGE);
}

/* By hand: a = 10, b = 5, variances 1 and 0.25, df 10, t = 2.228139: r^2 (25 - .25 t2) - 100 r + 100 - t2 = 0. */
static void test_fieller(void **state) {
	(void)state;
	struct ifr_quotient q = {10, 5, 1, 0.25, 0, 10};
	double ratio, t2 = 2.228139 * 2.228139, a = 25 - 0.25 * t2, c = 100 - t2;
	struct ifr_interval interval;
	struct ifr_error err = {0};
	assert_int_equal(ifr_ratio_fieller(&q, 0.95, &ratio, &interval, &err), 0);
	near(ratio, 2, 1e-15);
	near(interval.low, (100 - sqrt(10000 - 4 * a * c)) / (2 * a), 1e-6);
	near(interval.high, (100 + sqrt(10000 - 4 * a * c)) / (2 * a), 1e-6);
	/* Fully correlated pairs, a = 2 b: the interval has length 0. */
	q.cov = 0.5;
	assert_int_equal(ifr_ratio_fieller(&q, 0.95, &ratio, &interval, &err), 0);
	near(interval.low, 2, 1e-6);
	near(interval.high, 2, 1e-6);
	q.var_b = 9;
	assert_int_equal(ifr_ratio_fieller(&q, 0.95, &ratio, &interval, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "denominator"));
}

/* R 4.2.2, t.test(extra ~ group, sleep): means 0.75 and 2.33, t = -1.8608, df = 17.776, p = 0.07939. */
static void test_independent(void **state) {
	(void)state;
	const double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
				 b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	double ratio, p;
	struct ifr_interval interval, touching;
	assert_int_equal(ifr_ratio_independent(a, 10, b, 10, 0.95, &ratio, &interval, &p, NULL), 0);
	near(p, 0.07939, 1e-4);
	near(ratio, 0.75 / 2.33, 1e-12);
	assert_true(interval.high > 1);
	assert_int_equal(ifr_ratio_independent(a, 10, b, 10, 1 - p, &ratio, &touching, &p, NULL), 0);
	near(touching.high, 1, 1e-9);
	/* Hand arithmetic: two values at a distance whose mean is near 0 bound nothing. */
	const double wide[] = {-10, 10.1};
	assert_int_equal(ifr_ratio_independent(a, 10, wide, 2, 0.95, &ratio, &interval, &p, NULL), -IFR_E_USAGE);
}

/* The patch data of Efron and Tibshirani 1993, table 10.1: ratio -0.0713. The interval by the formulas of Efron
 * 1987 in R from 200,000 other draws is (-0.2038, 0.1375); 4000 draws come within a hundredth or two. */
static void test_bootstrap(void **state) {
	(void)state;
	const double y[] = {-1200, 2601, -2705, 1982, -1290, 351, -638, -2719};
	const double z[] = {8406, 2342, 8187, 8459, 4795, 3516, 4796, 10238};
	double ratio;
	struct ifr_interval interval, again;
	assert_int_equal(ifr_ratio_bootstrap(y, z, 8, 0.90, 4000, 1, &ratio, &interval, NULL), 0);
	near(ratio, -0.0713, 1e-3);
	assert_true(fabs(interval.low + 0.2038) < 0.012);
	assert_true(fabs(interval.high - 0.1375) < 0.025);
	assert_int_equal(ifr_ratio_bootstrap(y, z, 8, 0.90, 4000, 1, &ratio, &again, NULL), 0);
	assert_memory_equal(&interval, &again, sizeof again);
}

/* R 4.2.2, cor.test on the swiss data. */
static void test_correlation(void **state) {
	(void)state;
	struct ifr_correlation c;
	assert_int_equal(ifr_correlation_pearson(swiss_x[2], swiss_fertility, 47, 0.95, &c, NULL), 0);
	near(c.r, -0.663788857035, 1e-11);
	double z = atanh(-0.663788857035);
	near(c.interval.low, tanh(z - 1.959964 / sqrt(44)), 1e-6);
	assert_int_equal(ifr_correlation_spearman(swiss_x[3], swiss_fertility, 47, 0.95, &c, NULL), 0);
	near(c.r, 0.413645562301, 1e-11);
	/* x^3 is monotone: the ranks' correlation is 1. */
	const double x[] = {1, 2, 3, 4, 5}, y[] = {1, 8, 27, 64, 125}, same[] = {2, 2, 2, 2, 2};
	assert_int_equal(ifr_correlation_spearman(x, y, 5, 0.95, &c, NULL), 0);
	near(c.r, 1, 1e-15);
	near(c.p, 2.0 / 120, 1e-12); /* two of 5! orders */
	assert_int_equal(ifr_correlation_pearson(x, same, 5, 0.95, &c, NULL), -IFR_E_USAGE);
}

/* Exact two-sided p of Spearman's r for n = 4 … 7: twice the one-sided of Best and Roberts 1975 (AS 89); Zar 2010,
 * table B.20: 1 at n = 5 is 2 of 120 orders; 0.886 at 6 and 0.786 at 7 are the critical values of 5 %. */
static void test_spearman_exact(void **state) {
	(void)state;
	const double x[] = {1, 2, 3, 4, 5, 6, 7}, five[] = {10, 20, 30, 40, 50}, swapped[] = {1, 2, 3, 5, 4};
	const double six[] = {1, 3, 2, 4, 6, 5}, seven[] = {2, 1, 5, 4, 3, 6, 7}, ties[] = {1, 1, 2, 2};
	struct ifr_correlation c;
	assert_int_equal(ifr_correlation_spearman(x, five, 4, 0.95, &c, NULL), 0);
	near(c.p, 2.0 / 24, 1e-12);
	assert_int_equal(ifr_correlation_spearman(x, five, 5, 0.95, &c, NULL), 0);
	near(c.p, 2.0 / 120, 1e-12);
	assert_int_equal(ifr_correlation_spearman(x, swapped, 5, 0.95, &c, NULL), 0);
	near(c.r, 0.9, 1e-12);
	near(c.p, 10.0 / 120, 1e-12); /* the identity and four swaps of neighbours, both signs */
	assert_int_equal(ifr_correlation_spearman(x, six, 6, 0.95, &c, NULL), 0);
	near(c.r, 1 - 6 * 4.0 / 210, 1e-12); /* 0.886 */
	assert_true(c.p > 0.03 && c.p < 0.05);
	assert_int_equal(ifr_correlation_spearman(x, seven, 7, 0.95, &c, NULL), 0);
	near(c.r, 1 - 6 * 10.0 / 336, 1e-12); /* 0.821 */
	assert_true(c.p < 0.05);
	/* Two pairs of ties have six distinct orders; two of them are extreme. */
	assert_int_equal(ifr_correlation_spearman(x, ties, 4, 0.95, &c, NULL), 0);
	near(c.p, 2.0 / 6, 1e-12);
}

/* Dobson 1983, plant weights: F = 4.846 with 2 and 27 degrees of freedom, p = 0.0159. Fleiss 1981, p. 139: smokers
 * among patients of four hospitals; the trend's chi-square is 8.2249 (R's prop.trend.test). */
static void test_classes(void **state) {
	(void)state;
	const double weight[] = {4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14,
	                         4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69,
	                         6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26};
	unsigned class_of[400];
	for (unsigned i = 0; i < 30; i++)
		class_of[i] = i < 10 ? 0 : i < 20 ? 3 : 1;
	struct ifr_classes c;
	assert_int_equal(ifr_classes_test(weight, class_of, 30, 4, &c, NULL), 0);
	assert_int_equal(c.classes, 3);
	near(c.f, 4.84609, 1e-5);
	near(c.p, 0.01591, 1e-3);
	assert_int_equal(c.lowest, 3);
	assert_int_equal(c.highest, 1);
	near(c.difference, 5.526 - 4.661, 1e-9);
	const unsigned smokers[] = {83, 90, 129, 70}, patients[] = {86, 93, 136, 82};
	double smokes[400];
	unsigned count = 0;
	for (unsigned hospital = 0; hospital < 4; hospital++)
		for (unsigned i = 0; i < patients[hospital]; i++) {
			smokes[count] = i < smokers[hospital];
			class_of[count++] = hospital;
		}
	assert_int_equal(ifr_classes_test(smokes, class_of, count, 4, &c, NULL), 0);
	near(c.trend_p, 0.00413189748, 1e-6);
	assert_true(c.trend < 0);
	assert_int_equal(ifr_classes_test(smokes, class_of, 86, 4, &c, NULL), -IFR_E_USAGE);
}

/* Benjamini and Hochberg 1995, section 3.2: of 15 p-values their procedure rejects four at 5 %, Bonferroni's
 * three. */
static void test_fdr(void **state) {
	(void)state;
	double p[] = {0.0459, 0.0001, 0.0201, 0.0004, 0.3240, 0.0019, 0.0095, 0.0278,
	              0.0298, 0.0344, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
	ifr_p_adjust_fdr(p, COUNT(p));
	int rejected = 0;
	for (size_t i = 0; i < COUNT(p); i++)
		rejected += p[i] <= 0.05;
	assert_int_equal(rejected, 4);
	near(p[6], 0.0095 * 15 / 4, 1e-12);
	near(p[8], 0.0298 * 15 / 7, 1e-12);
	near(p[14], 1, 1e-12);
}

/* Bounds of the O'Brien-Fleming-like spending function, two-sided 5 %, equal steps: five analyses as in Reboussin,
 * DeMets, Kim and Lan 2000 (4.8769, 3.3569, 2.6803, 2.2898, 2.0310), three as in Jennison and Turnbull 2000
 * (3.7103, 2.5114, 1.9930). One analysis is the plain test. */
static void test_interim_bounds(void **state) {
	(void)state;
	const double five[] = {0.2, 0.4, 0.6, 0.8, 1}, three[] = {1.0 / 3, 2.0 / 3, 1}, one[] = {1},
				 down[] = {0.5, 0.4};
	const double expected[] = {4.8769, 3.3569, 2.6803, 2.2898, 2.0310, 3.7103, 2.5114, 1.9930};
	double z[8];
	assert_int_equal(ifr_interim_bounds(0.05, five, 5, z, NULL), 0);
	assert_int_equal(ifr_interim_bounds(0.05, three, 3, z + 5, NULL), 0);
	for (int i = 0; i < 8; i++)
		assert_true(fabs(z[i] - expected[i]) < 2e-4);
	assert_int_equal(ifr_interim_bounds(0.05, one, 1, z, NULL), 0);
	near(z[0], 1.959964, 1e-6);
	assert_int_equal(ifr_interim_bounds(0.05, down, 2, z, NULL), -IFR_E_USAGE);
	near(ifr_alpha_spent(0.05, 0.5), 0.003050646, 1e-6); /* the formula in R */
	assert_true(ifr_alpha_spent(0.05, 1) == 0.05 && ifr_alpha_spent(0.05, 0) == 0);
}

/* R's power.t.test: 20 in each of two groups one sd apart, 0.8689528 (its help page; df 38, shift sqrt(10)); one
 * sample of 16, 0.8 sd off, both tails: 0.848421810264. */
static void test_power(void **state) {
	(void)state;
	near(ifr_t_power(sqrt(10), 38, 0.05), 0.8689528, 1e-6);
	near(ifr_t_power(0.8 * 4, 15, 0.05), 0.848421810264, 1e-7);
	near(ifr_t_power(0, 15, 0.05), 0.05, 1e-6);
	near(ifr_t_detectable(0.848421810264, 15, 0.05), 3.2, 1e-6);
	/* 90 % for one sd takes 22.02 in each group: shift sqrt(n / 2), df 2 n - 2. */
	near(ifr_t_detectable(0.9, 2 * 22.0210977 - 2, 0.05), sqrt(22.0210977 / 2), 1e-6);
	struct ifr_noise noise = {3, 5};
	near(ifr_detectable_effect(noise, 16, 5, 0.848421810264, 0.05), 3.2 * sqrt(4.0 / 16), 1e-6);
	/* R, one sample, sd 2, shift 0.5: 170.05 layouts, so 171; and a tenth more. */
	assert_int_equal(ifr_layouts_needed(noise, 5, 0.5, 0.9, 0.05, 100000), 171 + 18);
	assert_int_equal(ifr_layouts_needed(noise, 5, 0.5, 0.9, 0.05, 20), 0);
	/* Cochran's optimum: three runs where within is nine times between. */
	assert_int_equal(ifr_runs_optimal((struct ifr_noise){1, 9}, 1, 50), 3);
	assert_int_equal(ifr_runs_optimal((struct ifr_noise){0, 9}, 1, 50), 50);
	assert_int_equal(ifr_runs_optimal((struct ifr_noise){9, 1}, 1, 50), 1);
}

/* By hand: a quarter of the information, se 1: the final interval is +-0.98, leaves 1.02 of the margin 2, and the
 * estimate moves by sqrt(0.75) / 2 = 0.433: P(|Z| < 2.3556) = 0.9815. */
static void test_equivalence_power(void **state) {
	(void)state;
	near(ifr_interim_equivalence_power(0, 1, 0.25, 1.96, 2), 0.98150, 1e-4);
	near(ifr_interim_equivalence_power(1.02, 1, 0.25, 1.96, 2), 0.5, 1e-4);
	near(ifr_interim_equivalence_power(0, 1, 0.25, 1.96, 0.98), 0, 1e-12);
	near(ifr_interim_equivalence_power(0.5, 1, 1, 1.96, 2.5), 1, 1e-12);
	near(ifr_interim_equivalence_power(-0.6, 1, 1, 1.96, 2.5), 0, 1e-12);
}

/* Half of the time that it takes mucus to clear, in three groups: H = 0.77143 (Hollander and Wolfe 1973, section 6.1).
 * F = (H / 2) / ((13 - H) / 11) = 0.34696, and for two degrees of freedom p = (1 + 2 F / 11)^-5.5 = 0.71430. In two
 * blocks, by hand: ranks 3 and 4 against 1 and 2, one degree of freedom, F = 4, p = 1 - 2 / pi atan 2 = 0.29517. A
 * hundred times as slow a run and another level of a block change nothing. */
static void test_aligned_ranks(void **state) {
	(void)state;
	static const double clearance[] = {2.9, 3.0, 2.5, 2.6, 3.2, 3.8, 2.7, 4.0, 2.4, 2.8, 3.4, 3.7, 2.2, 2.0};
	static const unsigned group[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2}, one[14] = {0};
	static const double blocks[][4] = {{11, 22, 9, 18}, {11, 2200, 9, 1800}, {1011, 22, 1009, 18}};
	static const unsigned of_two[] = {0, 0, 1, 1}, block[] = {0, 1, 0, 1};
	double p;
	assert_int_equal(ifr_aligned_ranks_test(clearance, group, one, 14, 3, 1, &p, NULL), 0);
	assert_true(fabs(p - 0.71430) < 1e-4);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ifr_aligned_ranks_test(blocks[i], of_two, block, 4, 2, 2, &p, NULL), 0);
		assert_true(fabs(p - 0.29517) < 1e-4);
	}
	assert_int_equal(ifr_aligned_ranks_test(blocks[0], of_two, of_two, 4, 2, 2, &p, NULL), 0);
	assert_int_equal(ifr_aligned_ranks_test(blocks[0], block, one, 2, 2, 1, &p, NULL), -IFR_E_USAGE);
}

/* For two degrees of freedom the quantiles are (n / 2) (q^(-2 / n) - 1): 9.5521 and 0.24059 with n = 3. */
static void test_f_detectable(void **state) {
	(void)state;
	assert_true(fabs(ifr_f_detectable(0.8, 3, 2, 0.05) - sqrt((9.5521 / 0.24059 - 1) / 2)) < 1e-3);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_mean_unequal),
		cmocka_unit_test(test_skewed_interval),
		cmocka_unit_test(test_median_difference),
		cmocka_unit_test(test_fieller),
		cmocka_unit_test(test_bootstrap),
		cmocka_unit_test(test_correlation),
		cmocka_unit_test(test_spearman_exact),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_fdr),
		cmocka_unit_test(test_interim_bounds),
		cmocka_unit_test(test_independent),
		cmocka_unit_test(test_equivalence_power),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_aligned_ranks),
		cmocka_unit_test(test_f_detectable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
