/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bursts of the machine, by simulation under fixed seeds: tests keep their level, and find more. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/statistics/disturbance.h"

enum { SETS = 2000, MOST_RUNS = 500 };

/* Runs of layouts about 100, a round after the other, each in a random order. */
struct machine {
	unsigned layouts, rounds;
	double between, within;
	unsigned bursts, length; /* of runs, on average */
	double height;           /* of a burst, +-10 % from run to run */
	double tail;             /* share of single runs that are late by 5 on average */
};

struct experiment {
	double values[MOST_RUNS];
	unsigned group[MOST_RUNS];
};

static void add_bursts(const struct machine *m, unsigned count, gsl_rng *rng, double *values) {
	for (unsigned i = 0; i < m->bursts; i++) {
		unsigned from = (unsigned)gsl_rng_uniform_int(rng, count),
				 length = 1 + gsl_ran_poisson(rng, m->length - 1);
		for (unsigned j = from; j < from + length && j < count; j++)
			values[j] += m->height * (1 + gsl_ran_gaussian(rng, 0.1));
	}
}

static void run(const struct machine *m, gsl_rng *rng, struct experiment *e) {
	double layout[100];
	unsigned order[100], count = 0;
	for (unsigned i = 0; i < m->layouts; i++) {
		layout[i] = 100 + gsl_ran_gaussian(rng, m->between);
		order[i] = i;
	}
	for (unsigned round = 0; round < m->rounds; round++) {
		gsl_ran_shuffle(rng, order, m->layouts, sizeof *order);
		for (unsigned i = 0; i < m->layouts; i++, count++) {
			e->group[count] = order[i];
			e->values[count] = layout[order[i]] + gsl_ran_gaussian(rng, m->within);
			if (gsl_rng_uniform(rng) < m->tail)
				e->values[count] += gsl_ran_exponential(rng, 5);
		}
	}
	add_bursts(m, count, rng, e->values);
}

static struct ifr_components split(const struct machine *m, const double *values, const unsigned *group) {
	double sorted[MOST_RUNS];
	struct ifr_group groups[100];
	struct ifr_components c;
	for (unsigned g = 0, at = 0; g < m->layouts; g++) {
		groups[g] = (struct ifr_group){sorted + at, m->rounds};
		for (unsigned i = 0; i < m->layouts * m->rounds; i++)
			if (group[i] == g)
				sorted[at++] = values[i];
	}
	assert_int_equal(ifr_components_estimate(groups, m->layouts, 0.95, &c, NULL), 0);
	return c;
}

/* Per cent of the experiments that find a difference between layouts, with the values as they are and adjusted. */
static void find(const struct machine *m, double *plain_pct, double *adjusted_pct) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 1937);
	unsigned plain = 0, adjusted = 0;
	for (int set = 0; set < SETS; set++) {
		struct experiment e;
		struct ifr_disturbances bursts;
		double detrended[MOST_RUNS], winsorised[MOST_RUNS];
		run(m, rng, &e);
		const struct ifr_series series = {e.values, e.group, (size_t)m->layouts * m->rounds, m->layouts};
		assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &bursts, NULL), 0);
		plain += split(m, e.values, e.group).p < 0.05;
		adjusted += split(m, winsorised, e.group).p < 0.05;
	}
	gsl_rng_free(rng);
	*plain_pct = 100.0 * plain / SETS;
	*adjusted_pct = 100.0 * adjusted / SETS;
}

/* Layouts without a difference: 5 +- 1.5 %, quiet or not. */
static void test_level(void **state) {
	(void)state;
	const struct machine machines[] = {
		{33, 5, 0, 0.3, 0, 0, 0, 0},    {33, 5, 0, 0.3, 3, 10, 50, 0},    {33, 5, 0, 0.3, 1, 10, 50, 0},
		{33, 5, 0, 0.3, 3, 10, 3, 0},   {33, 5, 0, 0.3, 3, 10, 50, 0.05}, {33, 3, 0, 0.3, 2, 10, 50, 0},
		{16, 20, 0, 0.3, 5, 10, 50, 0}, {33, 5, 0, 0.3, 6, 25, 50, 0},    {16, 5, 0, 0.3, 2, 10, 50, 0},
	};
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		double plain, adjusted;
		find(&machines[i], &plain, &adjusted);
		if (adjusted < 3.5 || adjusted > 6.5)
			fail_msg("machine %zu: %.2f %% false findings", i, adjusted);
	}
}

/* Layouts as different as a run's noise, which bursts hide from plain means. */
static void test_power(void **state) {
	(void)state;
	const struct machine shared = {33, 5, 0.3, 0.3, 3, 10, 50, 0}, low = {33, 5, 0.3, 0.3, 3, 10, 3, 0};
	double plain, adjusted;
	find(&shared, &plain, &adjusted);
	if (!(plain < 5 && adjusted > 60))
		fail_msg("found %.1f %%, by plain means %.1f %%", adjusted, plain);
	find(&low, &plain, &adjusted);
	if (!(plain < 30 && adjusted > 95))
		fail_msg("found %.1f %%, by plain means %.1f %%", adjusted, plain);
}

/* A burst of known height over ten runs is taken off, sharp at both ends; a quiet machine is left as it is. */
static void test_known_burst(void **state) {
	(void)state;
	double values[60], detrended[60], winsorised[60];
	unsigned group[60];
	struct ifr_disturbances bursts;
	for (unsigned i = 0; i < 60; i++) {
		group[i] = i * 7 % 12;
		values[i] = 100 + (i * 37 % 11) * 0.01 + (i >= 20 && i < 30 ? 60 : 0);
	}
	const struct ifr_series series = {values, group, 60, 12};
	assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &bursts, NULL), 0);
	assert_true(bursts.found);
	assert_int_equal(bursts.moved, 10);
	for (unsigned i = 0; i < 60; i++)
		assert_true(fabs(detrended[i] - 100) < 0.3);
	for (unsigned i = 20; i < 30; i++)
		values[i] -= 60;
	assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &bursts, NULL), 0);
	assert_false(bursts.found);
	assert_memory_equal(detrended, values, sizeof values);
	assert_memory_equal(winsorised, values, sizeof values);
	group[3] = 12;
	assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &bursts, NULL), -IFR_E_USAGE);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_burst),
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_power),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
