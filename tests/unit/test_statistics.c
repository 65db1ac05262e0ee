/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of samples and layouts against certified values, published tables and simulation under fixed seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/statistics/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void near(double got, double expected, double relative) {
	if (!(fabs(got - expected) <= relative * fabs(expected)))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* By hand on 1, 2, 4, 8: type 7 puts quantile p at position 1 + 3p. */
static void test_quantiles(void **state) {
	(void)state;
	const double values[] = {8, 1, 4, 2};
	double q = 0;
	assert_int_equal(ifr_sample_quantile(values, 4, 0.25, &q, NULL), 0);
	near(q, 1.75, 1e-15);
	assert_int_equal(ifr_sample_quantile(values, 4, 0.9, &q, NULL), 0);
	near(q, 6.8, 1e-15);
	assert_int_equal(ifr_sample_median(values, 4, &q, NULL), 0);
	near(q, 3, 1e-15);
}

/* Confidence of order-statistic intervals: hand arithmetic, 1 - 2 (1/2)^5 = 0.9375. For 31 the pair (10, 22) is in
 * Conover 1999, table A3 (binomial): P(X <= 9) = 0.0147. */
static void test_median_interval(void **state) {
	(void)state;
	const double five[] = {3, 1, 5, 2, 4};
	struct ifr_interval interval;
	assert_int_equal(ifr_median_interval(five, 5, 0.95, &interval, NULL), 0);
	near(interval.low, 1, 0);
	near(interval.high, 5, 0);
	near(interval.confidence, 0.9375, 1e-12);
	double many[31];
	for (int i = 0; i < 31; i++)
		many[i] = 31 - i;
	assert_int_equal(ifr_median_interval(many, 31, 0.95, &interval, NULL), 0);
	near(interval.low, 10, 0);
	near(interval.high, 22, 0);
	near(interval.confidence, 1 - 2 * 0.0147, 1e-4);
	const double two[] = {2, 1};
	assert_int_equal(ifr_median_interval(two, 2, 0.95, &interval, NULL), 0);
	near(interval.confidence, 0.5, 1e-12);
}

/* Efficiency of the median, 1 / (n variance). Ref: Dixon and Massey 1969, table A-8b(1), to three places. */
static void test_median_variance(void **state) {
	(void)state;
	static const double efficiency[] = {0, 1.0, 1.0, .743, .838, .697, .776, .679, .743, .669, .723};
	for (size_t n = 1; n < COUNT(efficiency); n++)
		assert_true(fabs(1 / ((double)n * ifr_median_variance(n)) - efficiency[n]) < 0.0006);
	near(ifr_median_variance(499), M_PI_2 / 499, 0.005);
	near(ifr_median_variance(498), M_PI_2 / 498, 0.005);
}

/* NIST StRD, linear regression, Norris: data and certified values. */
static const double norris_y[] = {0.1, 338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3,
                                  0.1, 778.1, 668.8, 339.3, 448.9, 10.8,  557.7, 228.3, 998.0, 888.8, 119.6, 0.3,
                                  0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
static const double norris_x[] = {0.2, 337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4,
                                  0.6, 775.5, 666.9, 338.0, 447.5, 11.6,  556.0, 228.1, 995.8, 887.6, 120.2, 0.3,
                                  0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};

static void test_line(void **state) {
	(void)state;
	struct ifr_regression_line line;
	assert_int_equal(ifr_regression_line_fit(norris_x, norris_y, COUNT(norris_x), &line, NULL), 0);
	near(line.intercept, -0.262323073774029, 1e-10);
	near(line.slope, 1.00211681802045, 1e-12);
	near(line.intercept_se, 0.232818234301152, 1e-10);
	near(line.slope_se, 0.429796848199937E-03, 1e-10);
	near(line.residual_sd, 0.884796396144373, 1e-10);
	near(line.r2, 0.999993745883712, 1e-12);
	near(line.t * line.t, 5436385.54079785, 1e-8); /* the certified F statistic */
}

/* Hand arithmetic: x = 1..5, y = 2, 4, 5, 4, 5 gives y = 2.2 + 0.6 x, residual sum of squares 2.4, sxx 10, so
 * se(slope) = sqrt(0.8/10), t = 2.1213; t(0.975; 3) = 3.182 and the p-value from a t table (between .1 and .2). At
 * x = 3 the line's half-width is 3.1824 sqrt(0.8/5), a further point's 3.1824 sqrt(0.8 * 6/5). */
static void test_line_by_hand(void **state) {
	(void)state;
	const double x[] = {1, 2, 3, 4, 5}, y[] = {2, 4, 5, 4, 5};
	struct ifr_regression_line line;
	struct ifr_interval mean, point;
	assert_int_equal(ifr_regression_line_fit(x, y, 5, &line, NULL), 0);
	near(line.intercept, 2.2, 1e-12);
	near(line.slope, 0.6, 1e-12);
	near(line.t, 2.12132, 1e-5);
	assert_true(line.p > 0.1 && line.p < 0.2);
	ifr_regression_line_bands(&line, 3, 0.95, &mean, &point);
	near((mean.high - mean.low) / 2, 3.1824 * sqrt(0.8 / 5), 1e-4);
	near((point.high - point.low) / 2, 3.1824 * sqrt(0.8 * 6 / 5), 1e-4);
	near((point.high + point.low) / 2, 4, 1e-12);
	const double exact[] = {1, 2, 3};
	assert_int_equal(ifr_regression_line_fit(exact, exact, 3, &line, NULL), 0);
	near(line.slope, 1, 1e-12);
	assert_true(line.p < 1e-6 && isfinite(line.t));
}

/* NIST StRD, analysis of variance, SiRstv: data and certified values. */
static const double sirstv[5][5] = {{196.3052, 196.1240, 196.1890, 196.2569, 196.3403},
                                    {196.3042, 196.3825, 196.1669, 196.3257, 196.0422},
                                    {196.1303, 196.2005, 196.2889, 196.0343, 196.1811},
                                    {196.2795, 196.1748, 196.1494, 196.1485, 195.9885},
                                    {196.2119, 196.1051, 196.1850, 196.0052, 196.2090}};

static void test_components(void **state) {
	(void)state;
	struct ifr_group groups[5];
	for (int i = 0; i < 5; i++)
		groups[i] = (struct ifr_group){sirstv[i], 5};
	struct ifr_components c;
	assert_int_equal(ifr_components_estimate(groups, 5, 0.95, &c, NULL), 0);
	near(c.ss_between, 5.11462616000000E-02, 1e-9);
	near(c.ms_between, 1.27865654000000E-02, 1e-9);
	near(c.f, 1.18046237440255E+00, 1e-9);
	near(c.ss_within, 2.16636560000000E-01, 1e-9);
	near(c.ms_within, 1.08318280000000E-02, 1e-9);
	near(sqrt(c.ms_within), 1.04076068334656E-01, 1e-9);
	near(c.n0, 5, 1e-12);
	near(c.between_variance, (0.0127865654 - 0.0108318280) / 5, 1e-6);
	/* Williams's bounds from tables: chi2(.025; 4) = 0.484419, F(.025; 4, 20) = 1/8.5599 (the upper point with
	 * 20 and 4 degrees of freedom); the lower bound is below zero, since F < F(.975; 4, 20) = 3.5147. */
	near(c.between_interval.high, sqrt((0.0511462616 - 4 * 0.0108318280 / 8.5599) / (5 * 0.484419)), 1e-4);
	assert_true(c.between_interval.low == 0);
	assert_true(c.p > 0.25); /* F(.75; 4, 20) = 1.47 in any F table */
}

/* Equal means of noisy runs, MS within 3/2: the interval is not [0, 0], but that of F = 1. Tables as above, for four
 * layouts of three runs: chi2(.025; 3) = 0.215795, F(.975; 8, 3) = 14.5399. */
static void test_components_of_equal_means(void **state) {
	(void)state;
	const double a[] = {9, 10, 11}, b[] = {8, 10, 12}, c_[] = {10, 10, 10};
	const struct ifr_group groups[] = {{a, 3}, {b, 3}, {c_, 3}, {a, 3}};
	struct ifr_group many[12];
	struct ifr_components c;
	assert_int_equal(ifr_components_estimate(groups, 4, 0.95, &c, NULL), 0);
	near(c.ms_within, 12.0 / 8, 1e-12);
	assert_true(c.between_sd == 0 && c.between_interval.low == 0);
	near(c.between_interval.high, sqrt(3 * 1.5 * (1 - 1 / 14.5399) / (3 * 0.215795)), 1e-4);
	for (int i = 0; i < 12; i++)
		many[i] = groups[i % 4];
	assert_int_equal(ifr_components_estimate(many, 12, 0.95, &c, NULL), 0);
	assert_true(c.between_interval.low == 0 && c.between_interval.high > 0);
}

/* Two layouts far apart, four runs each: MS between 800, MS within 1; tables: chi2(.975; 1) = 5.02389,
 * F(.975; 1, 6) = 8.8131. */
static void test_components_lower_bound(void **state) {
	(void)state;
	const double a[] = {9, 10, 10, 11}, b[] = {29, 30, 30, 31};
	const struct ifr_group groups[] = {{a, 4}, {b, 4}};
	struct ifr_components c;
	assert_int_equal(ifr_components_estimate(groups, 2, 0.95, &c, NULL), 0);
	near(c.ms_between, 800, 1e-12);
	near(c.ms_within, 4.0 / 6, 1e-12);
	near(c.between_interval.low, sqrt((800 - 4.0 / 6 * 8.8131) / (4 * 5.02389)), 1e-4);
	near(c.f, 1200, 1e-12);
}

/* Hand arithmetic for sizes 1, 2, 3: n0 = (6 - 14/6) / 2. */
static void test_components_unequal(void **state) {
	(void)state;
	const double values[] = {1, 4, 6, 8, 9, 10};
	const struct ifr_group groups[] = {{values, 1}, {NULL, 0}, {values + 1, 2}, {values + 3, 3}};
	struct ifr_components c;
	assert_int_equal(ifr_components_estimate(groups, 4, 0.95, &c, NULL), 0);
	assert_int_equal(c.groups, 3);
	near(c.n0, (6 - 14.0 / 6) / 2, 1e-12);
	near(c.ms_within, 4.0 / 3, 1e-12);
	near(c.ss_between, 160.0 / 3, 1e-12); /* (-16/3)^2 + 2 (-4/3)^2 + 3 (8/3)^2 */
}

/* Davies and Goldsmith 1972, table 6.2, the yields of dyestuff; by REML 1764.05 and 2451.25 (Bates 2010,
 * section 1.3). */
static void test_reml_dyestuff(void **state) {
	(void)state;
	static const double yield[6][5] = {{1545, 1440, 1440, 1520, 1580}, {1540, 1555, 1490, 1560, 1495},
	                                   {1595, 1550, 1605, 1510, 1560}, {1445, 1440, 1595, 1465, 1545},
	                                   {1595, 1630, 1515, 1635, 1625}, {1520, 1455, 1450, 1480, 1445}};
	struct ifr_group groups[6];
	for (int i = 0; i < 6; i++)
		groups[i] = (struct ifr_group){yield[i], 5};
	double between, within;
	ifr_reml_estimate(groups, 6, &between, &within);
	near(between, 1764.05, 1e-5);
	near(within, 2451.25, 1e-5);
}

/* Unequal sizes: y'P A P y = tr(P A) for A = ZZ' and A = I is what the restricted likelihood asks of its maximum
 * (Searle, Casella and McCulloch 1992, equation 6.62), with P written out as a matrix. */
static void test_reml_unequal(void **state) {
	(void)state;
	enum { N = 9 };
	const double y[N] = {3, 9, 11, 8.5, 14, 13, 15.5, 20, 6};
	const int group[N] = {0, 1, 1, 1, 2, 2, 2, 3, 4};
	const struct ifr_group groups[] = {{y, 1}, {y + 1, 3}, {y + 4, 3}, {y + 7, 1}, {y + 8, 1}};
	const double size[] = {1, 3, 3, 1, 1};
	double b, w, inverse[N][N], row[N] = {0}, total = 0, py[N] = {0};
	ifr_reml_estimate(groups, 5, &b, &w);
	assert_true(b > 1 && w > 0.5);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			inverse[i][j] = ((i == j) - (group[i] == group[j] ? b / (w + size[group[i]] * b) : 0)) / w;
			row[i] += inverse[i][j];
			total += inverse[i][j];
		}
	double trace[2] = {0}, form[2] = {0};
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double p = inverse[i][j] - row[i] * row[j] / total;
			py[i] += p * y[j];
			trace[0] += group[i] == group[j] ? p : 0;
			trace[1] += i == j ? p : 0;
		}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			form[0] += group[i] == group[j] ? py[i] * py[j] : 0;
			form[1] += i == j ? py[i] * py[j] : 0;
		}
	near(form[0], trace[0], 1e-5);
	near(form[1], trace[1], 1e-5);
	struct ifr_components c;
	assert_int_equal(ifr_components_estimate(groups, 5, 0.95, &c, NULL), 0);
	near(c.between_variance, b, 1e-12);
}

