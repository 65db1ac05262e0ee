/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second look of a sweep: its test by hand, its false alarms and its power by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/analysis/analysis.h"
#include "harness/report/report.h"
#include "report_made.h"
#include "tests/unit/depth.h"

/* Two blocks of three: the sum of two uniform ranks 0, 1, 2 is 0 … 4 with the chances 1 2 3 2 1 of 9. */
static void test_ranks_by_hand(void **state) {
	(void)state;
	static const double highest[] = {3, 1, 2, 9, 8, 7}, once[] = {3, 1, 2, 8, 9, 7}, lowest[] = {1, 2, 3, 7, 8, 9};
	static const double alone[] = {NAN, 1, 2, 7, NAN, NAN}, ties[] = {1, 1, 1, 1, 1, 1};
	static const double unequal[] = {3, 1, 2, 9, 8, NAN};
	struct ifr_error err = {0};
	double p;
	assert_int_equal(ifr_rank_blocks_test(highest, 2, 3, &p, NULL), 0);
	assert_true(fabs(p - (2. / 9)) < 1e-12);
	assert_int_equal(ifr_rank_blocks_test(lowest, 2, 3, &p, NULL), 0);
	assert_true(fabs(p - (2. / 9)) < 1e-12);
	assert_int_equal(ifr_rank_blocks_test(once, 2, 3, &p, NULL), 0);
	assert_true(fabs(p - (2. * 3 / 9)) < 1e-12);
	assert_int_equal(ifr_rank_blocks_test(ties, 2, 3, &p, NULL), 0);
	assert_true(fabs(p - (1)) < 1e-12);
	/* Ranks 0 … 2 and 0 … 1: the highest of both has one chance in six. */
	assert_int_equal(ifr_rank_blocks_test(unequal, 2, 3, &p, NULL), 0);
	assert_true(fabs(p - (2. / 6)) < 1e-12);
	assert_int_equal(ifr_rank_blocks_test(alone, 2, 3, &p, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "neighbours"));
}

static void test_neighbours(void **state) {
	(void)state;
	double medians[12] = {0, 0, 0, NAN, 0, 0, 0, 0, 0, 0, 0, 0};
	const bool excluded[12] = {[1] = true};
	size_t at[4];
	assert_int_equal(ifr_spikes_neighbours(medians, 12, 12, excluded, 2, 4, at), 4);
	static const size_t nearest[] = {0, 4, 5, 6};
	assert_memory_equal(at, nearest, sizeof nearest);
	/* A grid of rows of six: level 5 ends the first row, and 6, above it, is not its neighbour. */
	assert_int_equal(ifr_spikes_neighbours(medians, 12, 6, NULL, 5, 4, at), 4);
	static const size_t row[] = {4, 2, 1, 0};
	assert_memory_equal(at, row, sizeof row);
}

static void test_suspects(void **state) {
	(void)state;
	double medians[64];
	size_t suspects[3];
	/* A wave of 4: neighbours tell them from it. */
	for (size_t i = 0; i < 64; i++)
		medians[i] = 100 + 4 * sin((double)i / 64 * 3.14159) + 0.1 * (double)(i * 37 % 11);
	medians[12] += 8;
	medians[40] -= 6;
	assert_int_equal(ifr_spikes_suspect(medians, 64, 64, 2, suspects), 2);
	assert_int_equal(suspects[0], 12);
	assert_int_equal(suspects[1], 40);
}

