/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of made-up experiments, whose true values are known because they were put in. */
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
#include <jansson.h>

#include "common/file.h"
#include "harness/report/report.h"

struct recipe {
	unsigned variants, rounds;
	double centre, between, within; /* of duration_time, in ns; the last two relative */
	double second_group;            /* relative shift of every other layout */
	unsigned refused;               /* this variant, if not 0 */
	bool perf;                      /* cycles, instructions and branch-misses in two passes as well */
	const char *program;
};

static void add_counter(struct ifr_dataset *dataset, const char *name, const char *unit, const char *source) {
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	strcpy(counter->name, name);
	strcpy(counter->unit, unit);
	strcpy(counter->source, source);
}

static void add_facts(struct ifr_dataset *dataset, const struct recipe *recipe) {
	const char *const facts[][2] = {{"tool version", "0.1.0"},
	                                {"program", recipe->program},
	                                {"command", "./lua fib.lua 32"},
	                                {"kit", "3c6741592ad30c5b"},
	                                {"seed", "42"},
	                                {"axes", "functions,padding"},
	                                {"host", "bench1"},
	                                {"processor", "Example CPU 9000"},
	                                {"kernel", "6.1.0"},
	                                {"pinned to", "CPU 1"},
	                                {"aslr", "off"},
	                                {"started", "2024-01-02 03:04:05 UTC"}};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		ifr_dataset_add_fact(dataset, facts[i][0], facts[i][1]);
}

static void add_variants(struct ifr_dataset *dataset, const struct recipe *recipe) {
	for (unsigned i = 0; i < recipe->variants; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		struct ifr_buffer text = {0};
		struct ifr_plan plan;
		ifr_plan_init(&plan);
		ifr_plan_derive(&plan, 42, 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING, i);
		ifr_plan_print(&plan, &text);
		variant->index = i;
		snprintf(variant->name, sizeof variant->name, i ? "v%03u" : "shipped", i);
		variant->plan = i ? ifr_buffer_detach(&text) : ifr_strdup("");
		variant->build_id = ifr_strdup("");
		variant->facts = ifr_strdup("");
		variant->refused =
			i && i == recipe->refused ? ifr_strdup("printed something else than the original") : NULL;
		ifr_buffer_release(&text);
	}
}

/* CPI = 0.5 + 0.025 MPKI + a little noise, at 10^9 instructions. */
static void add_perf(struct ifr_dataset *dataset, struct ifr_dataset_run *run, double layout, gsl_rng *rng) {
	double mpki = 6 + 60 * layout;
	if (run->pass == 0) {
		run->value[ifr_dataset_counter(dataset, "cycles")] =
			1e9 * (0.5 + 0.025 * mpki) * (1 + gsl_ran_gaussian(rng, 0.001));
		run->value[ifr_dataset_counter(dataset, "instructions")] = 1e9;
	} else {
		run->value[ifr_dataset_counter(dataset, "branch-misses")] =
			1e6 * mpki * (1 + gsl_ran_gaussian(rng, 0.001));
	}
}

static void fill(struct ifr_dataset *dataset, const struct recipe *recipe, unsigned long seed) {
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double layout[512];
	gsl_rng_set(rng, seed);
	ifr_dataset_init(dataset);
	add_facts(dataset, recipe);
	add_counter(dataset, "duration_time", "ns", "clock");
	if (recipe->perf) {
		add_counter(dataset, "cycles", "cycles", "perf");
		add_counter(dataset, "instructions", "", "perf");
		add_counter(dataset, "branch-misses", "", "perf");
	}
	add_variants(dataset, recipe);
	for (unsigned i = 0; i < recipe->variants; i++)
		layout[i] = gsl_ran_gaussian(rng, recipe->between) + (i % 2 ? recipe->second_group : 0);
	for (unsigned round = 0; round < recipe->rounds; round++)
		for (unsigned i = 0; i < recipe->variants; i++)
			for (unsigned pass = 0; pass < (recipe->perf ? 2u : 1u); pass++) {
				struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
				run->variant = i;
				run->round = round;
				run->pass = pass;
				run->value[0] = recipe->centre * (1 + layout[i] + gsl_ran_gaussian(rng, recipe->within));
				if (recipe->perf)
					add_perf(dataset, run, layout[i], rng);
			}
	gsl_rng_free(rng);
}