enum { SETS = 2000, LAYOUTS = 32, RUNS = 5 };

/* Fills one experiment; sizes vary between 2 and RUNS when unequal. */
static void simulate(gsl_rng *rng, double between, double within, int unequal, double values[LAYOUTS][RUNS],
                     struct ifr_group groups[LAYOUTS]) {
	for (int i = 0; i < LAYOUTS; i++) {
		double layout = 100 + gsl_ran_gaussian(rng, between);
		groups[i] = (struct ifr_group){values[i], (size_t)(unequal ? 2 + i % 4 : RUNS)};
		for (int j = 0; j < RUNS; j++)
			values[i][j] = layout + gsl_ran_gaussian(rng, within);
	}
}

static double coverage(double between, double within, int unequal) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 20111);
	int inside = 0;
	for (int set = 0; set < SETS; set++) {
		double values[LAYOUTS][RUNS];
		struct ifr_group groups[LAYOUTS];
		struct ifr_components c;
		simulate(rng, between, within, unequal, values, groups);
		assert_int_equal(ifr_components_estimate(groups, LAYOUTS, 0.95, &c, NULL), 0);
		inside += c.between_interval.low <= between && between <= c.between_interval.high;
	}
	gsl_rng_free(rng);
	return 100.0 * inside / SETS;
}

