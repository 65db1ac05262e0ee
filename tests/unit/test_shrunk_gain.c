/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confirmed gains shrunk by random layouts, computed by hand, and over simulated searches that report lucky gains. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/random.h"
#include "harness/optimize/shrinkage.h"

enum { LAYOUTS = 24 };
static const double normal_95 = 1.959964;

/* A plan with an axis is not the layout that ships. */
static void make_trials(struct trial *trials, const double *times, size_t count, double noise) {
	for (size_t i = 0; i < count; i++) {
		trials[i] = (struct trial){.time = times[i], .noise = noise};
		ifr_plan_enable(&trials[i].candidate.plan, IFR_AXIS_FUNCTIONS, 1);
	}
}

static struct ifr_interval interval_of(double time, double se) {
	return (struct ifr_interval){exp(time - normal_95 * se), exp(time + normal_95 * se), 0.95};
}

/* Times -0.02, 0.01 and 0.04 have the mean 0.01 and the variance 0.0009, of which 0.0005 is noise: 0.0004 between
 * layouts, and 0.0009 / 3 of the mean. A confirmed -0.09 with the variance 0.0007 / 4 keeps 0.8 of its distance of
 * -0.1. */
static void test_by_hand(void **state) {
	(void)state;
	const double times[] = {0, -0.02, 0.01, 0.04}, se = sqrt(0.0007 / 4);
	struct trial trials[4];
	make_trials(trials, times, 4, 0.0005);
	/* The shipped layout, without noise. */
	trials[0].noise = 0;
	ifr_plan_init(&trials[0].candidate.plan);
	struct ifr_shrunk_gain shrunk = shrink_gain(trials, 4, exp(-0.09), interval_of(-0.09, se));
	assert_true(shrunk.known);
	assert_true(fabs(shrunk.kept - 0.8) < 1e-9);
	assert_true(fabs(log(shrunk.ratio) + 0.07) < 1e-9);
	assert_true(fabs(log(shrunk.centre) - 0.01) < 1e-9);
	assert_true(fabs(shrunk.spread - 0.02) < 1e-9);
	assert_int_equal(shrunk.layouts, 3);
	assert_true(shrunk.interval.low < shrunk.ratio && shrunk.interval.high > shrunk.ratio);
	/* Layouts that differ by noise alone: 0.0003 / (0.0003 + 0.0003) is kept, for the mean is not known better. */
	make_trials(trials + 1, times + 1, 3, 0.001);
	shrunk = shrink_gain(trials, 4, exp(-0.09), interval_of(-0.09, sqrt(0.0003)));
	assert_true(fabs(log(shrunk.ratio) + 0.04) < 1e-9);
	/* The shipped layout's noise is the mean's, too: (0.0003 + 0.0006) of 0.0012. */
	trials[0].noise = 0.0006;
	shrunk = shrink_gain(trials, 4, exp(-0.09), interval_of(-0.09, sqrt(0.0003)));
	assert_true(fabs(shrunk.kept - 0.75) < 1e-9);
}

static void test_unknown(void **state) {
	(void)state;
	const double times[] = {-0.02, 0.01, 0.04};
	struct trial trials[3];
	make_trials(trials, times, 3, NAN);
	assert_false(shrink_gain(trials, 3, 0.9, interval_of(-0.1, 0.01)).known);
	make_trials(trials, times, 3, 0.0005);
	assert_false(shrink_gain(trials, 2, 0.9, interval_of(-0.1, 0.01)).known);
	assert_false(shrink_gain(trials, 3, 0.9, (struct ifr_interval){0, INFINITY, 0.95}).known);
	/* The layout that ships is no random one. */
	ifr_plan_init(&trials[1].candidate.plan);
	assert_false(shrink_gain(trials, 3, 0.9, interval_of(-0.1, 0.01)).known);
}

/* A normal number by a name's hash: Box and Muller. */
static double draw(uint64_t seed, const char *name, unsigned number) {
	char text[32];
	snprintf(text, sizeof text, "%s %u", name, number);
	const uint64_t bits = ifr_random_named(ifr_random_key_of(seed, "shrunk"), text);
	const double u = ((double)(bits >> 32) + 1) / 4294967297.0, v = (double)(bits & UINT32_MAX) / 4294967296.0;
	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Layout effects with a standard deviation of 1 %, confirmed with a standard error of 1 %, and reported if the interval
 * lies below 1: the reported gains are too large on average, and the shrunk ones are not. */
static void test_reported_gains(void **state) {
	(void)state;
	enum { SEARCHES = 4000 };
	double told = 0, shrunk_too_far = 0;
	unsigned reported = 0, held = 0;
	for (unsigned s = 0; s < SEARCHES; s++) {
		struct trial trials[LAYOUTS];
		double times[LAYOUTS];
		const double effect = 0.01 * draw(s, "effect", 0), measured = effect + 0.01 * draw(s, "noise", 0);
		if (measured + normal_95 * 0.01 >= 0)
			continue;
		for (unsigned i = 0; i < LAYOUTS; i++)
			times[i] = 0.01 * draw(s, "layout", i) + 0.005 * draw(s, "run", i);
		make_trials(trials, times, LAYOUTS, 0.000025);
		const struct ifr_shrunk_gain shrunk =
			shrink_gain(trials, LAYOUTS, exp(measured), interval_of(measured, 0.01));
		told += measured - effect;
		shrunk_too_far += log(shrunk.ratio) - effect;
		held += log(shrunk.interval.low) <= effect && effect <= log(shrunk.interval.high);
		reported++;
	}
	assert_true(reported > 100);
	assert_true(told / reported < -0.01);
	assert_true(fabs(shrunk_too_far / reported) < 0.002);
	assert_true(held >= 0.92 * reported);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_unknown),
	                                   cmocka_unit_test(test_reported_gains)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
