/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forecasts are made where the line allows one: not where mispredictions would save time, nor through noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "harness/analysis/analysis.h"
#include "harness/analysis/forecast.h"
#include "harness/report/report.h"
#include "tests/unit/report_made.h"

enum { VARIANTS = 21 };

/* Twenty random layouts, whose runs take 100 ms and slope ms for each misprediction, and more in turn for noise. */
static struct ifr_forecast forecast(double slope, double noise) {
	static const double pattern[] = {0, 1, -1, 2, -2};
	struct recipe recipe = {.variants = VARIANTS, .program = "./lua"};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis = NULL;
	struct ifr_forecast made;
	struct ifr_error err = {0};
	double own[VARIANTS];
	ifr_dataset_init(&dataset);
	add_counter(&dataset, "duration_time", "ns", "clock");
	add_facts(&dataset, &recipe);
	add_variants(&dataset, &recipe);
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
		own[i] = 1 + i % 7;
		run->variant = i;
		run->value[0] = 1e6 * (100 + slope * own[i] + noise * pattern[i % 5]);
	}
	if (ifr_analysis_make(&dataset, NULL, &analysis, &err) ||
	    ifr_forecast_fit(analysis, "skylake", own, &made, &err))
		fail_msg("%s", err.message);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	return made;
}

static void assert_refused(double slope, double noise, const char *why) {
	struct ifr_forecast made = forecast(slope, noise);
	struct ifr_buffer text = {0};
	const char *refusal = ifr_forecast_refusal(&made);
	if (!why) {
		assert_null(refusal);
	} else {
		assert_non_null(refusal);
		assert_non_null(strstr(refusal, why));
	}
	ifr_forecast_text(&made, &text);
	assert_true(!strstr(ifr_buffer_text(&text), "95 % prediction") == (why != NULL));
	ifr_buffer_release(&text);
	ifr_forecast_release(&made);
}

static void test_refusals(void **state) {
	(void)state;
	assert_refused(3, 0.1, NULL);
	assert_refused(-3, 0.1, "no misprediction saves time");
	assert_refused(0.01, 3, "noise");
}

static void near(double got, double expected, double tolerance) {
	if (!(fabs(got - expected) <= tolerance))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* 400.perlbench of Wang and Jiménez 2011, section 1.4: CPI = 0.02799 MPKI + 0.51667, and no misprediction at all saves
 * 26.0 %, so that layouts have 6.486 MPKI on average. Half of them: CPI 0.61, 13.0 % less. For 10 % less, 38 % of them
 * go. */
static void test_paper(void **state) {
	(void)state;
	const double mean = 0.51667 / (1 - 0.26), slope = 0.02799, mpki = (mean - 0.51667) / slope;
	struct recipe recipe = {.variants = VARIANTS, .program = "./perlbench"};
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis = NULL;
	struct ifr_forecast made;
	double own[VARIANTS];
	ifr_dataset_init(&dataset);
	add_counter(&dataset, "duration_time", "ns", "clock");
	add_facts(&dataset, &recipe);
	add_variants(&dataset, &recipe);
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
		/* Layouts 1 to 20, two by two around the mean. */
		own[i] = mpki + (i ? (i % 2 ? 0.1 : -0.1) * ((i + 1) / 2) : 0);
		run->variant = i;
		run->value[0] = 0.51667 + slope * own[i];
	}
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	assert_int_equal(ifr_forecast_fit(analysis, "xeon", own, &made, NULL), 0);
	near(made.half.value / made.scale, 0.61, 0.005);
	near(made.half.change, -0.130, 0.0005);
	near(made.cut, 0.38, 0.005);
	ifr_forecast_release(&made);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals), cmocka_unit_test(test_paper)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