static void test_coverage(void **state) {
	(void)state;
	const double got[] = {coverage(1.8, 0.3, 0), coverage(1.8, 0.3, 1), coverage(1, 1, 0), coverage(1, 1, 1)};
	for (size_t i = 0; i < COUNT(got); i++)
		if (!(got[i] >= 93 && got[i] <= 97))
			fail_msg("case %zu: the 95 %% interval covers %.2f %%", i, got[i]);
}

/* The best of 32 layouts by its median, measured again: the prediction is unbiased and its interval keeps its
 * confidence, although the first measurement is too good. */
static void test_prediction(void **state) {
	(void)state;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 4711);
	double error = 0, naive = 0, within = 1.5, between = 1;
	int inside = 0;
	for (int set = 0; set < SETS; set++) {
		double values[LAYOUTS][RUNS], truth[LAYOUTS], medians[LAYOUTS], centre = 0, again[RUNS], second;
		struct ifr_group groups[LAYOUTS];
		int best = 0;
		for (int i = 0; i < LAYOUTS; i++) {
			truth[i] = gsl_ran_gaussian(rng, between);
			for (int j = 0; j < RUNS; j++)
				values[i][j] = truth[i] + gsl_ran_gaussian(rng, within);
			groups[i] = (struct ifr_group){values[i], RUNS};
			assert_int_equal(ifr_sample_median(values[i], RUNS, &medians[i], NULL), 0);
			centre += medians[i] / LAYOUTS;
			best = medians[i] < medians[best] ? i : best;
		}
		struct ifr_components c;
		assert_int_equal(ifr_components_estimate(groups, LAYOUTS, 0.95, &c, NULL), 0);
		double noise = c.ms_within * ifr_median_variance(RUNS);
		struct ifr_shrinkage s = {medians[best],      noise, centre,      (c.between_variance + noise) / LAYOUTS,
		                          c.between_variance, noise, c.df_between};
		struct ifr_prediction prediction;
		assert_int_equal(ifr_shrinkage_predict(&s, 0.95, &prediction, NULL), 0);
		for (int j = 0; j < RUNS; j++)
			again[j] = truth[best] + gsl_ran_gaussian(rng, within);
		assert_int_equal(ifr_sample_median(again, RUNS, &second, NULL), 0);
		error += (second - prediction.expected) / SETS;
		naive += (second - medians[best]) / SETS;
		inside += prediction.again.low <= second && second <= prediction.again.high;
	}
	gsl_rng_free(rng);
	assert_true(naive > 0.5);        /* else the test would show nothing */
	assert_true(fabs(error) < 0.08); /* five standard errors */
	assert_in_range(inside, SETS * 93 / 100, SETS * 97 / 100);
}

