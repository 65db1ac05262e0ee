/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coverage of the intervals: 2,000 simulated experiments each, under fixed seeds, with normal, skewed and bimodal
 * layout effects, and 3 to 20 runs in a layout. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/statistics/inference.h"
#include "tests/unit/depth.h"

enum { SETS = 2000, LAYOUTS = 32, MOST_LAYOUTS = 100, MOST_RUNS = 20 };

enum shape { NORMAL, SKEWED, BIMODAL, SHAPES, EXPONENTIAL = SHAPES, TENTH, TWENTIETH };
static const char *const shape_names[] = {"normal",      "skewed",     "bimodal",
                                          "exponential", "one in ten", "one in twenty"};

/* Two kinds of layouts, ten standard deviations apart; `share` of the layouts are of the rare kind. */
static double deviate_kinds(gsl_rng *rng, double share, double sd) {
	double kind = gsl_rng_uniform(rng) < share ? 10 * (1 - share) : -10 * share;
	return sd * (kind + gsl_ran_gaussian(rng, 1)) / sqrt(100 * share * (1 - share) + 1);
}

/* A layout effect with mean 0 and that standard deviation. */
static double deviate(gsl_rng *rng, enum shape shape, double sd) {
	switch (shape) {
	case SKEWED: /* gamma of shape 2: skewness 1.4 */
		return sd * (gsl_ran_gamma(rng, 2, 1) - 2) / M_SQRT2;
	case BIMODAL: /* three in ten are 3 sd apart from the rest */
		return sd * ((gsl_rng_uniform(rng) < 0.3 ? 2.1 : -0.9) + gsl_ran_gaussian(rng, 0.5)) / sqrt(1.89 + 0.25);
	case EXPONENTIAL: /* skewness 2 */
		return sd * (gsl_ran_exponential(rng, 1) - 1);
	case TENTH:
		return deviate_kinds(rng, 0.1, sd);
	case TWENTIETH:
		return deviate_kinds(rng, 0.05, sd);
	default:
		return gsl_ran_gaussian(rng, sd);
	}
}

