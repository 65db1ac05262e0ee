/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression by crossed halves: by hand, and over simulated experiments in which event and response share noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/statistics/statistics.h"
#include "tests/unit/depth.h"

enum { LAYOUTS = 32, RUNS = 5 };

/* Layout effects and noise of a run, of an event and of a response. */
struct truth {
	double x_sd, x_noise;
	double slope, rest_sd, y_noise; /* y = slope x + rest + noise */
	double shared;                  /* correlation of the noises of one run */
};

struct sample {
	double x[2][LAYOUTS], y[2][LAYOUTS];
	struct ifr_halves of_x, of_y;
};

/* Each half has the medians of its runs. */
static void draw(gsl_rng *rng, const struct truth *t, unsigned layouts, struct sample *s) {
	s->of_x = (struct ifr_halves){s->x[0], s->x[1]};
	s->of_y = (struct ifr_halves){s->y[0], s->y[1]};
	for (unsigned i = 0; i < layouts; i++) {
		double own_x = gsl_ran_gaussian(rng, t->x_sd),
			   own_y = t->slope * own_x + gsl_ran_gaussian(rng, t->rest_sd);
		for (int half = 0; half < 2; half++) {
			double x[RUNS], y[RUNS];
			size_t runs = half ? RUNS / 2 : RUNS - RUNS / 2;
			for (size_t run = 0; run < runs; run++) {
				double noise = gsl_ran_gaussian(rng, 1), other = gsl_ran_gaussian(rng, 1);
				x[run] = own_x + t->x_noise * noise;
				y[run] = own_y + t->y_noise * (t->shared * noise + sqrt(1 - t->shared * t->shared) * other);
			}
			ifr_sample_median(x, runs, &s->x[half][i], NULL);
			ifr_sample_median(y, runs, &s->y[half][i], NULL);
		}
	}
}

static gsl_rng *seeded(unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

/* No layout effect, or one of the event alone: significant in at most 5 % and three standard errors. Without
 * crossing it was in all. */
static void test_shared_noise(void **state) {
	(void)state;
	const unsigned sets = at_depth(2000, 20000);
	static const double x_sds[] = {0, 1}, layouts[] = {8, LAYOUTS};
	gsl_rng *rng = seeded(1987);
	for (int i = 0; i < 4; i++) {
		const struct truth truth = {x_sds[i % 2], 1, 0, 0, 1, 0.9};
		unsigned significant = 0;
		for (unsigned set = 0; set < sets; set++) {
			struct sample s;
			double p;
			draw(rng, &truth, (unsigned)layouts[i / 2], &s);
			assert_int_equal(ifr_crossed_line_test(&s.of_x, &s.of_y, (size_t)layouts[i / 2], &p, NULL), 0);
			significant += p < 0.05;
		}
		if (significant > sets * 0.05 + 3 * sqrt(sets * 0.05 * 0.95))
			fail_msg("case %d: %u of %u", i, significant, sets);
	}
	gsl_rng_free(rng);
}

/* True slope 1: the mean slope is within 5 % of it, and intervals hold in 93 %, less three standard errors. */
static void test_slope(void **state) {
	(void)state;
	const unsigned sets = at_depth(2000, 20000);
	static const struct truth truths[] = {{1, 1, 1, 0, 1, 0},
	                                      {1, 1, 1, 0, 1, 0.9},
	                                      {1, 1, 1, 1, 1, 0.9},
	                                      {1, 0.1, 1, 0.5, 0.3, 0.9},
	                                      {1, 0, 1, 1, 1, 0}};
	const double of_medians = (ifr_median_variance(RUNS / 2) + ifr_median_variance(RUNS - RUNS / 2)) / 4;
	gsl_rng *rng = seeded(1974);
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
		double sum = 0;
		unsigned inside = 0, fitted = 0, within = 0;
		const struct truth *t = &truths[i];
		const double noise = t->y_noise * t->y_noise * of_medians, own = t->x_sd * t->x_sd;
		const double r2 = own / (own + t->rest_sd * t->rest_sd + noise);
		for (unsigned set = 0; set < sets; set++) {
			struct sample s;
			struct ifr_crossed_regression fit;
			draw(rng, &truths[i], LAYOUTS, &s);
			if (ifr_crossed_regression_fit(&s.of_x, 1, &s.of_y, LAYOUTS, 0.95, &fit, NULL))
				continue;
			fitted++;
			sum += fit.slope[0];
			inside += fit.interval[0].low <= 1 && 1 <= fit.interval[0].high;
			within += fit.r2_interval.low <= r2 && r2 <= fit.r2_interval.high;
		}
		assert_true(fitted > 0.99 * sets);
		assert_true(fabs(sum / fitted - 1) < 0.05);
		if (inside < fitted * 0.93 - 3 * sqrt(fitted * 0.93 * 0.07))
			fail_msg("truth %zu: the slope's interval holds in %u of %u", i, inside, fitted);
		if (within < fitted * 0.92 - 3 * sqrt(fitted * 0.92 * 0.08))
			fail_msg("truth %zu: r2's interval holds in %u of %u", i, within, fitted);
	}
	gsl_rng_free(rng);
}