/* Weights of 11 men, from Snedecor and Cochran 1967; A^2 by Python 3.11's statistics.NormalDist. */
static void test_normality(void **state) {
	(void)state;
	const double weights[] = {148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236};
	struct ifr_normality normality;
	assert_int_equal(ifr_normality_check(weights, COUNT(weights), &normality, NULL), 0);
	near(normality.a2, 0.9467718795988862, 1e-10);
	near(normality.a2_adjusted, 1.028929769977302, 1e-10);
	assert_true(normality.p > 0.01 && normality.p < 0.025); /* as in test_normality_tail */
	const double even[] = {1, 1, 1, 1, 1, 1, 1, 1e9};
	assert_int_equal(ifr_normality_check(even, 8, &normality, NULL), 0);
	assert_true(normality.p < 1e-4);
}

/* Percentage points: D'Agostino and Stephens 1986, table 4.7, case 3. Adjusted statistics with their p by other
 * programs: NAG's g08ckc example (.171296, .931155); R's nortest, ad.test on its manual's pages, n = 100 (.84479,
 * .02864; 1.3941, .001244), adjusted by 1.007725. Adjacent
 * pieces of the approximation agree at their ends. */
static void test_normality_tail(void **state) {
	(void)state;
	static const double points[][2] = {{.341, .5},  {.470, .25},  {.561, .15},  {.631, .1},
	                                   {.752, .05}, {.873, .025}, {1.035, .01}, {1.159, .005}};
	static const double programs[][2] = {
		{.171296, .931155}, {.84479 * 1.007725, .02864}, {1.3941 * 1.007725, .001244}};
	for (size_t i = 0; i < COUNT(points); i++)
		near(ifr_normality_tail(points[i][0]), points[i][1], 0.03);
	for (size_t i = 0; i < COUNT(programs); i++)
		near(ifr_normality_tail(programs[i][0]), programs[i][1], 1e-3);
	static const double joints[] = {.2, .34, .6};
	for (size_t i = 0; i < COUNT(joints); i++)
		near(ifr_normality_tail(joints[i] - 1e-9), ifr_normality_tail(joints[i] + 1e-9), 0.03);
	for (double a = 0.01; a < 1000; a *= 1.05)
		assert_true(ifr_normality_tail(a * 1.05) <= ifr_normality_tail(a) + 0.003);
}

