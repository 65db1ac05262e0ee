/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial disturbances, by simulation under fixed seeds: tests keep their level and gain power. */
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
#include "tests/unit/depth.h"

enum { MOST_RUNS = 500 };

static unsigned set_count(void) {
	return at_depth(500, 2000);
}

/* Runs of layouts with mean 100, one repetition after the other, each in a random order. */
struct machine {
	unsigned layouts, repetitions;
	double between, within;
	unsigned disturbances, length; /* their number; mean length in runs */
	double height;                 /* of a disturbance, +-10 % from run to run */
	double tail;                   /* proportion of single runs that take 5 longer on average */
};

struct experiment {
	double values[MOST_RUNS];
	unsigned group[MOST_RUNS];
};

static void add_disturbances(const struct machine *m, unsigned count, gsl_rng *rng, double *values) {
	for (unsigned i = 0; i < m->disturbances; i++) {
		unsigned from = (unsigned)gsl_rng_uniform_int(rng, count),
				 length = 1 + gsl_ran_poisson(rng, m->length - 1);
		for (unsigned j = from; j < from + length && j < count; j++)
			values[j] += m->height * (1 + gsl_ran_gaussian(rng, 0.1));
	}
}

static void simulate_experiment(const struct machine *m, gsl_rng *rng, struct experiment *e) {
	double layout[100];
	unsigned order[100], count = 0;
	for (unsigned i = 0; i < m->layouts; i++) {
		layout[i] = 100 + gsl_ran_gaussian(rng, m->between);
		order[i] = i;
	}
	for (unsigned repetition = 0; repetition < m->repetitions; repetition++) {
		gsl_ran_shuffle(rng, order, m->layouts, sizeof *order);
		for (unsigned i = 0; i < m->layouts; i++, count++) {
			e->group[count] = order[i];
			e->values[count] = layout[order[i]] + gsl_ran_gaussian(rng, m->within);
			if (gsl_rng_uniform(rng) < m->tail)
				e->values[count] += gsl_ran_exponential(rng, 5);
		}
	}
	add_disturbances(m, count, rng, e->values);
}

static struct ifr_components estimate_components(const struct machine *m, const double *values,
                                                 const unsigned *group) {
	double sorted[MOST_RUNS];
	struct ifr_group groups[100];
	struct ifr_components c;
	for (unsigned g = 0, at = 0; g < m->layouts; g++) {
		groups[g] = (struct ifr_group){sorted + at, m->repetitions};
		for (unsigned i = 0; i < m->layouts * m->repetitions; i++)
			if (group[i] == g)
				sorted[at++] = values[i];
	}
	assert_int_equal(ifr_components_estimate(groups, m->layouts, 0.95, &c, NULL), 0);
	return c;
}

/* The percentage of experiments that find a layout effect, by raw and by winsorised runs. */
static void measure_power(const struct machine *m, double *plain_pct, double *adjusted_pct) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 1937);
	unsigned plain = 0, adjusted = 0;
	for (unsigned set = 0; set < set_count(); set++) {
		struct experiment e;
		struct ifr_disturbances disturbances;
		double detrended[MOST_RUNS], winsorised[MOST_RUNS];
		simulate_experiment(m, rng, &e);
		const struct ifr_series series = {e.values, e.group, (size_t)m->layouts * m->repetitions, m->layouts,
		                                  false};
		assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &disturbances, NULL), 0);
		plain += estimate_components(m, e.values, e.group).p < 0.05;
		adjusted += estimate_components(m, winsorised, e.group).p < 0.05;
	}
	gsl_rng_free(rng);
	*plain_pct = 100.0 * plain / set_count();
	*adjusted_pct = 100.0 * adjusted / set_count();
}

/* Layouts without a difference: 5 % and three standard deviations, with and without disturbances. */
static void test_level(void **state) {
	(void)state;
	const struct machine machines[] = {
		{33, 5, 0, 0.3, 0, 0, 0, 0},    {33, 5, 0, 0.3, 3, 10, 50, 0},    {33, 5, 0, 0.3, 1, 10, 50, 0},
		{33, 5, 0, 0.3, 3, 10, 3, 0},   {33, 5, 0, 0.3, 3, 10, 50, 0.05}, {33, 3, 0, 0.3, 2, 10, 50, 0},
		{16, 20, 0, 0.3, 5, 10, 50, 0}, {33, 5, 0, 0.3, 6, 25, 50, 0},    {16, 5, 0, 0.3, 2, 10, 50, 0},
	};
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		double plain, adjusted;
		measure_power(&machines[i], &plain, &adjusted);
		if (fabs(adjusted - 5) > 3 * sqrt(5.0 * 95 / set_count()))
			fail_msg("machine %zu: %.2f %% false findings", i, adjusted);
	}
}

/* Layout effects as large as the noise of a run, which disturbances hide from raw means. */
static void test_power(void **state) {
	(void)state;
	const struct machine shared = {33, 5, 0.3, 0.3, 3, 10, 50, 0}, low = {33, 5, 0.3, 0.3, 3, 10, 3, 0};
	double plain, adjusted;
	measure_power(&shared, &plain, &adjusted);
	if (!(plain < 5 && adjusted > 55))
		fail_msg("found %.1f %%, by plain means %.1f %%", adjusted, plain);
	measure_power(&low, &plain, &adjusted);
	if (!(plain < 30 && adjusted > 95))
		fail_msg("found %.1f %%, by plain means %.1f %%", adjusted, plain);
}

/* A disturbance of known height over ten runs is removed, sharp at both ends; undisturbed runs stay unchanged. */
static void test_known_disturbance(void **state) {
	(void)state;
	double values[60], detrended[60], winsorised[60];
	unsigned group[60];
	struct ifr_disturbances disturbances;
	for (unsigned i = 0; i < 60; i++) {
		group[i] = i * 7 % 12;
		values[i] = 100 + (i * 37 % 11) * 0.01 + (i >= 20 && i < 30 ? 60 : 0);
	}
	const struct ifr_series series = {values, group, 60, 12, false};
	assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &disturbances, NULL), 0);
	assert_true(disturbances.found);
	assert_int_equal(disturbances.moved, 10);
	for (unsigned i = 0; i < 60; i++)
		assert_true(fabs(detrended[i] - 100) < 0.3);
	for (unsigned i = 20; i < 30; i++)
		values[i] -= 60;
	assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &disturbances, NULL), 0);
	assert_false(disturbances.found);
	assert_memory_equal(detrended, values, sizeof values);
	assert_memory_equal(winsorised, values, sizeof values);
	group[3] = 12;
	assert_int_equal(ifr_series_detrend(&series, detrended, winsorised, &disturbances, NULL), -IFR_E_USAGE);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_disturbance),
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_power),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
