/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of layouts below the shipped one: coverage over simulated experiments of 24 layouts with 5 runs each. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "harness/statistics/components.h"
#include "tests/unit/depth.h"

enum { LAYOUTS = 24, RUNS = 5 };

struct experiment {
	double sd; /* of the layout effects; the noise of a run has 1 */
	bool exponential;
	double share; /* of all layouts that are below the shipped one */
};

static double draw_layout(gsl_rng *rng, const struct experiment *e) {
	return e->sd * (e->exponential ? gsl_ran_exponential(rng, 1) : gsl_ran_gaussian(rng, 1));
}

static double shipped_effect(const struct experiment *e) {
	return e->sd * (e->exponential ? -log1p(-e->share) : gsl_cdf_ugaussian_Pinv(e->share));
}

static double measure(gsl_rng *rng, double effect, double *runs) {
	double median;
	for (int i = 0; i < RUNS; i++)
		runs[i] = effect + gsl_ran_gaussian(rng, 1);
	ifr_sample_median(runs, RUNS, &median, NULL);
	return median;
}

/* As in harness/analysis/contrasts.c. */
static struct ifr_interval estimate(gsl_rng *rng, const struct experiment *e, double median_variance) {
	double runs[LAYOUTS][RUNS], own[RUNS], medians[LAYOUTS], noise[LAYOUTS];
	struct ifr_group groups[LAYOUTS];
	struct ifr_components c;
	struct ifr_interval interval = {0};
	for (int i = 0; i < LAYOUTS; i++) {
		medians[i] = measure(rng, draw_layout(rng, e), runs[i]);
		groups[i] = (struct ifr_group){runs[i], RUNS};
	}
	double shipped = measure(rng, shipped_effect(e), own);
	assert_int_equal(ifr_components_estimate(groups, LAYOUTS, 0.95, &c, NULL), 0);
	for (int i = 0; i < LAYOUTS; i++)
		noise[i] = c.ms_within * median_variance;
	const struct ifr_share_below share = {
		shipped, c.ms_within * median_variance, c.df_within, medians, noise, LAYOUTS, c.between_variance};
	assert_int_equal(ifr_share_below_interval(&share, 0.95, &interval, NULL), 0);
	return interval;
}

/* At least 95 % of the sets, less three standard errors of a proportion of 95 %. */
static void test_coverage(void **state) {
	(void)state;
	static const double sds[] = {0.2, 0.5, 1, 3}, shares[] = {0.1, 0.5, 0.9};
	const unsigned sets = at_depth(400, 4000);
	const double least = 0.95 - 3 * sqrt(0.95 * 0.05 / sets), median_variance = ifr_median_variance(RUNS);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 1934);
	for (int i = 0; i < 24; i++) {
		const struct experiment e = {sds[i / 6], i % 2, shares[i / 2 % 3]};
		unsigned inside = 0;
		for (unsigned set = 0; set < sets; set++) {
			struct ifr_interval interval = estimate(rng, &e, median_variance);
			inside += interval.low <= e.share && e.share <= interval.high;
		}
		if (inside < least * sets)
			fail_msg("sd %.1f %s, share %.1f: %.1f %%", e.sd, e.exponential ? "exponential" : "normal", e.share,
			         100.0 * inside / sets);
	}
	gsl_rng_free(rng);
}

/* Without noise: Clopper and Pearson's interval of 4 in 20; R, binom.test(4, 20): 0.0573340 to 0.4366140. */
static void test_exact(void **state) {
	(void)state;
	double values[20], noise[20] = {0};
	struct ifr_interval interval;
	for (int i = 0; i < 20; i++)
		values[i] = i;
	const struct ifr_share_below share = {3.5, 0, 0, values, noise, 20, 35};
	assert_int_equal(ifr_share_below_interval(&share, 0.95, &interval, NULL), 0);
	assert_true(fabs(interval.low - 0.0573340) < 1e-6 && fabs(interval.high - 0.4366140) < 1e-6);
}

/* With layout effects of variance 1 and noise of variance 3 about 0, a value of 2 is drawn to 1: it does not lie
 * above 1.5. Own interval at 97.5 %: 1.5 -+ 2.2414 * 0.01, a million degrees of freedom; 1 of 2 below either end, or
 * neither. By hand: Clopper and Pearson's lower end of 2 in 2 at 97.5 % is 0.0125^(1/2) = 0.111803. */
static void test_drawn_together(void **state) {
	(void)state;
	const double values[] = {-2, 2}, noise[] = {3, 3};
	struct ifr_interval interval;
	const struct ifr_share_below share = {1.5, 1e-4, 1e6, values, noise, 2, 1};
	assert_int_equal(ifr_share_below_interval(&share, 0.95, &interval, NULL), 0);
	assert_true(fabs(interval.low - sqrt(0.0125)) < 1e-9 && interval.high == 1);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage), cmocka_unit_test(test_exact),
	                                   cmocka_unit_test(test_drawn_together)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