/* The level of the test, by simulation of normal samples. Stephens's approximation is good to some tenths of a per
 * cent. */
static void test_normality_level(void **state) {
	(void)state;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 99);
	int below_5 = 0, below_25 = 0, below_50 = 0, below_90 = 0, sets = 4000;
	for (int set = 0; set < sets; set++) {
		double values[32];
		for (int i = 0; i < 32; i++)
			values[i] = gsl_ran_gaussian(rng, 2);
		struct ifr_normality normality;
		assert_int_equal(ifr_normality_check(values, 32, &normality, NULL), 0);
		below_5 += normality.p < 0.05;
		below_25 += normality.p < 0.25;
		below_50 += normality.p < 0.5;
		below_90 += normality.p < 0.9;
	}
	gsl_rng_free(rng);
	assert_in_range(below_5, sets * 4 / 100, sets * 6 / 100);
	assert_in_range(below_25, sets * 22 / 100, sets * 28 / 100);
	assert_in_range(below_50, sets * 47 / 100, sets * 53 / 100);
	assert_in_range(below_90, sets * 88 / 100, sets * 92 / 100);
}

/* Hand arithmetic: 1, 2, 3, 4, 5 has sd 1.5811, interquartile range 2, 2/1.34 = 1.4925. */
static void test_density(void **state) {
	(void)state;
	const double values[] = {1, 2, 3, 4, 5};
	double bandwidth = 0, area = 0;
	assert_int_equal(ifr_density_bandwidth(values, 5, &bandwidth, NULL), 0);
	near(bandwidth, 0.9 * 1.492537 * pow(5, -0.2), 1e-6);
	for (int i = -100; i < 160; i++)
		area += 0.1 * ifr_density_at(values, 5, bandwidth, i * 0.1);
	near(area, 1, 1e-6);
	near(ifr_density_at(values, 1, 2, 1), 1 / (2 * sqrt(2 * M_PI)), 1e-12);
	assert_true(fabs(ifr_normal_score(1, 10) + 1.5388) < 0.01); /* the exact score, Harter 1961, table 1 */
	/* Two equal values take the two lowest scores; R: qnorm((c(1, 2, 3, 4) - 3/8) / 4.25). */
	const double tied[] = {30, 10, 20, 10};
	double scores[4];
	ifr_normal_scores(tied, 4, 1, scores);
	near(scores[0], 1.0491314, 1e-6);
	near(scores[2], 0.2993069, 1e-6);
	near(fmin(scores[1], scores[3]), -1.0491314, 1e-6);
	near(fmax(scores[1], scores[3]), -0.2993069, 1e-6);
}

