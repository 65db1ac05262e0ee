/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of experiments with known true values. */
#include <math.h>

#include "harness/report/next_command.h"
#include "tests/unit/depth.h"
#include "tests/unit/report_read.h"

/* The three lines come first, then the sections in their order. */
static void test_text_order(void **state) {
	(void)state;
	static const char *const parts[] = {
		"Layouts of ./lua",
		"Layout matters: sd ",
		"The shipped layout ",
		"Next: ",
		"Measured: ",
		"How far apart",
		"standard deviation between",
		"more than run-to-run noise explains (standard deviation from one run to the next: ",
		"Where does the shipped layout stand?",
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

/* The analysis finds the variances that the data were made with: 1.8 % between, 0.3 % within; the relative error
 * of a standard deviation is about 1/sqrt(2 df), 13 % for 31 degrees of freedom and 6 % for 128: four of these are
 * allowed. */
static void test_recovers_truth(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	fill(&dataset, &usual, 11);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	json_t *root = json_of(analysis);
	double centre = number(root, "analysis.median_layout");
	assert_true(fabs(number(root, "analysis.spread.between_sd") / centre - 0.018) < 4 * 0.13 * 0.018);
	assert_true(fabs(number(root, "analysis.spread.within_sd") / centre - 0.003) < 4 * 0.06 * 0.003);
	assert_true(number(root, "analysis.spread.between_sd_interval.low") <= 0.018 * centre);
	assert_true(number(root, "analysis.spread.between_sd_interval.high") >= 0.018 * centre);
	assert_true(number(root, "analysis.spread.p") < 1e-6);
	assert_int_equal(number(root, "analysis.counted.random_layouts"), 32);
	assert_int_equal(number(root, "schema_version"), 3);
	assert_int_equal(json_array_size(follow(root, "runs")), 33 * 5);
	assert_int_equal(json_array_size(follow(root, "variants")), 33);
	assert_string_equal(json_string_value(follow(root, "host")), "bench1");
	json_t *run = json_array_get(follow(root, "runs"), 17);
	assert_true(json_number_value(json_array_get(json_object_get(run, "values"), 0)) == dataset.runs[17].value[0]);
	json_decref(root);
	ifr_analysis_free(analysis);
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
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		json_t *root = json_of(analysis);
		claimed += number(root, "analysis.spread.p") < 0.05;
		singled_out += number(root, "analysis.best.against_shipped.interval_pct.high") < 0 ||
		               number(root, "analysis.worst.against_shipped.interval_pct.low") > 0;
		json_decref(root);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	assert_in_range(claimed, 2, 20); /* 10 expected, standard deviation 3.1 */
	assert_in_range(singled_out, 0, 20);
	char *text = text_of(&noise, 7, NULL);
	says(text, "That is no more than run-to-run noise");
	says(text, "does not settle whether layout matters");
	says(text, "so that the order of the layouts may be chance. - Fastest measured: ");
	says_not(text, "Best: ");
	says(text, "makes the fastest measured layout again");
	says_not(text, "best layout");
	says_not(text, "no difference");
	says(text, "Kinds of layouts rarer than 9.4 % (3 in 32) may not have been met");
	free(text);
}

/* The gain of the best layout against the shipped one: its interval holds the difference of their own values, which
 * fill() draws first, in 95 % of the experiments; three standard errors. */
static void test_gain(void **state) {
	(void)state;
	const unsigned sets = at_depth(300, 3000);
	unsigned inside = 0;
	struct recipe recipe = usual;
	recipe.between = 0.005;
	recipe.within = 0.01;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	for (unsigned long seed = 1; seed <= sets; seed++) {
		struct ifr_dataset dataset;
		double layout[512];
		fill(&dataset, &recipe, seed);
		gsl_rng_set(rng, seed);
		for (unsigned i = 0; i < recipe.variants; i++)
			layout[i] = gsl_ran_gaussian(rng, recipe.between);
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		const struct ifr_contrast *gain = &analysis->best.again;
		assert_true(gain->has_interval);
		double truth = 100 * (layout[analysis->best.layout->variant->layout] - layout[0]) / (1 + layout[0]);
		inside += gain->interval_pct.low <= truth && truth <= gain->interval_pct.high;
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	gsl_rng_free(rng);
	if (inside < sets * 0.95 - 3 * sqrt(sets * 0.95 * 0.05))
		fail_msg("%u of %u", inside, sets);
}

/* Two layouts of 32 are 20 % slower: said, as means depend on them. */
static void test_tails(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	fill(&dataset, &usual, 4);
	for (size_t i = 0; i < dataset.run_count; i++)
		if (dataset.runs[i].variant == 5 || dataset.runs[i].variant == 9)
			dataset.runs[i].value[0] *= 1.2;
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text, "2 layouts lie far from the others");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	text = text_of(&usual, 3, NULL);
	says_not(text, "far from the others");
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
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text, "which is 33 % from the lowest to the highest");
	says(text, "Best: v002");
	says(text, "10 % faster than the shipped layout");
	says(text, "Worst: v003");
	says(text, "20 % slower than the shipped layout");
	says(text, "rank 3 of 5");
	says(text, "2 of the 4 random layouts (50 %) are faster");
	says(text, "2.4 % faster");
	says(text, "The runs of a layout agree exactly");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* By hand: random layouts of means 98, 100, 100, 102, two runs each, 1 off. Mean squares 5.333 between and 2 within, so
 * that F = 2.667 and 1 - 1 / F = 0.625 of a distance from the mean is a layout's own. Measured, the range is 98 to 102,
 * 4.1 %; expected is 98.75 to 101.25, 2.5 %. */
static void test_expected_range(void **state) {
	(void)state;
	/* The second set: means 90 to 110, mean squares 133.33 and 2, so that 65.67 / (65.67 + 2) = 97 % of the variance of
	 * runs is the layouts', and 1 - 1 / F = 0.985: expected is 90.15 to 109.85. */
	static const struct {
		double values[5], range, expected, share;
	} sets[] = {{{100, 98, 100, 102, 100}, 4 / 98.0, 2.5 / 98.75, 1.6667 / 3.6667},
	            {{100, 90, 100, 110, 100}, 20 / 90.0, 19.7 / 90.15, 65.6667 / 67.6667}};
	for (size_t set = 0; set < 2; set++) {
		struct recipe small = usual;
		struct ifr_dataset dataset;
		small.variants = 5;
		small.rounds = 2;
		fill(&dataset, &small, 1);
		for (size_t i = 0; i < dataset.run_count; i++)
			dataset.runs[i].value[0] =
				sets[set].values[dataset.runs[i].variant] + (dataset.runs[i].repetition ? 1 : -1);
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		json_t *root = json_of(analysis);
		char *text = as_text(analysis);
		assert_true(fabs(number(root, "analysis.spread.range_pct") - 100 * sets[set].range) < 1e-6);
		assert_true(fabs(number(root, "analysis.spread.expected_range_pct") - 100 * sets[set].expected) < 1e-4);
		assert_true(fabs(number(root, "analysis.spread.variance_share") - sets[set].share) < 1e-4);
		assert_int_equal(strstr(text, "of the variance of single runs, 97 % is the layouts'.") != NULL, set);
		free(text);
		json_decref(root);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* Refused runs and variants are counted, reported, and change nothing else. */
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
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text, "31 random and the shipped one; runs that count: 159, 4 to 5");
	says(text, "layouts: 1 (runs in them: 5); single runs: 1.");
	says(text, "v007: printed something else than the original");
	says(text, "Refused runs: 1: the kernel moved it to another CPU");
	says_not(text, "Best: v007");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* CPI = 0.5 + 0.025 MPKI was put in. cycles are taken when perf has them. */
static void test_regression(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	recipe.perf = true;
	fill(&dataset, &recipe, 9);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	json_t *root = json_of(analysis), *line = json_array_get(follow(root, "analysis.regressions"), 0);
	assert_string_equal(json_string_value(follow(root, "analysis.metric")), "cycles");
	assert_int_equal(json_array_size(follow(root, "analysis.regressions")), 1);
	assert_true(fabs(number(line, "slope") - 0.025) < 4 * number(line, "slope_se"));
	assert_true(fabs(number(line, "intercept") - 0.5) < 0.02);
	assert_int_equal(number(root, "analysis.counted.runs_of_other_passes"), 33 * 5);
	json_decref(root);
	char *text = as_text(analysis);
	says(text, "branch-misses per 1000 instructions: explains");
	says(text, "million cycles");
	free(text);
	ifr_analysis_free(analysis);
	text = text_of(&recipe, 9, "duration_time");
	says(text, "duration_time, from clock");
	free(text);
	ifr_dataset_release(&dataset);
}

/* Too few data give sentences. */
static void test_poor_data(void **state) {
	(void)state;
	static const struct {
		unsigned variants, rounds;
		double between, within;
		const char *words;
	} cases[] = {{1, 5, .02, .003, "There is no random layout to compare"},
	             {2, 5, .02, .003, "The variance between layouts is unknown"},
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
	struct ifr_analysis *analysis;
	struct ifr_error err = {0};
	fill(&dataset, &usual, 1);
	assert_int_equal(ifr_analysis_make(&dataset, "cache-misses", &analysis, &err), -IFR_E_USAGE);
	says(err.message, "it has: duration_time");
	free(dataset.variants[0].refused);
	dataset.variants[0].refused = ifr_strdup("crashed");
	analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text, "The shipped layout is not among the layouts");
	free(text);
	ifr_analysis_free(analysis);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] = NAN;
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "no run gave a value");
	dataset.runs[3].variant = 99;
	assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "damaged");
	ifr_dataset_release(&dataset);
}