static const struct recipe usual = {33, 5, 104e6, 0.018, 0.003, 0, 0, false, "./lua"};

static struct ifr_report *analysed(const struct ifr_dataset *dataset, const char *metric) {
	struct ifr_report *report = NULL;
	struct ifr_error err = {0};
	if (ifr_report_analyse(dataset, metric, &report, &err))
		fail_msg("%s", err.message);
	return report;
}

/* Makes one space of each run of white space, so that words can be found wherever lines end. */
static void join_lines(char *text) {
	char *to = text;
	for (const char *from = text; *from; from++) {
		char c = *from == '\n' ? ' ' : *from;
		if (c != ' ' || to == text || to[-1] != ' ')
			*to++ = c;
	}
	*to = '\0';
}

/* The report as text without its line ends; the caller frees. Fails where a line is too wide or a number is none.
 */
static char *as_text(const struct ifr_report *report) {
	struct ifr_buffer out = {0};
	ifr_report_text(report, false, &out);
	char *text = ifr_buffer_detach(&out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("wider than 80 columns: %.100s", line);
	join_lines(text);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	return text;
}

static char *text_of(const struct recipe *recipe, unsigned long seed, const char *metric) {
	struct ifr_dataset dataset;
	fill(&dataset, recipe, seed);
	struct ifr_report *report = analysed(&dataset, metric);
	char *text = as_text(report);
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
	return text;
}

static json_t *json_of(const struct ifr_report *report) {
	struct ifr_buffer out = {0};
	json_error_t error;
	ifr_report_json(report, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, &error);
	if (!root)
		fail_msg("%s at line %d", error.text, error.line);
	ifr_buffer_release(&out);
	return root;
}

/* Follows "analysis.spread.f". */
static json_t *follow(json_t *root, const char *path) {
	char *copy = ifr_strdup(path), *rest = copy;
	for (char *key; root && (key = strsep(&rest, "."));)
		root = json_object_get(root, key);
	free(copy);
	return root;
}

static double number(json_t *root, const char *path) {
	json_t *value = follow(root, path);
	if (!json_is_number(value))
		fail_msg("%s is not a number", path);
	return json_number_value(value);
}

static void says(const char *text, const char *words) {
	if (!strstr(text, words))
		fail_msg("does not say \"%s\":\n%s", words, text);
}

static void says_not(const char *text, const char *words) {
	if (strstr(text, words))
		fail_msg("says \"%s\":\n%s", words, text);
}

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
	struct ifr_report *report = analysed(&dataset, NULL);
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
	ifr_report_free(report);
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
		struct ifr_report *report = analysed(&dataset, NULL);
		json_t *root = json_of(report);
		claimed += number(root, "analysis.spread.p") < 0.05;
		singled_out += number(root, "analysis.best.against_shipped.interval_pct.high") < 0 ||
		               number(root, "analysis.worst.against_shipped.interval_pct.low") > 0;
		json_decref(root);
		ifr_report_free(report);
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
	struct ifr_report *report = analysed(&dataset, NULL);
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
	ifr_report_free(report);
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
	struct ifr_report *report = analysed(&dataset, NULL);
	char *text = as_text(report);
	says(text, "31 random and the one that ships; runs that count: 159, 4 to 5");
	says(text, "layouts: 1 (runs in them: 5); single runs: 1.");
	says(text, "v007: printed something else than the original");
	says(text, "Refused runs: 1: the kernel moved it to another CPU");
	says_not(text, "Best: v007");
	free(text);
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
}