/* Clopper and Pearson for 2 of 20: 1.23 % to 31.70 % (Blyth and Still 1983, table). No hit in n: 1 - (.025)^(1/n).
 */
static void test_intervals(void **state) {
	(void)state;
	struct ifr_interval share;
	assert_int_equal(ifr_proportion_interval(2, 20, 0.95, &share, NULL), 0);
	near(share.low, 0.0123, 0.005);
	near(share.high, 0.3170, 0.0005);
	assert_int_equal(ifr_proportion_interval(0, 31, 0.95, &share, NULL), 0);
	near(share.high, 1 - pow(0.025, 1.0 / 31), 1e-9);
	assert_true(share.low == 0);
	/* 3-4-5 triangles. */
	struct ifr_interval d =
		ifr_difference_interval(10, (struct ifr_interval){7, 16, .95}, 5, (struct ifr_interval){-3, 9, .9375});
	near(d.low, 0, 1e-12);
	near(d.high, 15, 1e-12);
	near(d.confidence, .9375, 0);
	/* t(.975; 10) = 2.2281; Bonferroni's t for 5 comparisons, 10 degrees of freedom: 3.1693 = t(.995; 10). */
	near(ifr_t_interval(0, 1, 10, 0.95, 1).high, 2.2281, 1e-4);
	near(ifr_t_interval(0, 1, 10, 0.95, 5).high, 3.1693, 1e-4);
	/* Holm by hand: .01*4, max(.04, .02*3), max(.06, .03*2), .04*1 -> raised to .06; what was not tested stays out. */
	double p[] = {.03, .01, .04, .02, NAN};
	ifr_p_adjust_holm(p, 5);
	assert_true(isnan(p[4]));
	near(p[1], .04, 1e-12);
	near(p[3], .06, 1e-12);
	near(p[0], .06, 1e-12);
	near(p[2], .06, 1e-12);
}

