/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of replication: arithmetic by hand with quantiles from printed tables, simulation, exhaustive search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/statistics/replication.h"

static void near(double got, double wanted, double tolerance) {
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.10g instead of %.10g", got, wanted);
}

/* Sums of squares 2 + 8 with 1 + 2 degrees of freedom; (1 + 0 + 9) / 2 with 3. NIST/SEMATECH e-Handbook, tables
 * 1.3.6.7.3 and .4: chi-squared with 3 degrees 0.2158 and 9.348, F(0.975; 3, 3) = 15.44. The interval's factors are
 * G = 1 - 3 / 9.348 = 0.6791, H = 3 / 0.2158 - 1 = 12.90, H12 = (0.9352^2 - (12.90 / 15.44)^2 - 0.6791^2) 15.44 =
 * -4.40, and the upper end 5/3 + sqrt((12.90 * 10/3)^2 + (0.6791 * 5/3)^2 - 4.40 * 10/3 * 5/3) = 44.40; the lower one
 * is below 0. P(F(3, 3) > 2) = 1 - (2/pi)(atan sqrt 2 + sqrt 2 / 9). */
static void test_copies_by_hand(void **state) {
	(void)state;
	const double a[] = {10, 12}, b[] = {20, 24, 22}, alone[] = {77}, twins[][2] = {{1, 2}, {5, 5}, {7, 4}};
	const struct ifr_group groups[] = {{a, 2}, {alone, 1}, {b, 3}, {NULL, 0}};
	struct ifr_copies c;
	assert_int_equal(ifr_copies_estimate(groups, 4, twins, 3, 0.95, &c, NULL), 0);
	near(c.copies.ms, 10 / 3.0, 1e-12);
	near(c.copies.df, 3, 0);
	near(c.runs.ms, 5 / 3.0, 1e-12);
	near(c.runs.df, 3, 0);
	near(c.f, 2, 1e-12);
	near(c.p, 1 - 2 / M_PI * (atan(sqrt(2)) + sqrt(2) / 9), 1e-9);
	near(c.copy_sd, sqrt(5 / 3.0), 1e-12);
	near(c.run_sd, sqrt(5 / 3.0), 1e-12);
	near(c.copy_interval.low, 0, 0);
	near(c.copy_interval.high, sqrt(44.40), 5e-3);
}

/* Copies that do not differ at all, beside the same twins: the interval of copies with the runs' mean square, 5/3, and
 * not 0 to 0. With the factors above the upper end is 5/3 sqrt(12.90^2 + 0.6791^2 - 4.40) = 21.24. */
static void test_equal_copies(void **state) {
	(void)state;
	const double a[] = {11, 11}, b[] = {22, 22, 22}, twins[][2] = {{1, 2}, {5, 5}, {7, 4}};
	const struct ifr_group groups[] = {{a, 2}, {b, 3}};
	struct ifr_copies c;
	assert_int_equal(ifr_copies_estimate(groups, 2, twins, 3, 0.95, &c, NULL), 0);
	near(c.copy_sd, 0, 0);
	near(c.copy_interval.low, 0, 0);
	near(c.copy_interval.high, sqrt(21.24), 5e-3);
}

/* Twins that hardly differ leave the interval of a variance: SS / chi-squared. 10 / 9.348 and 10 / 0.2158. */
static void test_copies_without_noise(void **state) {
	(void)state;
	const double a[] = {10, 12}, b[] = {20, 24, 22}, twins[][2] = {{1, 1 + 1e-6}, {5, 5}, {7, 7}};
	const struct ifr_group groups[] = {{a, 2}, {b, 3}};
	struct ifr_copies c;
	assert_int_equal(ifr_copies_estimate(groups, 2, twins, 3, 0.95, &c, NULL), 0);
	near(c.copy_interval.low, sqrt(10 / 9.348), 1e-4);
	near(c.copy_interval.high, sqrt(10 / 0.2158), 1e-3);
}

