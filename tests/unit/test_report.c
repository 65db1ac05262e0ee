/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says of experiments whose true values were put in. */
#include <math.h>

#include "tests/unit/report_read.h"

/* The six answers, in the order they are asked for. */
static void test_text_order(void **state) {
	(void)state;
	static const char *const parts[] = {"How far apart",
	                                    "standard deviation between",
	                                    "more than run-to-run noise",
	                                    "layout that ships",
	                                    "rank ",
	                                    "Best: ",
	                                    "Worst: ",
	                                    "interfero variants --seed 42 --axes functions,padding -n ",
	                                    "rest on",
	                                    "Pinned to: CPU 1",
	                                    "off",
	                                    "^ shipped",
	                                    "vs shipped"};
	char *text = text_of(&usual, 7, NULL), *at = text;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		at = strstr(at, parts[i]);
		if (!at)
			fail_msg("\"%s\" is missing or too early", parts[i]);
	}
	free(text);
}

/* What was put in comes out: 1.8 % between, 0.3 % within; the relative error of a standard deviation is about
 * 1/sqrt(2 df), 13 % for 31 degrees of freedom and 6 % for 128: four of these are allowed. */
static void test_recovers_truth(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	fill(&dataset, &usual, 11);
	struct ifr_analysis *report = analysed(&dataset, NULL);
	json_t *root = json_of(report);
	double centre = number(root, "analysis.median_layout");
	assert_true(fabs(number(root, "analysis.spread.between_sd") / centre - 0.018) < 4 * 0.13 * 0.018);
	assert_true(fabs(number(root, "analysis.spread.within_sd") / centre - 0.003) < 4 * 0.06 * 0.003);
	assert_true(number(root, "analysis.spread.between_sd_interval.low") <= 0.018 * centre);
	assert_true(number(root, "analysis.spread.between_sd_interval.high") >= 0.018 * centre);
	assert_true(number(root, "analysis.spread.p") < 1e-6);
	assert_int_equal(number(root, "analysis.counted.random_layouts"), 32);
	assert_int_equal(number(root, "schema_version"), 1);
	assert_int_equal(json_array_size(follow(root, "runs")), 33 * 5);
	assert_int_equal(json_array_size(follow(root, "variants")), 33);
	assert_string_equal(json_string_value(follow(root, "host")), "bench1");
	json_t *run = json_array_get(follow(root, "runs"), 17);
	assert_true(json_number_value(json_array_get(json_object_get(run, "values"), 0)) == dataset.runs[17].value[0]);
	json_decref(root);
	ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
}

/* Layouts that differ by nothing must not be told apart: of 200 such experiments the F test may claim a difference
 * in 5 %, and in 5 % the best or the worst may seem to differ from the shipped one, although they are chosen by
 * looking. */
static void test_noise(void **state) {
	(void)state;
	struct recipe noise = usual;
	noise.between = 0;
	int claimed = 0, singled_out = 0;
	for (unsigned long seed = 1; seed <= 200; seed++) {
		struct ifr_dataset dataset;
		fill(&dataset, &noise, seed);
		struct ifr_analysis *report = analysed(&dataset, NULL);
		json_t *root = json_of(report);
		claimed += number(root, "analysis.spread.p") < 0.05;
		singled_out += number(root, "analysis.best.against_shipped.interval_pct.high") < 0 ||
		               number(root, "analysis.worst.against_shipped.interval_pct.low") > 0;
		json_decref(root);
		ifr_analysis_free(report);
		ifr_dataset_release(&dataset);
	}
	assert_in_range(claimed, 2, 20); /* 10 expected, standard deviation 3.1 */
	assert_in_range(singled_out, 0, 20);
	char *text = text_of(&noise, 7, NULL);
	says(text, "cannot be told from run-to-run noise");
	free(text);
}

static void test_two_groups(void **state) {
	(void)state;
	struct recipe two = usual;
	two.second_group = 0.05;
	two.between = 0.003;
	char *text = text_of(&two, 3, NULL);
	says(text, "do not follow one (Anderson-Darling");
	free(text);
}

/* By hand: shipped 100, random 90, 95, 110, 120, each run twice without noise. Best -10 %, worst +20 %, range
 * 90 to 120 is 33 %, median layout 102.5, of which shipped is 2.4 % below; 2 of 4 are faster. */