static void says(int result, const struct ifr_error *err, const char *words) {
	assert_true(result < 0);
	if (!strstr(err->message, words))
		fail_msg("\"%s\" does not say \"%s\"", err->message, words);
}

/* Insufficient data give an error message, never a crash or a NaN. */
static void test_poor_data(void **state) {
	(void)state;
	const double same[] = {7, 7, 7, 7, 7, 7, 7, 7}, bad[] = {1, NAN, 3}, up[] = {1, 2, 3};
	struct ifr_error err = {0};
	struct ifr_components c;
	struct ifr_normality normality;
	struct ifr_regression_line line;
	struct ifr_interval interval;
	double value;
	says(ifr_sample_median(same, 0, &value, &err), &err, "at least 1");
	says(ifr_sample_median(bad, 3, &value, &err), &err, "value 2 of 3 is not a number");
	says(ifr_median_interval(up, 1, 0.95, &interval, &err), &err, "at least 2");
	says(ifr_normality_check(same, 8, &normality, &err), &err, "the same");
	says(ifr_normality_check(up, 3, &normality, &err), &err, "at least 8");
	says(ifr_density_bandwidth(up, 2, &value, &err), &err, "at least 3");
	says(ifr_regression_line_fit(up, up, 2, &line, &err), &err, "at least 3");
	says(ifr_regression_line_fit(same, up, 3, &line, &err), &err, "the same");
	says(ifr_regression_line_fit(up, same, 3, &line, &err), &err, "the same");
	says(ifr_regression_line_fit(bad, up, 3, &line, &err), &err, "not a number");
	says(ifr_proportion_interval(0, 0, 0.95, &interval, &err), &err, "proportion");
	const struct ifr_group one[] = {{up, 3}}, constant[] = {{same, 3}, {same, 5}},
						   single[] = {{up, 1}, {up + 1, 1}}, broken[] = {{up, 3}, {bad, 3}},
						   exact[] = {{same, 2}, {up, 1}};
	says(ifr_components_estimate(one, 1, 0.95, &c, &err), &err, "two layouts");
	says(ifr_components_estimate(one, 0, 0.95, &c, &err), &err, "none");
	says(ifr_components_estimate(broken, 2, 0.95, &c, &err), &err, "not a number");
	assert_int_equal(ifr_components_estimate(constant, 2, 0.95, &c, &err), 0);
	assert_true(c.between_sd == 0 && !c.testable && c.between_interval.high == 0);
	assert_int_equal(ifr_components_estimate(single, 2, 0.95, &c, &err), 0);
	assert_true(!c.noise_known && isfinite(c.between_interval.high));
	near(c.between_sd, sqrt(0.5), 1e-12);
	assert_int_equal(ifr_components_estimate(exact, 2, 0.95, &c, &err), 0);
	assert_true(c.noise_known && !c.testable && isfinite(c.between_sd));
	assert_true(ifr_reliability(0, 0) == 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_median_interval),
		cmocka_unit_test(test_median_variance),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_line_by_hand),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_components_of_equal_means),
		cmocka_unit_test(test_components_lower_bound),
		cmocka_unit_test(test_components_unequal),
		cmocka_unit_test(test_reml_dyestuff),
		cmocka_unit_test(test_reml_unequal),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_prediction),
		cmocka_unit_test(test_normality),
		cmocka_unit_test(test_normality_tail),
		cmocka_unit_test(test_normality_level),
		cmocka_unit_test(test_density),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_poor_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