/* By hand: crossed sums of squares 8 and of products (8 + 5) / 2, so that the slope is 6.5 / 8; the means of the halves
 * have sums of squares 9 and 8, so that the reliability is 8 / 9, and r2 is 6.5^2 / 8 / 8. */
static void test_by_hand(void **state) {
	(void)state;
	const double xa[] = {0, 1, 2, 3, 4}, xb[] = {0, 2, 1, 4, 3}, ya[] = {1, 2, 4, 3, 5}, yb[] = {2, 1, 3, 5, 4};
	const struct ifr_halves x = {xa, xb}, y = {ya, yb};
	struct ifr_crossed_regression fit;
	assert_int_equal(ifr_crossed_regression_fit(&x, 1, &y, 5, 0.95, &fit, NULL), 0);
	assert_true(fabs(fit.slope[0] - 0.8125) < 1e-12 && fabs(fit.reliability[0] - 8.0 / 9) < 1e-12);
	assert_true(fabs(fit.r - sqrt(6.5 * 6.5 / 64)) < 1e-9);
}

/* Without noise two slopes are those that were put in, and nothing is left over. */
static void test_two_predictors(void **state) {
	(void)state;
	const double first[] = {1, 5, 2, 8, 3, 9, 4}, second[] = {2, 2, 7, 1, 8, 2, 8};
	double response[7];
	for (int i = 0; i < 7; i++)
		response[i] = 10 + 3 * first[i] - 2 * second[i];
	const struct ifr_halves x[] = {{first, first}, {second, second}}, y = {response, response};
	struct ifr_crossed_regression fit;
	assert_int_equal(ifr_crossed_regression_fit(x, 2, &y, 7, 0.95, &fit, NULL), 0);
	assert_true(fabs(fit.slope[0] - 3) < 1e-9 && fabs(fit.slope[1] + 2) < 1e-9 && fit.se[0] < 1e-9);
	const struct ifr_halves same[] = {x[0], x[0]};
	assert_int_equal(ifr_crossed_regression_fit(same, 2, &y, 7, 0.95, &fit, NULL), -IFR_E_USAGE);
}

/* 20 counters, 32 layouts and no relation: significant in at most 5 % and three standard errors; with one counter
 * that explains half of the variance, found in three of four (two in three, to allow for chance). */
static void test_choice(void **state) {
	(void)state;
	enum { CANDIDATES = 20 };
	const unsigned sets = at_depth(150, 1500);
	unsigned significant[2] = {0};
	gsl_rng *rng = seeded(1993);
	for (unsigned set = 0; set < 2 * sets; set++) {
		double columns[CANDIDATES][LAYOUTS], y[LAYOUTS], p;
		const double *x[CANDIDATES];
		for (int j = 0; j < CANDIDATES; j++) {
			x[j] = columns[j];
			for (int i = 0; i < LAYOUTS; i++)
				columns[j][i] = gsl_ran_gaussian(rng, 1);
		}
		for (int i = 0; i < LAYOUTS; i++)
			y[i] = gsl_ran_gaussian(rng, 1) + (set % 2 ? columns[3][i] : 0);
		assert_int_equal(ifr_selection_test(x, CANDIDATES, LAYOUTS / 5, y, LAYOUTS, 199, set, &p, NULL), 0);
		significant[set % 2] += p < 0.05;
	}
	gsl_rng_free(rng);
	if (significant[0] > sets * 0.05 + 3 * sqrt(sets * 0.05 * 0.95))
		fail_msg("without a relation: %u of %u", significant[0], sets);
	if (significant[1] < sets * 0.65)
		fail_msg("with one: %u of %u", significant[1], sets);
}

/* Four observations in ascending order with their predictor: of all 24 orders, two have r2 = 1. */
static void test_permutations(void **state) {
	(void)state;
	const double x[] = {1, 2, 3, 4}, *column = x;
	double p;
	assert_int_equal(ifr_selection_test(&column, 1, 1, x, 4, 20000, 1, &p, NULL), 0);
	assert_true(fabs(p - 2.0 / 24) < 4 * sqrt(2.0 / 24 * 22 / 24 / 20000));
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_noise), cmocka_unit_test(test_slope),
	                                   cmocka_unit_test(test_by_hand),      cmocka_unit_test(test_two_predictors),
	                                   cmocka_unit_test(test_choice),       cmocka_unit_test(test_permutations)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
