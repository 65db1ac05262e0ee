/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial disturbances in a report, and the relative importance of counters. */
#include <math.h>

#include "tests/unit/depth.h"
#include "tests/unit/report_read.h"

/* The same experiment on a machine that is slower by half for ten runs, three times: found as on a quiet one. */
static void test_serial_disturbances(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	fill(&dataset, &usual, 5);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t order[33];
	gsl_rng_set(rng, 3);
	for (size_t i = 0; i < 33; i++)
		order[i] = i;
	for (size_t i = 0; i < dataset.run_count; i++) {
		if (i % 33 == 0)
			gsl_ran_shuffle(rng, order, 33, sizeof *order);
		size_t moment = i / 33 * 33 + order[i % 33];
		dataset.runs[i].started_ns = (int64_t)moment * 1000;
		if (moment % 60 >= 20 && moment % 60 < 30)
			dataset.runs[i].value[0] *= 1.5 + gsl_ran_gaussian(rng, 0.02);
	}
	gsl_rng_free(rng);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	assert_non_null(strstr(text, "That is more than run-to-run noise"));
	assert_non_null(strstr(text, "Serial disturbances: for some runs in a row"));
	assert_non_null(strstr(text, "No run was left out"));
	free(text);
	/* No layout is taken for one that is slower by what the machine was. */
	struct ifr_buffer out = {0};
	ifr_report_json(analysis, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL), *layout;
	size_t rank;
	json_array_foreach(json_object_get(json_object_get(root, "analysis"), "layouts"), rank, layout) {
		json_t *high = json_object_get(json_object_get(layout, "interval"), "high");
		assert_true(json_real_value(high) < 1.15 * usual.centre);
	}
	json_decref(root);
	ifr_buffer_release(&out);
	ifr_analysis_free(analysis);
	/* Without the times there are no neighbours, and the noise hides all. */
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].started_ns = 0;
	analysis = analysed(&dataset, NULL);
	text = as_text(analysis);
	assert_non_null(strstr(text, "That is no more than run-to-run noise"));
	assert_null(strstr(text, "Serial disturbances:"));
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* CPI = 0.5 + 0.03 a + 0.04 b + noise, with independent a and b of standard deviation 1: of the explained part
 * 9/25 is a's and 16/25 b's. */
static void test_relative_importance(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 6);
	const struct recipe recipe = {400, 1, 0, 0, 0, 0, 0, false, "./lua"};
	ifr_dataset_init(&dataset);
	add_facts(&dataset, &recipe);
	add_counter(&dataset, "cycles", "cycles", "perf");
	add_counter(&dataset, "instructions", "", "perf");
	add_counter(&dataset, "branch-misses", "", "perf");
	add_counter(&dataset, "L1-icache-load-misses", "", "perf");
	add_variants(&dataset, &recipe);
	for (unsigned i = 0; i < 400; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
		double a = 10 + gsl_ran_gaussian(rng, 1), b = 10 + gsl_ran_gaussian(rng, 1);
		run->variant = i;
		run->value[0] = 1e9 * (0.5 + 0.03 * a + 0.04 * b + gsl_ran_gaussian(rng, 0.01));
		run->value[1] = 1e9;
		run->value[2] = 1e6 * a;
		run->value[3] = 1e6 * b;
	}
	gsl_rng_free(rng);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	struct ifr_buffer out = {0};
	ifr_report_json(analysis, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL);
	json_t *importance = json_object_get(json_object_get(root, "analysis"), "relative_importance");
	double r2 = json_real_value(json_object_get(importance, "r2")), share[2];
	/* 25 parts explained to 1 part of noise */
	assert_true(fabs(r2 - 25.0 / 26) < 0.01);
	for (size_t i = 0; i < 2; i++) {
		json_t *part = json_array_get(json_object_get(importance, "counters"), i);
		const char *counter = json_string_value(json_object_get(part, "counter"));
		bool is_b = !strcmp(counter, "L1-icache-load-misses");
		share[is_b] = json_real_value(json_object_get(part, "relative_importance"));
		assert_true(fabs(json_real_value(json_object_get(part, "coefficient")) - (is_b ? 0.04 : 0.03)) < 0.002);
		json_t *interval = json_object_get(part, "interval");
		assert_true(json_real_value(json_object_get(interval, "low")) < (is_b ? 16.0 : 9.0) / 26);
		assert_true(json_real_value(json_object_get(interval, "high")) > (is_b ? 16.0 : 9.0) / 26);
	}
	assert_true(fabs(share[0] + share[1] - r2) < 1e-9);
	json_decref(root);
	ifr_buffer_release(&out);
	char *text = as_text(analysis);
	assert_non_null(strstr(text, "How important is each counter?"));
	assert_non_null(strstr(text, "Extrapolated to zero events, the line gives"));
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Cycles and branch misses of the same runs: layouts do not differ, and noise of both correlates by 0.9. */
static void fill_shared_noise(struct ifr_dataset *dataset, gsl_rng *rng, unsigned rounds) {
	const struct recipe recipe = {33, rounds, 0, 0, 0, 0, 0, false, "./lua"};
	ifr_dataset_init(dataset);
	add_facts(dataset, &recipe);
	add_counter(dataset, "cycles", "cycles", "perf");
	add_counter(dataset, "instructions", "", "perf");
	add_counter(dataset, "branch-misses", "", "perf");
	add_variants(dataset, &recipe);
	for (unsigned i = 0; i < recipe.variants * rounds; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
		double noise = gsl_ran_gaussian(rng, 0.01), other = gsl_ran_gaussian(rng, 0.01);
		run->variant = i % recipe.variants;
		run->repetition = i / recipe.variants;
		run->value[0] = 1e9 * (1 + noise);
		run->value[1] = 1e9;
		run->value[2] = 1e6 * (1 + 0.9 * noise + sqrt(1 - 0.81) * other);
	}
}