/* Medians that two to four layouts do not bound to within 100 %: words in place of such intervals, and the remedy. By
 * hand for two layouts a and b: the mean's t interval is (a + b) / 2 -+ 12.7 |a - b| / 2, which contains 0 from a
 * difference of 16 % on. The JSON has the figures. */
static void test_few_layouts(void **state) {
	(void)state;
	for (unsigned layouts = 2; layouts <= 4; layouts++) {
		struct recipe recipe = usual;
		struct ifr_dataset dataset;
		recipe.variants = layouts + 1;
		recipe.between = .4;
		recipe.within = .02;
		fill(&dataset, &recipe, 7);
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		char *text = as_text(analysis), *words = ifr_format("%u layouts do not bound it", layouts);
		json_t *root = json_of(analysis);
		says(text, words);
		says(text, "Layout matters: sd ");
		says(text, layouts == 2 ? "2 layouts do not bound it. 20 layouts would be enough." : "would be enough.");
		says(text, "The shipped layout cannot be told from the median; ");
		says(text, "layouts are too few for an interval of that, and 5 would do.");
		says_not(text, "(50 % interval");
		says_not(text, "interval -");
		assert_true(number(root, "analysis.spread.between_sd_interval.high") >
		            number(root, "analysis.median_layout"));
		json_decref(root);
		free(words);
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	/* Layouts that are alike: what little they differ by is bounded, and said in figures. */
	struct recipe alike = usual;
	alike.variants = 3;
	alike.between = .001;
	char *text = text_of(&alike, 7, NULL);
	says_not(text, "do not bound");
	free(text);
}

/* The conclusion of each kind of experiment, and the line that says it. */
static void test_conclusions(void **state) {
	(void)state;
	static const struct {
		unsigned variants, rounds;
		double between, within, shipped; /* shipped: its factor, unless 0 */
		const char *effect, *standing, *advice;
	} cases[] = {
		{1, 5, .02, .003, 0, "Whether layout matters is unknown: there is no random",
	     "shipped layout stands is unknown",
	     "Next: measure more layouts, 20 in all. interfero bench -n 20 -- ./lua fib.lua 32 Command:"},
		{33, 1, .02, .003, 0, "unknown: every layout ran once", "The shipped layout is close to the median",
	     "Next: run each layout more often, 5 times. interfero bench -n 32 -- ./lua"},
		{33, 5, 0, 0, 0, "Layout does not matter here", "The shipped layout equals the median",
	     "Next: nothing to do about layout"},
		{33, 5, 0, .003, 0, "No layout effect found: sd 0.07 % (95 % interval 0 % to 0.15 %), noise 0.29 %.",
	     "The shipped layout cannot be told from", "Next: nothing to do about layout"},
		{33, 5, 0, .05, 0, "No layout effect found: sd ", "The shipped layout cannot be told from",
	     "Next: make the machine quieter"},
		{9, 2, 0, .013, 0, "No layout effect found: sd ", "The shipped layout cannot be told from",
	     "Next: run each layout more often, 4 times. interfero bench -n 8 -r 4 -- ./lua"},
		{33, 5, .02, .003, 1.1, "Layout matters: sd ", "% slower than the median; 32 of 32 are faster.",
	     "Next: build the best layout, v0"},
		{33, 5, .02, .003, .9, "Layout matters: sd ", "% faster than the median; 0 of 32",
	     "Next: judge changes over many layouts; a single one may mislead by "},
		{6, 5, .02, .003, 1.1, "Layout matters: sd ", "% slower than the median", "Next: measure more layouts"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct recipe recipe = usual;
		struct ifr_dataset dataset;
		recipe.variants = cases[i].variants;
		recipe.rounds = cases[i].rounds;
		recipe.between = cases[i].between;
		recipe.within = cases[i].within;
		fill(&dataset, &recipe, 7);
		for (size_t j = 0; j < dataset.run_count && cases[i].shipped > 0; j++)
			if (dataset.runs[j].variant == 0)
				dataset.runs[j].value[0] = usual.centre * cases[i].shipped;
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		char *text = as_text(analysis);
		says(text, cases[i].effect);
		says(text, cases[i].standing);
		says(text, cases[i].advice);
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* The lines between the title and the first paragraph: three, each unbroken, and the command as one line. */
static void test_headline(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_buffer out = {0};
	fill(&dataset, &usual, 7);
	dataset.file = ifr_strdup("my lua.exp");
	for (size_t j = 0; j < dataset.run_count; j++)
		if (dataset.runs[j].variant == 0)
			dataset.runs[j].value[0] = usual.centre * 1.025;
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	analysis->conclusion.advice = IFR_ADVICE_FIND_CODE;
	ifr_report_text(analysis, false, &out);
	char *text = ifr_buffer_detach(&out), *lines[7], *rest = text;
	for (size_t i = 0; i < 7; i++)
		lines[i] = strsep(&rest, "\n");
	/* By hand from the JSON: 100 * between_sd / median_layout and the ends of its interval. */
	json_t *root = json_of(analysis);
	double centre = number(root, "analysis.median_layout") / 100;
	char *sd = ifr_format("  Layout matters: sd %.1f %% (95 %% interval %.1f %% to %.1f %%), expected range ",
	                      number(root, "analysis.spread.between_sd") / centre,
	                      number(root, "analysis.spread.between_sd_interval.low") / centre,
	                      number(root, "analysis.spread.between_sd_interval.high") / centre);
	assert_memory_equal(lines[1], sd, strlen(sd));
	assert_true(strlen(lines[1]) <= 80);
	says(lines[2], "  The shipped layout is ");
	assert_string_equal(lines[3], "  Next: find the code that causes it.");
	assert_string_equal(lines[4], "      interfero blame 'my lua.exp'");
	assert_string_equal(lines[5], "");
	json_t *conclusion = follow(root, "analysis.conclusion");
	assert_string_equal(json_string_value(json_object_get(conclusion, "next_command")), lines[4] + 6);
	json_t *headline = json_object_get(conclusion, "headline");
	assert_int_equal(json_array_size(headline), 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(json_string_value(json_array_get(headline, i)), lines[i + 1] + 2);
	json_decref(root);
	free(sd);
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Runs that do different work call for the same work first, not for more layouts. Figures for one iteration, and a
 * program that merely prints figures of its own, do not. */
static void test_adaptive(void **state) {
	(void)state;
	static const struct {
		const char *iterations, *source;
		bool adaptive;
	} cases[] = {
		{"The program chooses its iterations anew in every run (Google Benchmark): time and", "clock", true},
		{"The program chooses its iterations anew in every run (x): its own figures", "program", false},
		{"The program prints figures of its own (Go), which may tell more", "clock", false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct recipe recipe = usual;
		struct ifr_dataset dataset;
		recipe.variants = 4;
		fill(&dataset, &recipe, 7);
		strcpy(dataset.counters[0].source, cases[i].source);
		ifr_dataset_add_fact(&dataset, "own iterations", cases[i].iterations);
		ifr_dataset_add_fact(&dataset, "own figures", "interfero bench --metrics google-benchmark -- ./lua");
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		char *text = as_text(analysis);
		(cases[i].adaptive ? says : says_not)(text,
		                                      "Next: first let all runs do the same work, as the next lines say.");
		(cases[i].adaptive ? says_not : says)(text, "Next: measure more layouts");
		says(text, cases[i].iterations);
		says(text, "--metrics google-benchmark");
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* A long command to paste keeps to 80 columns, by backslashes. */
static void test_long_recipe(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	struct ifr_buffer text = {0};
	recipe.variants = 4;
	fill(&dataset, &recipe, 7);
	ifr_dataset_add_fact(&dataset, "own iterations", "The program chooses its iterations anew in every run (x)");
	ifr_dataset_add_fact(&dataset, "own figures",
	                     "interfero bench --metrics google-benchmark -o a-very-long-name-of-figures.exp "
	                     "-- ./a-very-long-name --with-an-argument");
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	ifr_report_text(analysis, false, &text);
	const char *line = strstr(ifr_buffer_text(&text), "    interfero bench --metrics google-benchmark -o ");
	assert_non_null(line);
	assert_memory_equal(line + strcspn(line, "\n") - 2, " \\", 2);
	for (int i = 0; i < 3; i++, line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	ifr_buffer_release(&text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* The command goes on with the options of the one before, its own -n and -r in their place. */
static void test_next_command(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	recipe.variants = 6;
	recipe.rounds = 3;
	fill(&dataset, &recipe, 7);
	ifr_dataset_add_fact(&dataset, "options", "--axes stack,load --env 'A=b c'");
	dataset.file = ifr_strdup("lua.exp");
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text,
	     "Next: measure more layouts, 20 in all. "
	     "interfero bench --axes stack,load --env 'A=b c' -n 20 -r 3 -o lua.exp \\ -- ./lua fib.lua 32 Command:");
	free(text);
	ifr_analysis_free(analysis);
	analysis = analysed(&dataset, NULL);
	analysis->conclusion.advice = IFR_ADVICE_COMPARE_MEANS;
	text = as_text(analysis);
	says(text, " interfero compare --axes stack,load --env 'A=b c' ./lua NEW -- fib.lua \\ 32 Command:");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

static void check_measuring(const char *options, bool metrics, const char *kept) {
	struct ifr_dataset dataset;
	struct ifr_buffer text = {0};
	ifr_dataset_init(&dataset);
	ifr_dataset_add_fact(&dataset, "options", options);
	ifr_dataset_add_fact(&dataset, "metrics", metrics ? "google-benchmark" : "none");
	next_put_measuring(&dataset, "BM Sort", &text);
	assert_string_equal(ifr_buffer_text(&text), kept);
	ifr_buffer_release(&text);
	ifr_dataset_release(&dataset);
}

/* Options of the measurement go on to another command; programs, budgets and reports do not. */
static void test_measuring(void **state) {
	(void)state;
	static const char all[] =
		"--metrics google-benchmark --metric=x --counters clock --program place/p --prepare 'sync; true' "
		"--warmup 2 --env A=1 --env 'B=2 3' --stdin in.txt --cpu 1 --timeout 9s --core --axes load";
	char *with = ifr_format("--budget 9s -q %s --fail-above 3 --html p.html ./old ./new", all),
		 *kept = ifr_format(" %s", all);
	check_measuring(with, true, kept);
	check_measuring("./old ./new --metrics go", true, " --metrics go -m 'BM Sort'");
	check_measuring("./old ./new -cmodel -m cycles", false, " -cmodel -m cycles");
	check_measuring("--library old.so --looks 4 --prep true --until 1", false, " --prep true");
	check_measuring("--core=full --sweep stack:bytes=0:4080:16 --seed 7 --ignore-output", false,
	                " --core=full --ignore-output");
	free(kept);
	free(with);
}

/* A shipped file that was edited after its link counts nowhere: not among the layouts, not against them. The model
 * replays one recording in all layouts, and so keeps it. */
static void test_edited(void **state) {
	(void)state;
	for (int model = 0; model < 2; model++) {
		struct ifr_dataset dataset;
		fill(&dataset, &usual, 7);
		ifr_dataset_add_fact(&dataset, "edited", "after its link");
		strcpy(dataset.counters[0].source, model ? "model" : "clock");
		for (size_t i = 0; i < dataset.run_count; i++)
			if (!dataset.runs[i].variant)
				dataset.runs[i].value[0] *= 1.2;
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		json_t *root = json_of(analysis);
		char *text = as_text(analysis);
		assert_int_equal(number(root, "analysis.counted.runs_used"), model ? 33 * 5 : 32 * 5);
		assert_int_equal(number(root, "analysis.counted.runs_of_edited_file"), model ? 0 : 5);
		assert_int_equal(json_array_size(follow(root, "analysis.layouts")), model ? 33 : 32);
		assert_int_equal(json_is_null(follow(root, "analysis.shipped")), !model);
		assert_int_equal(json_is_null(follow(root, "analysis.best.against_shipped")), !model);
		(model ? says_not : says)(text, "stands is unknown: its file was edited after its link.");
		(model ? says : says_not)(text, "slower than the median");
		(model ? says : says_not)(text, "vs shipped");
		(model ? says_not : says)(text, "32 random; the shipped file is none of them; runs that count: 160");
		json_decref(root);
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* A budget that is too short for the advised layouts becomes one that is enough. By hand: of 21 layouts in 3 runs each,
 * 18 runs are there; 45 of 0.11 s and 15 layouts of 10 s are 155 s, and a third more is 4 min. Where the plan has as
 * many, the same command goes on: 33 layouts in 3 runs less 18 are 81 runs, and 27 layouts, 279 s. */
static void test_next_budget(void **state) {
	(void)state;
	static const struct {
		const char *options, *planned, *advice, *command;
	} cases[] = {
		{"--axes stack --budget 90s --env 'A=b --budget c'", NULL,
	     "Next: measure more layouts, 20 in all (about 3 min). interfero bench ",
	     "--axes stack --budget 4m --env 'A=b --budget c' -n 20 \\ -r 3 -o lua.exp"},
		{"--budget=1h", NULL, "20 in all (about 3 min). ", "interfero bench --budget 1h -n 20 -r 3 -o lua.exp"},
		{"--axes stack", NULL, "20 in all. ", "interfero bench --axes stack -n 20 -r 3 -o lua.exp"},
		{"--budget 90s", "32", "Next: go on with the same command (about 5 min). ",
	     "interfero bench --budget 7m -n 32 -r 3 -o lua.exp"},
		{"--budget 90s", "12", "Next: measure more layouts, 20 in all", "--budget 4m -n 20"},
	};
	struct recipe recipe = usual;
	recipe.variants = 6;
	recipe.rounds = 3;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_dataset dataset;
		fill(&dataset, &recipe, 7);
		ifr_dataset_add_fact(&dataset, "options", cases[i].options);
		ifr_dataset_add_fact(&dataset, "run cost_ns", "100000000");
		ifr_dataset_add_fact(&dataset, "copy cost_ns", "10000000");
		ifr_dataset_add_fact(&dataset, "layout cost_ns", "10000000000");
		ifr_dataset_add_fact(&dataset, "rounds planned", "3");
		ifr_dataset_add_fact(&dataset, "variants planned", cases[i].planned ? cases[i].planned : "5");
		ifr_dataset_add_fact(&dataset, "complete", cases[i].planned ? "no: the time budget was used up" : "yes");
		dataset.file = ifr_strdup("lua.exp");
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		char *text = as_text(analysis);
		says(text, cases[i].advice);
		says(text, cases[i].command);
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* The share of faster layouts is told where its interval tells something. */
static void test_share_told(void **state) {
	(void)state;
	static const char words[] = "Of all possible layouts, ";
	unsigned told = 0, untold = 0;
	for (unsigned variants = 4; variants <= 34; variants += 6) {
		struct ifr_dataset dataset;
		struct recipe recipe = usual;
		recipe.variants = variants;
		recipe.within = 0.02;
		fill(&dataset, &recipe, variants);
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		char *text = as_text(analysis);
		const bool wide = analysis->faster_share.high - analysis->faster_share.low > 0.9;
		(wide ? says_not : says)(text, words);
		told += !wide;
		untold += wide;
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	assert_true(told && untold);
}

/* Layouts of the heap have another allocator than the shipped program. */
static void test_allocator(void **state) {
	(void)state;
	static const char *const axes[] = {"functions,padding", "heap", "stack,blocks", "heap,blocks"};
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		struct ifr_dataset dataset;
		fill(&dataset, &usual, 7);
		for (size_t j = 0; j < dataset.run_count; j++)
			dataset.runs[j].value[0] *= dataset.runs[j].variant ? 1 : 0.9;
		for (size_t j = 0; j < dataset.fact_count; j++)
			if (!strcmp(dataset.facts[j].name, "axes")) {
				free(dataset.facts[j].value);
				dataset.facts[j].value = ifr_strdup(axes[i]);
			}
		struct ifr_analysis *analysis = analysed(&dataset, NULL);
		char *text = as_text(analysis);
		(i ? says : says_not)(
			text, "The shipped program runs with its own allocator, all other layouts with that of interfero");
		/* Where they differ, the first lines say so, too. */
		(i ? says : says_not)(text, " (it has another allocator)");
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
}

/* One unit for all values: the largest that is not above the value. */
static void test_scale(void **state) {
	(void)state;
	const struct ifr_dataset_counter cycles = {.unit = "cycles"}, time = {.unit = "ns"};
	struct ifr_scale scale = ifr_scale_of(&cycles, 20195600);
	assert_true(scale.divisor == 1e6);
	assert_string_equal(scale.unit, "million cycles");
	scale = ifr_scale_of(&time, 5.523);
	assert_true(scale.divisor == 1);
	assert_string_equal(scale.unit, "ns");
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_order),     cmocka_unit_test(test_recovers_truth),
		cmocka_unit_test(test_noise),          cmocka_unit_test(test_two_groups),
		cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_refused),
		cmocka_unit_test(test_regression),     cmocka_unit_test(test_poor_data),
		cmocka_unit_test(test_conclusions),    cmocka_unit_test(test_gain),
		cmocka_unit_test(test_tails),          cmocka_unit_test(test_headline),
		cmocka_unit_test(test_next_command),   cmocka_unit_test(test_few_layouts),
		cmocka_unit_test(test_adaptive),       cmocka_unit_test(test_edited),
		cmocka_unit_test(test_expected_range), cmocka_unit_test(test_text_order),
		cmocka_unit_test(test_recovers_truth), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_two_groups),     cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_refused),        cmocka_unit_test(test_regression),
		cmocka_unit_test(test_poor_data),      cmocka_unit_test(test_conclusions),
		cmocka_unit_test(test_gain),           cmocka_unit_test(test_tails),
		cmocka_unit_test(test_headline),       cmocka_unit_test(test_next_command),
		cmocka_unit_test(test_measuring),      cmocka_unit_test(test_few_layouts),
		cmocka_unit_test(test_long_recipe),    cmocka_unit_test(test_adaptive),
		cmocka_unit_test(test_edited),         cmocka_unit_test(test_expected_range),
		cmocka_unit_test(test_next_budget),    cmocka_unit_test(test_share_told),
		cmocka_unit_test(test_allocator),      cmocka_unit_test(test_scale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