static gsl_rng *seeded(unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static void expect(const char *what, enum shape shape, unsigned runs, double got_pct, double low, double high) {
	if (got_pct < low || got_pct > high)
		fail_msg("%s, %s layouts, %u runs: %.2f %%", what, shape_names[shape], runs, got_pct);
}

/* Per cent. uneven: 1 … runs runs in a layout, as where some were refused. */
static double mean_coverage(enum shape shape, unsigned layouts, unsigned runs, bool uneven) {
	gsl_rng *rng = seeded(2011);
	unsigned inside = 0;
	for (int set = 0; set < SETS; set++) {
		double values[MOST_LAYOUTS][MOST_RUNS];
		struct ifr_group groups[MOST_LAYOUTS];
		struct ifr_mean mean;
		for (unsigned i = 0; i < layouts; i++) {
			double layout = 100 + deviate(rng, shape, 2);
			groups[i] = (struct ifr_group){values[i], uneven ? 1 + i % runs : runs};
			for (unsigned j = 0; j < groups[i].count; j++)
				values[i][j] = layout + gsl_ran_gaussian(rng, 1);
		}
		assert_int_equal(ifr_mean_estimate(groups, layouts, 0.95, &mean, NULL), 0);
		inside += mean.interval.low <= 100 && 100 <= mean.interval.high;
	}
	gsl_rng_free(rng);
	return 100.0 * inside / SETS;
}

/* At quick depth each shape meets one number of runs and each number one shape; `turn` chooses other pairs. */
static bool is_case(unsigned shape, unsigned i, unsigned turn, unsigned count) {
	return is_full_depth() || (shape + turn) % count == i;
}

static void test_mean(void **state) {
	(void)state;
	static const unsigned runs[] = {3, 5, 20};
	for (enum shape shape = 0; shape < SHAPES; shape++)
		for (unsigned i = 0; i < 3; i++) {
			if (is_case(shape, i, 0, 3))
				expect("mean", shape, runs[i], mean_coverage(shape, LAYOUTS, runs[i], false), 93.5, 96.5);
			if (is_case(shape, i, 1, 3))
				expect("mean, uneven", shape, runs[i], mean_coverage(shape, LAYOUTS, runs[i], true), 93.5, 96.5);
		}
}

/* Skewed layout effects, with as many layouts as ifr_mean_layouts_needed says; and twelve of a gamma distribution,
 * for which Student's interval is too short. */
static void test_mean_skewed(void **state) {
	(void)state;
	static const struct {
		enum shape shape;
		unsigned layouts;
	} cases[] = {{SKEWED, 12}, {SKEWED, 20}, {NORMAL, 12}, {EXPONENTIAL, 32}, {TENTH, 32}, {TWENTIETH, 90}};
	static const unsigned runs[] = {3, 20};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (unsigned j = 0; j < 2; j++)
			if (is_case((unsigned)i, j, 0, 2))
				expect("mean of lopsided layouts", cases[i].shape, runs[j],
				       mean_coverage(cases[i].shape, cases[i].layouts, runs[j], false), 93.5, 96.5);
}

/* ifr_mean_layouts_needed never accepts a dozen layouts, nor 32 that contain a rare kind. */
static void test_needs(void **state) {
	(void)state;
	gsl_rng *rng = seeded(30);
	unsigned missed = 0, said = 0;
	for (int set = 0; set < SETS; set++) {
		double values[LAYOUTS];
		unsigned rare = 0;
		for (unsigned i = 0; i < LAYOUTS; i++) {
			values[i] = deviate(rng, TWENTIETH, 1);
			rare += values[i] > 2;
		}
		assert_true(ifr_mean_layouts_needed(values, 12) >= 20);
		missed += rare == 1;
		said += rare == 1 && ifr_mean_layouts_needed(values, LAYOUTS) > LAYOUTS;
	}
	gsl_rng_free(rng);
	if (missed < 100 || said < 0.98 * missed)
		fail_msg("said in %u of %u experiments", said, missed);
}

/* The warning of tails: with normal layouts in at most 7 %, and in 97 % or more of the experiments in which 6 in 100
 * layouts are 20 % slower and one of those 32 is; three standard errors. */
static void test_tails(void **state) {
	(void)state;
	const unsigned sets = at_depth(2000, 20000);
	unsigned alarms = 0, met = 0, warned = 0;
	gsl_rng *rng = seeded(1983);
	for (unsigned set = 0; set < sets; set++) {
		double normal[12], rare[LAYOUTS];
		unsigned slow = 0;
		for (int i = 0; i < 12; i++)
			normal[i] = gsl_ran_gaussian(rng, 1);
		for (int i = 0; i < LAYOUTS; i++) {
			bool is_slow = gsl_rng_uniform(rng) < 0.06;
			rare[i] = 100 + 20 * is_slow + gsl_ran_gaussian(rng, 1.5);
			slow += is_slow;
		}
		alarms += ifr_sample_tails(normal, 12).found;
		met += slow > 0;
		warned += slow > 0 && ifr_sample_tails(rare, LAYOUTS).found;
	}
	gsl_rng_free(rng);
	if (alarms > sets * 0.07 + 3 * sqrt(sets * 0.07 * 0.93) || warned < met * 0.97 - 3 * sqrt(met * 0.97 * 0.03))
		fail_msg("%u alarms in %u samples, %u warnings of %u", alarms, sets, warned, met);
}

/* By hand: the median is 5, the median deviation 2, so that only 100 lies more than 4 * 1.4826 * 2 = 11.9 off. */
static void test_outlying(void **state) {
	(void)state;
	const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 100}, even[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct ifr_tails tails = ifr_sample_tails(values, 9);
	assert_true(tails.found && tails.outlying == 1 && fabs(tails.unmet_share - 3.0 / 9) < 1e-12);
	assert_false(ifr_sample_tails(even, 9).found);
	assert_true(ifr_sample_tails(even, 2).unmet_share == 1);
}

static double deviate_as(gsl_rng *rng, int shape) {
	switch (shape) {
	case 1: /* uniform */
		return (gsl_rng_uniform(rng) - 0.5) * sqrt(12);
	case 2:
		return deviate(rng, EXPONENTIAL, 1);
	case 3: /* lognormal */
		return (exp(gsl_ran_gaussian(rng, 0.5)) - exp(0.125)) / sqrt((exp(0.25) - 1) * exp(0.25));
	default:
		return deviate(rng, shape ? BIMODAL : NORMAL, 1);
	}
}

/* Of the standard deviation between layouts, by 5 runs in each, in per cent. */
static double between_coverage(int shape, unsigned layouts, double noise, unsigned sets) {
	gsl_rng *rng = seeded(2006);
	unsigned inside = 0;
	for (unsigned set = 0; set < sets; set++) {
		double values[MOST_LAYOUTS][5];
		struct ifr_group groups[MOST_LAYOUTS];
		struct ifr_components c;
		for (unsigned i = 0; i < layouts; i++) {
			double layout = deviate_as(rng, shape);
			groups[i] = (struct ifr_group){values[i], 5};
			for (unsigned j = 0; j < 5; j++)
				values[i][j] = layout + gsl_ran_gaussian(rng, noise);
		}
		assert_int_equal(ifr_components_estimate(groups, layouts, 0.95, &c, NULL), 0);
		inside += c.between_interval.low <= 1 && 1 <= c.between_interval.high;
	}
	gsl_rng_free(rng);
	return 100.0 * inside / sets;
}

/* At least 92 %, less three standard errors; before, exponential layouts had 69 to 82 %. */
static void test_between(void **state) {
	(void)state;
	static const char *const names[] = {"normal", "uniform", "exponential", "lognormal", "two kinds"};
	static const unsigned layouts[] = {12, 32, 100};
	const unsigned sets = at_depth(600, 4000);
	const double least = 92 - 300 * sqrt(0.92 * 0.08 / sets);
	for (int shape = 0; shape < 5; shape++)
		for (unsigned i = 0; i < 6; i++) {
			double got = between_coverage(shape, layouts[i % 3], i < 3 ? 0.3 : 1, sets);
			if (got < least)
				fail_msg("standard deviation, %s layouts, %u: %.2f %%", names[shape], layouts[i % 3], got);
		}
}

/* Two programs in the same layouts: part of the layout effect is common to both. */
struct change {
	enum shape shape;
	unsigned layouts, runs;
	double spread, common, noise; /* sd of layout effects, the common part of it, sd of runs; of 100 */
	double ratio;
};

struct pairs {
	double old[MOST_LAYOUTS], new[MOST_LAYOUTS];
};

static void measure(const struct change *c, gsl_rng *rng, struct pairs *pairs) {
	double own = sqrt(1 - c->common * c->common);
	for (unsigned i = 0; i < c->layouts; i++) {
		double shared = c->common * deviate(rng, c->shape, c->spread), noise = c->noise / sqrt(c->runs);
		pairs->old[i] = 100 + shared + own * deviate(rng, c->shape, c->spread) + gsl_ran_gaussian(rng, noise);
		pairs->new[i] =
			c->ratio *(100 + shared + own * deviate(rng, c->shape, c->spread)) + gsl_ran_gaussian(rng, noise);
	}
}

/* Per cent of the experiments whose interval contains the ratio, whose test finds a difference, finds the wrong
 * sign. */
struct verdicts {
	double holds, differs, wrong;
};

static struct verdicts judge(const struct change *c) {
	gsl_rng *rng = seeded(1954);
	struct verdicts v = {0};
	for (int set = 0; set < SETS; set++) {
		struct pairs pairs;
		struct ifr_interval interval;
		double ratio, p;
		measure(c, rng, &pairs);
		assert_int_equal(ifr_ratio_pairs(pairs.new, pairs.old, c->layouts, 0.95, &ratio, &interval, &p, NULL), 0);
		v.holds += interval.low <= c->ratio && c->ratio <= interval.high;
		v.differs += interval.low > 1 || interval.high < 1;
		v.wrong += c->ratio > 1 ? interval.high < 1 : c->ratio < 1 && interval.low > 1;
	}
	gsl_rng_free(rng);
	v.holds *= 100.0 / SETS;
	v.differs *= 100.0 / SETS;
	v.wrong *= 100.0 / SETS;
	return v;
}

static void test_ratio(void **state) {
	(void)state;
	static const unsigned runs[] = {3, 5, 20};
	for (enum shape shape = 0; shape < SHAPES; shape++)
		for (unsigned i = 0; i < 3; i++) {
			struct change change = {shape, LAYOUTS, runs[i], 2, 0.7, 1, 1.03};
			if (is_case(shape, i, 2, 3))
				expect("ratio", shape, runs[i], judge(&change).holds, 93.5, 96.5);
			change.layouts = 12;
			if (is_case(shape, i, 0, 3))
				expect("ratio of 12", shape, runs[i], judge(&change).holds, 93.5, 96.5);
			change.ratio = 1;
			if (is_case(shape, i, 1, 3))
				expect("A against A", shape, runs[i], judge(&change).differs, 3.5, 6.5);
		}
}

/* A change of 1 % under layout effects of 2 %, at the recommended number of layouts. */
static void test_recommended(void **state) {
	(void)state;
	for (enum shape shape = 0; shape < SHAPES; shape++) {
		struct change change = {shape, 0, 5, 2, 0.7, 1, 1.01};
		struct ifr_noise noise = {2 * (1 - 0.7 * 0.7) * 4, 2};
		change.layouts = (unsigned)ifr_layouts_needed(noise, 5, 1, 0.9, 0.05, MOST_LAYOUTS);
		assert_in_range(change.layouts, 30, MOST_LAYOUTS);
		struct verdicts v = judge(&change);
		expect("found", shape, change.layouts, v.differs, 90, 100);
		expect("wrong direction", shape, change.layouts, v.wrong, 0, 0.1);
	}
}

/* Interim analyses after every 10 of 50 layouts err in 5 % over all; plain tests at 5 % err three times as often. */
static void test_interim(void **state) {
	(void)state;
	const double information[] = {0.2, 0.4, 0.6, 0.8, 1};
	double z[5];
	unsigned planned = 0, naive = 0;
	gsl_rng *rng = seeded(1983);
	assert_int_equal(ifr_interim_bounds(0.05, information, 5, z, NULL), 0);
	for (int set = 0; set < SETS; set++) {
		struct change change = {NORMAL, 50, 5, 2, 0.7, 1, 1};
		struct pairs pairs;
		bool stopped = false, fooled = false;
		measure(&change, rng, &pairs);
		for (size_t look = 0; look < 5; look++) {
			struct ifr_interval wide, plain;
			double ratio, p;
			size_t n = 10 * (look + 1);
			assert_int_equal(
				ifr_ratio_pairs(pairs.new, pairs.old, n, ifr_interim_confidence(z[look]), &ratio, &wide, &p, NULL),
				0);
			assert_int_equal(ifr_ratio_pairs(pairs.new, pairs.old, n, 0.95, &ratio, &plain, &p, NULL), 0);
			stopped |= wide.low > 1 || wide.high < 1;
			fooled |= plain.low > 1 || plain.high < 1;
		}
		planned += stopped;
		naive += fooled;
	}
	gsl_rng_free(rng);
	expect("interim analyses", NORMAL, 5, 100.0 * planned / SETS, 3.5, 6.5);
	assert_true(naive > 2 * planned);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean),    cmocka_unit_test(test_mean_skewed), cmocka_unit_test(test_needs),
		cmocka_unit_test(test_ratio),   cmocka_unit_test(test_recommended), cmocka_unit_test(test_interim),
		cmocka_unit_test(test_between), cmocka_unit_test(test_tails),       cmocka_unit_test(test_outlying),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