static void test_by_hand(void **state) {
	(void)state;
	static const double values[] = {100, 110, 90, 120, 95};
	struct recipe small = usual;
	struct ifr_dataset dataset;
	small.variants = 5;
	small.rounds = 2;
	fill(&dataset, &small, 1);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] = values[dataset.runs[i].variant];
	struct ifr_analysis *report = analysed(&dataset, NULL);
	char *text = as_text(report);
	says(text, "lowest to the highest is 33 %");
	says(text, "Best: v002");
	says(text, "10 % faster than the shipped layout");
	says(text, "Worst: v003");
	says(text, "20 % slower than the shipped layout");
	says(text, "rank 3 of 5");
	says(text, "2 of the 4 random layouts (50 %) are faster");
	says(text, "2.4 % faster");
	says(text, "The runs of a layout agree exactly");
	free(text);
	ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
}

/* Refused things are counted, said, and change nothing else. */
static void test_refused(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	recipe.refused = 7;
	fill(&dataset, &recipe, 5);
	for (size_t i = 0; i < dataset.run_count; i++)
		if (dataset.runs[i].variant == 7)
			dataset.runs[i].value[0] = 1; /* would be the best by far */
	dataset.runs[41].refused = ifr_strdup("the kernel moved it to another CPU");
	dataset.runs[41].value[0] = 1e12;
	struct ifr_analysis *report = analysed(&dataset, NULL);
	char *text = as_text(report);
	says(text, "31 random and the one that ships; runs that count: 159, 4 to 5");
	says(text, "layouts: 1 (runs in them: 5); single runs: 1.");
	says(text, "v007: printed something else than the original");
	says(text, "Refused runs: 1: the kernel moved it to another CPU");
	says_not(text, "Best: v007");
	free(text);
	ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
}

/* CPI = 0.5 + 0.025 MPKI was put in. cycles are taken when perf has them. */
static void test_regression(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	recipe.perf = true;
	fill(&dataset, &recipe, 9);
	struct ifr_analysis *report = analysed(&dataset, NULL);
	json_t *root = json_of(report), *line = json_array_get(follow(root, "analysis.regressions"), 0);
	assert_string_equal(json_string_value(follow(root, "analysis.metric")), "cycles");
	assert_int_equal(json_array_size(follow(root, "analysis.regressions")), 1);
	assert_true(fabs(number(line, "slope") - 0.025) < 4 * number(line, "slope_se"));
	assert_true(fabs(number(line, "intercept") - 0.5) < 0.02);
	assert_int_equal(number(root, "analysis.counted.runs_of_other_passes"), 33 * 5);
	json_decref(root);
	char *text = as_text(report);
	says(text, "branch-misses per 1000 instructions: accounts for");
	says(text, "million cycles");
	free(text);
	ifr_analysis_free(report);
	text = text_of(&recipe, 9, "duration_time");
	says(text, "duration_time, from clock");
	free(text);
	ifr_dataset_release(&dataset);
}

/* Too little of everything gives sentences. */
static void test_poor_data(void **state) {
	(void)state;
	static const struct {
		unsigned variants, rounds;
		double between, within;
		const char *words;
	} cases[] = {{1, 5, .02, .003, "There is no random layout to compare"},
	             {2, 5, .02, .003, "More cannot be said"},
	             {3, 1, .02, .003, "because every layout ran once"},
	             {4, 2, .02, .003, "needs at least 8"},
	             {33, 5, 0, 0, "layout makes no difference here"},
	             {33, 5, .02, 0, "The runs of a layout agree exactly"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct recipe recipe = usual;
		recipe.variants = cases[i].variants;
		recipe.rounds = cases[i].rounds;
		recipe.between = cases[i].between;
		recipe.within = cases[i].within;
		char *text = text_of(&recipe, 2, NULL);
		says(text, cases[i].words);
		free(text);
	}
	struct ifr_dataset dataset;
	struct ifr_analysis *report;
	struct ifr_error err = {0};
	fill(&dataset, &usual, 1);
	assert_int_equal(ifr_analysis_make(&dataset, "cache-misses", &report, &err), -IFR_E_USAGE);
	says(err.message, "it has: duration_time");
	free(dataset.variants[0].refused);
	dataset.variants[0].refused = ifr_strdup("crashed");
	report = analysed(&dataset, NULL);
	char *text = as_text(report);
	says(text, "It is not in this comparison");
	free(text);
	ifr_analysis_free(report);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] = NAN;
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &report, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "no run gave a value");
	dataset.runs[3].variant = 99;
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &report, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "damaged");
	ifr_dataset_release(&dataset);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_order), cmocka_unit_test(test_recovers_truth), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_two_groups), cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_refused),
		cmocka_unit_test(test_regression), cmocka_unit_test(test_poor_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
