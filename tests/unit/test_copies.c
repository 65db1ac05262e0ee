/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of one file in an analysis: the division of runs, by hand; copies far out of their layouts. */
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

#include "common/buffer.h"
#include "harness/analysis/analysis.h"
#include "harness/report/report.h"

static void begin(struct ifr_dataset *dataset, unsigned variants) {
	ifr_dataset_init(dataset);
	ifr_dataset_add_fact(dataset, "program", "p");
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	strcpy(counter->name, "cpu_time");
	strcpy(counter->unit, "ns");
	strcpy(counter->source, "clock");
	for (unsigned i = 0; i < variants; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		char *name = ifr_format("v%05u", i);
		variant->layout = i;
		strcpy(variant->name, name);
		variant->plan = ifr_strdup("");
		variant->build_id = ifr_strdup("");
		variant->facts = ifr_strdup("");
		free(name);
	}
}

static struct ifr_dataset_run *add(struct ifr_dataset *dataset, unsigned variant, unsigned copy, bool twin,
                                   double value) {
	struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
	run->variant = variant;
	run->repetition = run->copy = copy;
	run->twin = twin;
	run->started_ns = (int64_t)dataset->run_count;
	run->value[0] = value;
	return run;
}

static struct ifr_analysis *analyse(const struct ifr_dataset *dataset) {
	struct ifr_analysis *analysis;
	struct ifr_error err = {0};
	if (ifr_analysis_make(dataset, "cpu_time", &analysis, &err))
		fail_msg("%s", err.message);
	return analysis;
}

static void near(double got, double wanted, double tolerance) {
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.10g instead of %.10g", got, wanted);
}

/* Relative to their medians 100, 200 and 50, the layouts' runs on copies without a twin are (1.02, 0.98), (1, 1.02,
 * 0.98), (1.02, 0.98): squares 3 * 0.0008 with 1 + 2 + 1 degrees of freedom. The pairs differ by 0.01: 2 * 0.0001 / 2
 * with 2. Means and medians of layouts are those without twins. */
static void test_by_hand(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	static const double levels[] = {100, 200, 50}, steps[] = {1, 1.02, 0.98};
	begin(&dataset, 3);
	for (unsigned copy = 0; copy < 3; copy++)
		for (unsigned i = 0; i < 3; i++)
			add(&dataset, i, copy, false, levels[i] * steps[copy]);
	add(&dataset, 0, 0, true, 101);
	add(&dataset, 2, 0, true, 50.5);
	/* Twins belong to their sibling by copy; a refused one has no value. */
	add(&dataset, 1, 0, true, 400)->refused = ifr_strdup("multiplexed");
	/* Runs of one copy follow one another in a variant, as they do in time. */
	struct ifr_dataset_run moved[3];
	memcpy(moved, dataset.runs + 9, sizeof moved);
	memmove(dataset.runs + 6, dataset.runs + 3, 6 * sizeof moved[0]);
	memcpy(dataset.runs + 3, moved, sizeof moved);
	struct ifr_analysis *analysis = analyse(&dataset);
	const struct ifr_copies *c = &analysis->copies.effect;
	assert_true(analysis->copies.known);
	near(c->copies.ms, 3 * 0.0008 / 4, 1e-12);
	near(c->copies.df, 4, 0);
	near(c->runs.ms, 0.0001 / 2, 1e-12);
	near(c->runs.df, 2, 0);
	assert_int_equal(analysis->copies.count, 9);
	assert_int_equal(analysis->runs_used, 9);
	assert_int_equal(analysis->runs_twin, 2);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(analysis->layouts[i].count, 3);
		near(analysis->layouts[i].median, levels[i == 0 ? 2 : i - 1], 1e-9);
	}
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

static void test_one_file(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_buffer text = {0};
	begin(&dataset, 4);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < 4; i++)
			add(&dataset, i, 0, false, 100 + i + round);
	struct ifr_analysis *analysis = analyse(&dataset);
	assert_false(analysis->copies.known);
	assert_non_null(strstr(analysis->copies.why_not.message, "one file"));
	ifr_report_text(analysis, false, &text);
	assert_null(strstr(ifr_buffer_text(&text), "opies of one file"));
	ifr_buffer_release(&text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* 32 layouts with 4 copies each: 0.3 % from copy to copy, 0.1 % from run to run; one copy 13 % slower. */
static void test_a_copy_far_out(void **state) {
	(void)state;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ifr_dataset dataset;
	gsl_rng_set(rng, 4);
	begin(&dataset, 32);
	for (unsigned copy = 0; copy < 4; copy++)
		for (unsigned j = 0; j < 32; j++) {
			/* Another order each time: layouts are interleaved. */
			unsigned i = (j * (2 * copy + 3) + copy * 5) % 32;
			double level = 1e8 * (1 + 0.001 * i) * (1 + gsl_ran_gaussian(rng, 0.003));
			level *= i == 7 && copy == 2 ? 1.13 : 1;
			for (unsigned twin = 0; twin <= (copy == 0 && i % 2); twin++)
				add(&dataset, i, copy, twin, level * (1 + gsl_ran_gaussian(rng, 0.001)));
		}
	struct ifr_analysis *analysis = analyse(&dataset);
	assert_int_equal(analysis->copies.count, 128);
	assert_int_equal(analysis->copies.far, 1);
	assert_int_equal(analysis->copies.farthest->variant->layout, 7);
	assert_int_equal(analysis->copies.copy, 2);
	near(analysis->copies.deviation, 0.13, 0.015);
	assert_true(analysis->copies.known);
	/* The far copy counts like any other: 0.13^2 * 3/4 of the sum of squares, with 3 * 16 + 2 * 16 degrees of freedom. */
	near(analysis->copies.effect.copy_sd, sqrt(0.13 * 0.13 * 0.75 / 80 + 0.003 * 0.003), 0.0015);
	struct ifr_buffer text = {0}, joined = {0};
	ifr_report_text(analysis, false, &text);
	for (const char *c = ifr_buffer_text(&text); *c; c++)
		if (!strchr(" \n", *c))
			ifr_buffer_printf(&joined, "%c", *c);
		else if (joined.length && joined.data[joined.length - 1] != ' ')
			ifr_buffer_puts(&joined, " ");
	assert_non_null(strstr(ifr_buffer_text(&joined), "Copies of one file differ by about 1."));
	assert_non_null(strstr(ifr_buffer_text(&joined), " 1 of 128 copies ran 1"));
	assert_non_null(strstr(ifr_buffer_text(&joined), " % slower than the others of its layout (v00007, copy 2)"));
	ifr_buffer_release(&joined);
	ifr_buffer_release(&text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_one_file),
		cmocka_unit_test(test_a_copy_far_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