static void test_copies_that_cannot_be_told(void **state) {
	(void)state;
	const double a[] = {10, 12}, twins[][2] = {{1, 2}, {5, 6}}, same[][2] = {{1, 1}, {5, 5}},
				 not [][2] = {{1, NAN}, {5, 6}};
	const struct ifr_group groups[] = {{a, 2}}, single[] = {{a, 1}, {a + 1, 1}};
	struct ifr_copies c = {.f = 7};
	struct ifr_error err = {0};
	assert_int_equal(ifr_copies_estimate(groups, 1, twins, 1, 0.95, &c, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "there is one"));
	assert_int_equal(ifr_copies_estimate(single, 2, twins, 2, 0.95, &c, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_copies_estimate(groups, 1, same, 2, 0.95, &c, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_copies_estimate(groups, 1, not, 2, 0.95, &c, &err), -IFR_E_USAGE);
	near(c.f, 7, 0);
}

enum { SETS = 4000, LAYOUTS = 24, RUNS = 5 };

/* One experiment of half twinned layouts; the twinned ones' first copy is not in their group. */
static void simulate(gsl_rng *rng, double copy_sd, double run_sd, struct ifr_copies *c) {
	double values[LAYOUTS][RUNS], twins[LAYOUTS / 2][2];
	struct ifr_group groups[LAYOUTS];
	for (size_t i = 0; i < LAYOUTS; i++) {
		size_t runs = i % 2 ? RUNS : RUNS - 1;
		double layout = gsl_ran_gaussian(rng, 5), copy = gsl_ran_gaussian(rng, copy_sd);
		for (size_t j = 0; j < runs; j++)
			values[i][j] = layout + gsl_ran_gaussian(rng, copy_sd) + gsl_ran_gaussian(rng, run_sd);
		groups[i] = (struct ifr_group){values[i], runs};
		for (size_t j = 0; j < 2 && !(i % 2); j++)
			twins[i / 2][j] = layout + copy + gsl_ran_gaussian(rng, run_sd);
	}
	assert_int_equal(ifr_copies_estimate(groups, LAYOUTS, (const double(*)[2])twins, LAYOUTS / 2, 0.95, c, NULL),
	                 0);
}

/* Of 4000 intervals at 95 %, 3800 hold the truth, with a standard deviation of 14; in 4 deviations 3744 … 3856. Where
 * copies have no effect, or half of a run's, nearly only the lower end can miss it, in 1 of 40: 3900, up to 3940.
 * Without an effect, 1 test in 20 finds one. */
static void test_copies_by_simulation(void **state) {
	(void)state;
	static const double sds[][2] = {{0.9, 0.6}, {0.3, 0.6}, {3, 0.1}, {0, 1}};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 20);
	for (size_t i = 0; i < sizeof sds / sizeof *sds; i++) {
		unsigned held = 0, found = 0;
		double variance = 0;
		for (int set = 0; set < SETS; set++) {
			struct ifr_copies c;
			simulate(rng, sds[i][0], sds[i][1], &c);
			held += c.copy_interval.low <= sds[i][0] && c.copy_interval.high >= sds[i][0];
			found += c.p < 0.05;
			variance += (c.copies.ms - c.runs.ms) / SETS;
		}
		assert_in_range(held, sds[i][0] > 0 ? 3744 : 3860, sds[i][0] > sds[i][1] ? 3856 : 3940);
		if (!(sds[i][0] > 0))
			assert_in_range(found, 144, 256);
		/* Unbiased: variance of the difference of both mean squares, 2 ms^2 / df each. */
		double truth = sds[i][0] * sds[i][0], run = sds[i][1] * sds[i][1];
		near(variance, truth, 4 * sqrt((2 * (truth + run) * (truth + run) / 84 + 2 * run * run / 12) / SETS));
	}
	gsl_rng_free(rng);
}

/* Three levels: sqrt(9/1 * 4/1) = 6, sqrt(36/9 * 1/0.25) = 4. A unit of the highest costs 36 + 4 (9 + 6 * 1) = 96. */
static void test_replications_by_hand(void **state) {
	(void)state;
	const struct ifr_level levels[] = {{4, 1}, {1, 9}, {0.25, 36}};
	size_t r[3];
	near(ifr_replications_choose(levels, 3, 1000, 50, r), 0.25 / 10 + 1 / 40.0 + 4 / 240.0, 1e-12);
	assert_true(r[0] == 6 && r[1] == 4 && r[2] == 10);
	/* A budget for less than one unit gives one; the limit holds. */
	ifr_replications_choose(levels, 3, 5, 5, r);
	assert_true(r[0] == 5 && r[1] == 4 && r[2] == 1);
	/* Cochran 1977, equation 10.23, has two levels: sqrt(8 * 2 / 1) = 4. */
	const struct ifr_level two[] = {{2, 1}, {1, 8}};
	ifr_replications_choose(two, 2, 120, 50, r);
	assert_true(r[0] == 4 && r[1] == 10);
	/* Copies that do not differ are no level: as many runs as if copying were a part of making a layout. */
	const struct ifr_level no_copies[] = {{2, 1}, {0, 3}, {1, 5}};
	near(ifr_replications_choose(no_copies, 3, 120, 50, r), 1 / 10.0 + 2 / 40.0, 1e-12);
	assert_true(r[0] == 4 && r[1] == 1 && r[2] == 10);
	/* Copies that cost next to nothing: one run of each. Both are one level then, sqrt(8 / 2 * 4 / 1) = 4. */
	const struct ifr_level cheap[] = {{3, 1.99}, {1, 0.01}, {1, 8}};
	near(ifr_replications_choose(cheap, 3, 160, 50, r), 1 / 10.0 + 4 / 40.0, 1e-12);
	assert_true(r[0] == 1 && r[1] == 4 && r[2] == 10);
	/* Layouts that do not differ: the most of what does. */
	const struct ifr_level no_layouts[] = {{2, 1}, {0, 3}, {0, 5}};
	ifr_replications_choose(no_layouts, 3, 116, 50, r);
	assert_true(r[0] == 50 && r[1] == 1 && r[2] == 2);
}

/* No integers are better in variance times cost than the chosen ones by more than rounding each level by itself loses,
 * 2 %; all of 1 … 100 are tried. */
static void test_replications_by_search(void **state) {
	(void)state;
	static const struct ifr_level cases[][3] = {{{0.36, 1}, {0.81, 0.01}, {2, 0.2}}, {{4, 1}, {1, 9}, {9, 81}},
	                                            {{9, 1}, {1, 20}, {0.5, 5}},         {{1, 1}, {0.5, 2}, {0.1, 30}},
	                                            {{0.1, 1}, {3, 5}, {0.01, 2}},       {{5, 0.1}, {1, 1}, {0.2, 7}}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct ifr_level *l = cases[k];
		size_t r[3];
		double got = ifr_replications_choose(l, 3, 0, 100, r), best = INFINITY;
		got *= l[2].cost + (double)r[1] * (l[1].cost + (double)r[0] * l[0].cost);
		for (double a = 1; a <= 100; a++)
			for (double b = 1; b <= 100; b++)
				best = fmin(best, (l[2].variance + l[1].variance / b + l[0].variance / (a * b)) *
				                      (l[2].cost + b * (l[1].cost + a * l[0].cost)));
		if (!(got >= best * (1 - 1e-12) && got <= 1.02 * best))
			fail_msg("case %zu: %zu runs, %zu copies: %g, not %g", k, r[0], r[1], got, best);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_by_hand),         cmocka_unit_test(test_equal_copies),
		cmocka_unit_test(test_copies_without_noise),   cmocka_unit_test(test_copies_that_cannot_be_told),
		cmocka_unit_test(test_copies_by_simulation),   cmocka_unit_test(test_replications_by_hand),
		cmocka_unit_test(test_replications_by_search),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
