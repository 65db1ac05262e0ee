/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Periods and spikes: made series whose answers were put in, arithmetic by hand, and error rates by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "depth.h"
#include "harness/statistics/statistics.h"

enum { LENGTH = 96, SHORT = 24, LEVELS = 65, FEW = 17, RUNS = 5 };

static gsl_rng *start(unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

/* 1 2 9, four times: phases 0, 1, 2 have means 1, 2, 9, and explain everything; period 3, not 6. */
static void test_period_by_hand(void **state) {
	(void)state;
	const double values[] = {1, 2, 9, 1, 2, 9, 1, 2, 9, 1, 2, 9};
	struct ifr_period period;
	assert_int_equal(ifr_period_find(values, 12, 1, &period, NULL), 0);
	assert_int_equal(period.steps, 3);
	assert_float_equal(period.share, 1, 1e-12);
	assert_int_equal(period.lowest, 0);
	assert_int_equal(period.highest, 2);
	assert_true(period.p < 0.01);
	/* 3 5 1 5 3 4 1 6: at two steps the phases' means are 2 and 5, 8 values have the mean 3.5 and a sum of squares of 24;
	 * between the phases it is 8 * 1.5^2 = 18. */
	const double other[] = {3, 5, 1, 5, 3, 4, 1, 6};
	assert_int_equal(ifr_period_find(other, 8, 1, &period, NULL), 0);
	assert_int_equal(period.steps, 2);
	assert_float_equal(period.share, 18.0 / 24, 1e-12);
}

static void test_period_refuses(void **state) {
	(void)state;
	const double same[] = {2, 2, 2, 2, 2, 2, 2}, few[] = {1, 2, 1, 2, 1};
	struct ifr_period period = {.steps = 77};
	struct ifr_error err = {0};
	assert_int_equal(ifr_period_find(same, 7, 1, &period, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_period_find(few, 5, 1, &period, &err), -IFR_E_USAGE);
	assert_int_equal(period.steps, 77);
}

/* A wave, and a train of spikes of one step, in noise: each period is found, of spikes with its phase. Three repeats of a
 * wave in noise tell its period to a step. */
static void test_period_in_noise(void **state) {
	(void)state;
	static const size_t periods[] = {4, 7, 32};
	gsl_rng *rng = start(4);
	for (size_t i = 0; i < 3; i++)
		for (int spikes = 0; spikes < 2; spikes++) {
			double values[LENGTH];
			struct ifr_period period;
			for (size_t j = 0; j < LENGTH; j++) {
				double phase = (double)(j % periods[i]) / (double)periods[i];
				double signal = spikes ? 10.0 * (j % periods[i] == 3) : 2.5 * sin(2 * M_PI * phase);
				values[j] = 100 + signal + gsl_ran_gaussian(rng, 1);
			}
			assert_int_equal(ifr_period_find(values, LENGTH, i, &period, NULL), 0);
			assert_in_range(period.steps, periods[i] - (periods[i] > 7 && !spikes), periods[i]);
			assert_true(period.p < 0.05);
			if (spikes)
				assert_int_equal(period.highest, 3);
		}
	gsl_rng_free(rng);
}

/* How many of `tries` series of noise have a period at 5 %. heavy: with Cauchy noise. */
static int count_false_periods(int tries, bool heavy) {
	gsl_rng *rng = start(heavy ? 11 : 12);
	int found = 0;
	for (int i = 0; i < tries; i++) {
		double values[SHORT];
		struct ifr_period period;
		for (size_t j = 0; j < SHORT; j++)
			values[j] = heavy ? gsl_ran_cauchy(rng, 1) : gsl_ran_gaussian(rng, 1);
		assert_int_equal(ifr_period_find(values, SHORT, (uint64_t)i, &period, NULL), 0);
		found += period.p < 0.05;
	}
	gsl_rng_free(rng);
	return found;
}

/* White noise has a period in 5 of 100 series: of 200, a count from 2 to 21 has a probability above 0.9998 under
 * Binomial(200, 0.05); of 2000, 65 to 138. */
static void test_period_level(void **state) {
	(void)state;
	const int tries = at_depth(200, 2000), least = at_depth(2, 65), most = at_depth(21, 138);
	for (int heavy = 0; heavy < 2; heavy++) {
		const int found = count_false_periods(tries, heavy);
		assert_in_range(found, least, most);
	}
}

static void fill(gsl_rng *rng, double runs[LEVELS][RUNS], const double *levels[LEVELS], size_t counts[LEVELS]) {
	for (size_t i = 0; i < LEVELS; i++) {
		levels[i] = runs[i];
		counts[i] = RUNS;
		for (size_t j = 0; j < RUNS; j++)
			runs[i][j] = 100 * exp(gsl_ran_gaussian(rng, 0.02)); /* skewed, as times are */
	}
}

/* One value of 65 is 10 % slower at a noise of 2 %: it stands out, and it alone. */
static void test_spike_is_found(void **state) {
	(void)state;
	double runs[LEVELS][RUNS], p[LEVELS];
	const double *levels[LEVELS];
	size_t counts[LEVELS];
	gsl_rng *rng = start(5);
	fill(rng, runs, levels, counts);
	for (size_t j = 0; j < RUNS; j++)
		runs[40][j] *= 1.1;
	assert_int_equal(ifr_spikes_test(levels, counts, LEVELS, 1, p, NULL), 0);
	for (size_t i = 0; i < LEVELS; i++)
		assert_true((p[i] < 0.05) == (i == 40));
	/* Several do not hide each other. */
	fill(rng, runs, levels, counts);
	for (size_t i = 0; i < LEVELS; i += 8)
		for (size_t j = 0; j < RUNS; j++)
			runs[i][j] *= 1.2;
	assert_int_equal(ifr_spikes_test(levels, counts, LEVELS, 1, p, NULL), 0);
	for (size_t i = 0; i < LEVELS; i++)
		assert_true((p[i] < 0.05) == (i % 8 == 0));
	/* One slow run is no slow value. */
	fill(rng, runs, levels, counts);
	runs[12][0] *= 2;
	assert_int_equal(ifr_spikes_test(levels, counts, LEVELS, 1, p, NULL), 0);
	assert_true(p[12] > 0.05);
	gsl_rng_free(rng);
}

/* Without any effect, an experiment names a value in 5 of 100 cases, however many values there are. Of 200: 2 to 21, of
 * 2000: 65 to 138, as above. */
static void test_spike_level(void **state) {
	(void)state;
	const int tries = at_depth(200, 2000);
	gsl_rng *rng = start(6);
	int found = 0;
	for (int i = 0; i < tries; i++) {
		double runs[LEVELS][RUNS], p[LEVELS], least = 1;
		const double *levels[LEVELS];
		size_t counts[LEVELS];
		fill(rng, runs, levels, counts);
		counts[3] = 4;
		assert_int_equal(ifr_spikes_test(levels, counts, FEW, (uint64_t)i, p, NULL), 0);
		for (size_t j = 0; j < FEW; j++)
			least = fmin(least, p[j]);
		found += least < 0.05;
	}
	assert_in_range(found, at_depth(2, 65), at_depth(21, 138));
	gsl_rng_free(rng);
}

static void test_spikes_refuse(void **state) {
	(void)state;
	const double a[] = {1, 2}, b[] = {2, 3}, c[] = {1};
	const double *const levels[] = {a, b, c};
	const size_t counts[] = {2, 2, 1};
	double p[3];
	struct ifr_error err = {0};
	assert_int_equal(ifr_spikes_test(levels, counts, 3, 1, p, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_spikes_test(levels, counts, 2, 1, p, &err), -IFR_E_USAGE);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_period_by_hand),  cmocka_unit_test(test_period_refuses),
		cmocka_unit_test(test_period_in_noise), cmocka_unit_test(test_period_level),
		cmocka_unit_test(test_spike_is_found),  cmocka_unit_test(test_spike_level),
		cmocka_unit_test(test_spikes_refuse)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