static void test_plan_text(void **state) {
	(void)state;
	const struct ifr_spike_plan plan = {.from = 7, .runs = 16, .count = 3, .suspects = {201, 12, 40}};
	struct ifr_spike_plan back;
	char *text = ifr_spike_plan_print(&plan);
	assert_string_equal(text, "from=7 runs=16 layouts=201,12,40");
	assert_true(ifr_spike_plan_parse(text, &back));
	assert_memory_equal(&back, &plan, sizeof plan);
	static const char *const wrong[] = {"", "from=7", "from=7 runs=16 layouts=x", "from=7 runs=16 layouts=1;2",
	                                    "from=7 runs=16 layouts=1,2,3,4,5,6,7,8,9"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(ifr_spike_plan_parse(wrong[i], &back));
	free(text);
}

enum { LEVELS = 65, RUNS = 5, SPIKE = 20 };

/* Run times with the tails of a busy machine: one run in twelve is up to half as long again. */
static void add_run(struct ifr_dataset *dataset, gsl_rng *rng, unsigned layout, unsigned repetition,
                    double effect) {
	const double tail = gsl_rng_uniform(rng) < 1. / 12 ? 1 + 0.5 * gsl_rng_uniform(rng) : 1;
	const double factor = layout == SPIKE + 1 ? 1 + effect : 1;
	struct ifr_dataset_run *made = ifr_dataset_add_run(dataset);
	made->variant = layout;
	made->repetition = repetition;
	made->value[0] = 1e8 * factor * tail * exp(gsl_ran_gaussian(rng, 0.085));
	/* The machine has more memory in use when the second look comes. */
	made->value[1] = repetition < RUNS ? 4096 : 8192 + layout;
}

static void add_repetition(struct ifr_dataset *dataset, gsl_rng *rng, unsigned repetition, const bool *needed,
                           double effect) {
	for (unsigned i = 0; i <= LEVELS; i++)
		if (!needed || needed[i])
			add_run(dataset, rng, i, repetition, effect);
}

/* A sweep with its second look, as a campaign makes it; returns the spikes, and whether the true one is among them. */
static size_t simulate(unsigned long seed, double effect, bool again, bool *hit, double *deviation) {
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	struct ifr_spike_plan plan;
	bool needed[LEVELS + 1] = {false};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	ifr_dataset_init(&dataset);
	ifr_dataset_add_fact(&dataset, "sweep", "stack:bytes=0:1024:16");
	add_counter(&dataset, "duration_time", "ns", "clock");
	add_counter(&dataset, "max-rss", "bytes", "kernel");
	const struct recipe recipe = {.variants = LEVELS + 1};
	add_variants(&dataset, &recipe);
	for (unsigned i = 0; i < RUNS; i++)
		add_repetition(&dataset, rng, i, NULL, effect);
	assert_int_equal(ifr_spike_plan_make(&dataset, NULL, &plan, NULL), 0);
	assert_int_equal(plan.from, RUNS);
	assert_int_equal(plan.count, 3);
	assert_int_equal(plan.runs, (LEVELS + 1) * RUNS / 2 / 15);
	if (again) {
		char *fact = ifr_spike_plan_print(&plan);
		ifr_dataset_add_fact(&dataset, IFR_SPIKE_PLAN_FACT, fact);
		free(fact);
		ifr_spike_plan_layouts(&plan, &dataset, needed);
		for (unsigned i = 0; i < plan.runs; i++)
			add_repetition(&dataset, rng, plan.from + i, needed, effect);
	}
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
	assert_int_equal(analysis->runs_used, (LEVELS + 1) * RUNS);
	assert_int_equal(analysis->runs_used + analysis->runs_held_out, dataset.run_count);
	assert_int_equal(analysis->sweep->runs_again, again ? plan.runs : 0);
	for (size_t i = 0; i < analysis->layout_count; i++)
		assert_int_equal(analysis->layouts[i].count, RUNS);
	/* A counter that is constant over the planned runs goes along with nothing. */
	assert_int_equal(analysis->sweep->overlay_count, 0);
	const size_t found = analysis->sweep->spike_count;
	*hit = false;
	for (size_t i = 0; i < found; i++)
		if (analysis->sweep->spikes[i].layout->variant->layout == SPIKE + 1) {
			*hit = true;
			*deviation += analysis->sweep->spikes[i].deviation;
		}
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	gsl_rng_free(rng);
	return found;
}

/* Sweeps without an effect: 5 in 100 may name a value, and more than 8 of 60, or 5 of 30, are a chance of 0.3 %. */
static void test_false_alarms(void **state) {
	(void)state;
	const unsigned sweeps = at_depth(30, 60);
	unsigned alarms = 0;
	bool hit;
	double sum = 0;
	for (unsigned i = 0; i < sweeps; i++)
		alarms += simulate(1000 + i, 0, true, &hit, &sum) > 0;
	print_message("false alarms: %u of %u sweeps\n", alarms, sweeps);
	assert_in_range(alarms, 0, at_depth(5, 8));
}

/* A value 20 % slower at 8.5 % noise, five runs each: the second look finds it, with its size; the first runs alone
 * seldom do. */
static void test_power(void **state) {
	(void)state;
	const unsigned sweeps = at_depth(12, 20);
	unsigned hits[2] = {0};
	double sum[2] = {0};
	for (unsigned i = 0; i < sweeps; i++)
		for (int again = 0; again < 2; again++) {
			bool hit;
			simulate(5000 + i, 0.2, again, &hit, &sum[again]);
			hits[again] += hit;
		}
	print_message("found: %u of %u with the second look, %u without; %.3f on average\n", hits[1], sweeps, hits[0],
	              sum[1] / hits[1]);
	assert_in_range(hits[1], sweeps * 3 / 4, sweeps);
	assert_in_range(hits[0], 0, hits[1] - sweeps / 4);
	assert_true(fabs(sum[1] / hits[1] - 0.2) < 0.02);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks_by_hand), cmocka_unit_test(test_neighbours),
	                                   cmocka_unit_test(test_suspects),      cmocka_unit_test(test_plan_text),
	                                   cmocka_unit_test(test_false_alarms),  cmocka_unit_test(test_power)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