/* CPI = 0.5 + 0.025 MPKI was put in. cycles are taken when perf has them. */
static void test_regression(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	recipe.perf = true;
	fill(&dataset, &recipe, 9);
	struct ifr_report *report = analysed(&dataset, NULL);
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
	ifr_report_free(report);
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
	struct ifr_report *report;
	struct ifr_error err = {0};
	fill(&dataset, &usual, 1);
	assert_int_equal(ifr_report_analyse(&dataset, "cache-misses", &report, &err), -IFR_E_USAGE);
	says(err.message, "it has: duration_time");
	free(dataset.variants[0].refused);
	dataset.variants[0].refused = ifr_strdup("crashed");
	report = analysed(&dataset, NULL);
	char *text = as_text(report);
	says(text, "It is not in this comparison");
	free(text);
	ifr_report_free(report);
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].value[0] = NAN;
	assert_int_equal(ifr_report_analyse(&dataset, NULL, &report, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "no run gave a value");
	dataset.runs[3].variant = 99;
	assert_int_equal(ifr_report_analyse(&dataset, NULL, &report, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "damaged");
	ifr_dataset_release(&dataset);
}

static const char hostile[] =
	"x'\"`touch owned`$(touch owned)<script>alert(1)</script>&\033[31m\nEOD\nsystem 'touch owned'\xff";

static void make_hostile(struct ifr_dataset *dataset) {
	struct recipe recipe = usual;
	recipe.variants = 10;
	recipe.rounds = 3;
	recipe.perf = true;
	recipe.program = hostile;
	fill(dataset, &recipe, 4);
	for (size_t i = 0; i < dataset->variant_count; i++)
		snprintf(dataset->variants[i].name, sizeof dataset->variants[i].name, "%.40s%u", hostile, (unsigned)i);
	strcpy(dataset->counters[3].name, "x'\"`touch owned`<b>\nEOD\nsystem 'touch owned'");
	ifr_strings_add(&dataset->warnings, hostile);
	dataset->runs[5].refused = ifr_strdup(hostile);
	dataset->variants[4].refused = ifr_strdup(hostile);
}

static void test_hostile(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	struct ifr_buffer page = {0};
	char *dir;
	make_hostile(&dataset);
	struct ifr_report *report = analysed(&dataset, NULL);
	struct ifr_buffer out = {0};
	ifr_report_text(report, false, &out);
	says_not(ifr_buffer_text(&out), "\033");
	says_not(ifr_buffer_text(&out), "\xff");
	ifr_buffer_release(&out);
	json_decref(json_of(report));
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/page.html", dir);
	if (ifr_report_html(report, path, &err) || ifr_report_figures(report, dir, &err))
		fail_msg("%s", err.message);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	says_not(ifr_buffer_text(&page), "<script");
	says_not(ifr_buffer_text(&page), "<b>");
	says_not(ifr_buffer_text(&page), "src=");
	says_not(ifr_buffer_text(&page), "\033");
	char *owned = ifr_format("%s/owned", dir);
	assert_false(ifr_file_exists(owned));
	assert_false(ifr_file_exists("owned"));
	free(owned);
	free(path);
	ifr_buffer_release(&page);
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
	assert_int_equal(ifr_tree_remove(dir, &err), 0);
	free(dir);
}

static size_t count_of(const char *text, const char *words) {
	size_t count = 0;
	while ((text = strstr(text, words))) {
		text += strlen(words);
		count++;
	}
	return count;
}

/* One page with all figures in it; and without gnuplot a page that says so. */
static void test_html(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	struct ifr_buffer page = {0};
	char *dir;
	recipe.perf = true;
	fill(&dataset, &recipe, 8);
	struct ifr_report *report = analysed(&dataset, NULL);
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/page.html", dir);
	assert_int_equal(ifr_report_html(report, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	assert_int_equal(count_of(ifr_buffer_text(&page), "<svg"), 4);
	assert_int_equal(count_of(ifr_buffer_text(&page), "<td class=\"name\">"), 33);
	assert_int_equal(count_of(ifr_buffer_text(&page), "id='f0_gpPt6'"), 1);
	says_not(ifr_buffer_text(&page), "id='gp");
	char *before = ifr_strdup(getenv("PATH"));
	setenv("PATH", "/nonexistent", 1);
	ifr_buffer_clear(&page);
	assert_int_equal(ifr_report_html(report, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	assert_int_equal(count_of(ifr_buffer_text(&page), "<svg"), 0);
	assert_int_equal(count_of(ifr_buffer_text(&page), "The figures are missing: figures need gnuplot"), 1);
	assert_int_equal(ifr_report_figures(report, dir, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "gnuplot-nox");
	setenv("PATH", before, 1);
	free(before);
	free(path);
	ifr_buffer_release(&page);
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
	ifr_tree_remove(dir, NULL);
	free(dir);
}

static void test_figures(void **state) {
	(void)state;
	static const char *const made[] = {"layouts", "intervals", "normal", "line-branch-misses"},
							 *const endings[] = {"gp", "svg", "pdf"};
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	char *dir;
	recipe.perf = true;
	fill(&dataset, &recipe, 8);
	struct ifr_report *report = analysed(&dataset, NULL);
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	if (ifr_report_figures(report, dir, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < 12; i++) {
		char *path = ifr_format("%s/%s.%s", dir, made[i / 3], endings[i % 3]);
		struct ifr_buffer text = {0};
		assert_int_equal(ifr_file_read(path, 0, &text, &err), 0);
		assert_true(text.length > 1000);
		free(path);
		ifr_buffer_release(&text);
	}
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
	ifr_tree_remove(dir, NULL);
	free(dir);
}

/* The same experiment on a machine that is slower by half for ten runs, three times: found as on a quiet one. */
static void test_bursts(void **state) {
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
	struct ifr_report *report = analysed(&dataset, NULL);
	char *text = as_text(report);
	assert_non_null(strstr(text, "That is more than run-to-run noise"));
	assert_non_null(strstr(text, "Bursts: for some runs in a row"));
	assert_non_null(strstr(text, "No run was left out"));
	free(text);
	/* No layout is taken for one that is slower by what the machine was. */
	struct ifr_buffer out = {0};
	ifr_report_json(report, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL), *layout;
	size_t rank;
	json_array_foreach(json_object_get(json_object_get(root, "analysis"), "layouts"), rank, layout) {
		json_t *high = json_object_get(json_object_get(layout, "interval"), "high");
		assert_true(json_real_value(high) < 1.15 * usual.centre);
	}
	json_decref(root);
	ifr_buffer_release(&out);
	ifr_report_free(report);
	/* Without the times there are no neighbours, and the noise hides all. */
	for (size_t i = 0; i < dataset.run_count; i++)
		dataset.runs[i].started_ns = 0;
	report = analysed(&dataset, NULL);
	text = as_text(report);
	assert_non_null(strstr(text, "cannot be told from run-to-run noise"));
	assert_null(strstr(text, "Bursts:"));
	free(text);
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
}

/* CPI = 0.5 + 0.03 a + 0.04 b + noise, with independent a and b of standard deviation 1: of the explained part
 * 9/25 is a's and 16/25 b's. */
static void test_blame(void **state) {
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
	struct ifr_report *report = analysed(&dataset, NULL);
	struct ifr_buffer out = {0};
	ifr_report_json(report, &out);
	json_t *root = json_loads(ifr_buffer_text(&out), 0, NULL);
	json_t *blame = json_object_get(json_object_get(root, "analysis"), "blame");
	double r2 = json_real_value(json_object_get(blame, "r2")), share[2];
	/* 25 parts explained to 1 part of noise */
	assert_true(fabs(r2 - 25.0 / 26) < 0.01);
	for (size_t i = 0; i < 2; i++) {
		json_t *part = json_array_get(json_object_get(blame, "shares"), i);
		const char *counter = json_string_value(json_object_get(part, "counter"));
		bool is_b = !strcmp(counter, "L1-icache-load-misses");
		share[is_b] = json_real_value(json_object_get(part, "share"));
		assert_true(fabs(json_real_value(json_object_get(part, "coefficient")) - (is_b ? 0.04 : 0.03)) < 0.002);
		json_t *interval = json_object_get(part, "interval");
		assert_true(json_real_value(json_object_get(interval, "low")) < (is_b ? 16.0 : 9.0) / 26);
		assert_true(json_real_value(json_object_get(interval, "high")) > (is_b ? 16.0 : 9.0) / 26);
	}
	assert_true(fabs(share[0] + share[1] - r2) < 1e-9);
	json_decref(root);
	ifr_buffer_release(&out);
	char *text = as_text(report);
	assert_non_null(strstr(text, "How much falls to each counter?"));
	assert_non_null(strstr(text, "Drawn out to none of it, the line ends at"));
	free(text);
	ifr_report_free(report);
	ifr_dataset_release(&dataset);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_order), cmocka_unit_test(test_recovers_truth), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_two_groups), cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_refused),
		cmocka_unit_test(test_regression), cmocka_unit_test(test_poor_data),      cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_html),       cmocka_unit_test(test_figures),        cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_blame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