/* The line is significant in at most 5 % of the experiments, and three standard errors; with one run of a layout the
 * report says that noise may be the cause. */
static void test_shared_noise(void **state) {
	(void)state;
	const unsigned sets = at_depth(300, 3000);
	unsigned significant = 0;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 1987);
	for (unsigned i = 0; i <= sets; i++) {
		struct ifr_dataset dataset;
		fill_shared_noise(&dataset, rng, i < sets ? 5 : 1);
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		assert_int_equal(analysis->regression_count, 1);
		const struct ifr_counter_regression *r = &analysis->regressions[0];
		assert_int_equal(r->crossing, i < sets ? IFR_CROSSING_DONE : IFR_CROSSING_IMPOSSIBLE);
		significant += i < sets && r->line.p < 0.05;
		if (i == sets) {
			char *text = as_text(analysis);
			says(text, "noise which they share in a run cannot be excluded");
			free(text);
		}
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	gsl_rng_free(rng);
	if (significant > sets * 0.05 + 3 * sqrt(sets * 0.05 * 0.95))
		fail_msg("%u of %u", significant, sets);
}

/* Fourteen counters of pure noise take one item, and one that follows time keeps its own. */
static void test_unsettled_counters(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset, wide;
	recipe.perf = true;
	fill(&dataset, &recipe, 5);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 17);
	ifr_dataset_init(&wide);
	ifr_dataset_add_fact(&wide, "command", "./lua fib.lua 32");
	for (size_t i = 0; i < dataset.counter_count; i++)
		*ifr_dataset_add_counter(&wide) = dataset.counters[i];
	for (size_t i = 0; i < 14; i++) {
		char name[16];
		snprintf(name, sizeof name, "event-%zu", i);
		add_counter(&wide, name, "", "perf");
	}
	add_variants(&wide, &recipe);
	for (size_t i = 0; i < dataset.run_count; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&wide);
		double *value = run->value;
		*run = dataset.runs[i];
		run->value = value;
		memcpy(value, dataset.runs[i].value, dataset.counter_count * sizeof *value);
		for (size_t j = 0; j < 14; j++)
			value[dataset.counter_count + j] = 1e6 * (1 + gsl_ran_gaussian(rng, 0.01));
	}
	gsl_rng_free(rng);
	struct ifr_analysis *analysis = analysed(&wide, "cycles");
	char *text = as_text(analysis), *list = strstr(text, "- A relation is not settled for ");
	assert_non_null(list);
	for (size_t i = 0; i < 14; i++) {
		char name[16];
		snprintf(name, sizeof name, "event-%zu", i);
		assert_non_null(strstr(list, name));
	}
	char *end = strstr(list, "(the strongest has p");
	assert_non_null(end);
	*end = '\0';
	assert_null(strstr(list + 2, "- "));
	assert_null(strstr(list, "branch-misses"));
	assert_null(strstr(end + 1, "not settled"));
	*list = '\0';
	says(text, "branch-misses per 1000 instructions: explains");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&wide);
	ifr_dataset_release(&dataset);
}

/* Three runs of each layout take 10, 30 and 12 ms, and more by the layout; events are 70, 50 and 10 in them, and more by
 * three a layout. The median of the events is 50, and the run of 12 ms, the median, has 10 (Wang and Jiménez 2011,
 * section 5.5). */
static void test_median_runs(void **state) {
	(void)state;
	static const double time[] = {10, 30, 12}, events[] = {70, 50, 10};
	const struct recipe recipe = {.variants = 9, .program = "./lua"};
	struct ifr_dataset dataset;
	ifr_dataset_init(&dataset);
	add_counter(&dataset, "duration_time", "ns", "clock");
	add_counter(&dataset, "events", "", "perf");
	add_facts(&dataset, &recipe);
	add_variants(&dataset, &recipe);
	for (unsigned i = 0; i < 27; i++) {
		struct ifr_dataset_run *run = ifr_dataset_add_run(&dataset);
		run->variant = i % 9;
		run->repetition = i / 9;
		run->value[0] = 1e6 * (time[i / 9] + 0.1 * (i % 9));
		run->value[1] = events[i / 9] + 3 * (i % 9);
	}
	for (int of_runs = 0; of_runs < 2; of_runs++) {
		dataset.median_runs = of_runs;
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		assert_int_equal(analysis->regression_count, 1);
		double least = INFINITY;
		for (size_t i = 0; i < analysis->regressions->count; i++)
			least = fmin(least, analysis->regressions->x[i]);
		assert_true(fabs(least - (of_runs ? 10 : 50)) < 1e-9 || fabs(least - (of_runs ? 13 : 53)) < 1e-9);
		ifr_analysis_free(analysis);
	}
	ifr_dataset_release(&dataset);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsettled_counters),  cmocka_unit_test(test_serial_disturbances),
		cmocka_unit_test(test_relative_importance), cmocka_unit_test(test_shared_noise),
		cmocka_unit_test(test_median_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
