/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures that programs print about themselves, in the words of each framework. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/metrics/metrics.h"
#include "harness/report/report.h"

static struct ifr_own_figures figures;

static struct ifr_metrics *opened(const char *specification) {
	struct ifr_metrics *metrics = NULL;
	struct ifr_error err = {0};
	if (ifr_metrics_open(specification, &metrics, &err))
		fail_msg("%s", err.message);
	return metrics;
}

/* Reads a text; the figures stay until the next call. */
static void reads(const char *specification, const char *text, size_t count) {
	struct ifr_metrics *metrics = opened(specification);
	struct ifr_error err = {0};
	ifr_own_figures_release(&figures);
	int result = ifr_metrics_read(metrics, text, "", &figures, &err);
	ifr_metrics_close(metrics);
	if (count && result)
		fail_msg("%s", err.message);
	assert_int_equal(figures.count, count);
	assert_int_equal(result, count ? 0 : -IFR_E_PROGRAM);
}

static void is(const char *name, double value, const char *unit, double iterations) {
	const struct ifr_own_figure *figure = ifr_own_figures_find(&figures, name);
	if (!figure)
		fail_msg("no %s; the first is %s", name, figures.items[0].name);
	if (!(fabs(figure->value - value) <= 1e-9 * value))
		fail_msg("%s is %.12g, not %.12g", name, figure->value, value);
	assert_string_equal(figure->unit, unit);
	assert_true(figure->iterations == iterations);
}

static void refuses(const char *specification, const char *word) {
	struct ifr_metrics *metrics = NULL;
	struct ifr_error err = {0};
	assert_int_equal(ifr_metrics_open(specification, &metrics, &err), -IFR_E_USAGE);
	if (!strstr(err.message, word))
		fail_msg("no \"%s\" in: %s", word, err.message);
}

/* The keys and their order are those of version 1.7.1; "hello" is the program's. */
static const char google[] =
	"hello {world}\n{\n  \"context\": {\"host_name\": \"vm\", \"caches\": []},\n  \"benchmarks\": [\n"
	"{\"name\": \"BM_sum/100\", \"family_index\": 0, \"run_name\": \"BM_sum/100\", \"run_type\": \"iteration\",\n"
	"\"repetitions\": 3, \"repetition_index\": 0, \"threads\": 1, \"iterations\": 1000, \"real_time\": 1.5,\n"
	"\"cpu_time\": 1.25, \"time_unit\": \"us\", \"items_per_second\": 8e9},\n"
	"{\"name\": \"BM_sum/100\", \"run_name\": \"BM_sum/100\", \"run_type\": \"iteration\", \"iterations\": 1000,\n"
	"\"real_time\": 9, \"cpu_time\": 9, \"time_unit\": \"us\"},\n"
	"{\"name\": \"BM_sum/100\", \"run_name\": \"BM_sum/100\", \"run_type\": \"iteration\", \"iterations\": 1000,\n"
	"\"real_time\": 1.4, \"cpu_time\": 1.5, \"time_unit\": \"us\"},\n"
	"{\"name\": \"BM_sum/100_mean\", \"run_name\": \"BM_sum/100\", \"run_type\": \"aggregate\", \"cpu_time\": 70},\n"
	"{\"name\": \"BM_io/real_time\", \"run_name\": \"BM_io/real_time\", \"run_type\": \"iteration\",\n"
	"\"iterations\": 7, \"real_time\": 2, \"cpu_time\": 1, \"time_unit\": \"ms\"},\n"
	"{\"name\": \"BM_bad\", \"run_name\": \"BM_bad\", \"run_type\": \"iteration\", \"error_occurred\": true,\n"
	"\"error_message\": \"no\", \"iterations\": 0, \"real_time\": 0, \"cpu_time\": 0, \"time_unit\": \"ns\"}\n]}\nbye\n";

static void test_google_benchmark(void **state) {
	(void)state;
	reads("google-benchmark", google, 3);
	/* Processor time, the median of three repetitions; real time where the name asks for it. */
	is("BM_sum/100", 1500, "ns", 1000);
	is("BM_io/real_time", 2e6, "ns", 7);
	assert_true(ifr_own_figures_find(&figures, "BM_bad")->failed);
	assert_false(ifr_own_figures_find(&figures, "BM_sum/100")->failed);
	reads("google-benchmark", "BM_sum/100   12 ns   12 ns   500\n", 0);
	reads("google-benchmark", "", 0);
}

static void test_catch2(void **state) {
	(void)state;
	reads("catch2",
	      "<?xml version=\"1.0\"?>\n<Catch name=\"c2\"><TestCase name=\"sums > all\" line=\"4\">\n"
	      "<BenchmarkResults name=\"sum &lt;100> &amp; &quot;more&quot;\" samples=\"5\" resamples=\"100000\" "
	      "iterations=\"283\" clockResolution=\"58.1\" estimatedDuration=\"290075\">\n"
	      "<!--All values in nano seconds-->\n<mean value=\"189.354\" lowerBound=\"146.0\" ci=\"0.95\"/>\n"
	      "<standardDeviation value=\"86.3\"/></BenchmarkResults>\n"
	      "<BenchmarkResults name=\"b\" samples=\"1\" iterations=\"61\"><mean value=\"1e3\"/></BenchmarkResults>\n"
	      "</TestCase></Catch>\n",
	      2);
	is("sums > all/sum <100> & \"more\"", 189.354, "ns", 1415);
	is("sums > all/b", 1000, "ns", 61);
	reads("catch2", "<mean value=\"3\"/><BenchmarkResults name=\"x\"", 0);
}

static void test_go(void **state) {
	(void)state;
	reads(
		"go",
		"goos: linux\npkg: example.com/x\nBenchmarkFib-8   \t 1000000\t      1234 ns/op\t  16 B/op\t 2 allocs/op\n"
		"BenchmarkCopy/4k-8 300 25.5 MB/s 0.5 ns/op\nBenchmarkLog-8\nPASS\nok  \texample.com/x\t2.1s\n",
		2);
	is("BenchmarkFib-8", 1234, "ns", 1000000);
	is("BenchmarkCopy/4k-8", 0.5, "ns", 300);
	reads("go", "PASS\n", 0);
}

/* As rustc 1.95's test programs print it, and before 1.78: whole nanoseconds. */
static void test_libtest(void **state) {
	(void)state;
	reads("libtest",
	      "\nrunning 4 tests\ntest digits ... bench:         642.15 ns/iter (+/- 409.35)\n"
	      "test words::of::text ... bench:   1,234,567.80 ns/iter (+/- 7.00) = 12 MB/s\n"
	      "test old ... bench:       1,045 ns/iter (+/- 12)\ntest plain ... ok\n\n"
	      "test result: ok. 1 passed; 0 failed; 0 ignored; 3 measured; 0 filtered out; finished in 0.23s\n",
	      3);
	is("digits", 642.15, "ns", 0);
	is("words::of::text", 1234567.8, "ns", 0);
	is("old", 1045, "ns", 0);
	reads("libtest", "test odd ... bench: 1.2.3 ns/iter (+/- 0)\ntest short ... bench:\n", 0);
}

static void test_hyperfine(void **state) {
	(void)state;
	reads("hyperfine",
	      "Benchmark 1: ./a\n{\"results\": [{\"command\": \"./a\", \"mean\": 9, \"times\": [0.1, 0.4, 0.2],\n"
	      "\"exit_codes\": [0, 0, 0]}, {\"command\": \"./b\", \"times\": [0.3], \"exit_codes\": [1]}]}\n",
	      2);
	is("./a", 2e8, "ns", 1);
	assert_true(ifr_own_figures_find(&figures, "./b")->failed);
}

static void test_nanobench(void **state) {
	(void)state;
	reads(
		"nanobench",
		"| relative |               ms/op |                op/s |    err% |     total | benchmark\n"
		"|---------:|--------------------:|--------------------:|--------:|----------:|:----------\n"
		"|   100.0% |            1,234.50 |              171.18 |    0.1% |      0.01 | `std::string`\n"
		"|    50.0% |                2.00 |              171.18 |    9.1% |      0.01 | :wavy_dash: `odd | name` "
		"(Unstable with ~3 iters.)\n\n"
		"|   7.00 | `after the table` |\n",
		2);
	is("std::string", 1234.5e6, "ns", 0);
	is("odd | name", 2e6, "ns", 0);
	reads("nanobench", "{\"results\": [{\"title\": \"t\", \"name\": \"a\", \"median(elapsed)\": 2.5e-9}]}\n", 1);
	is("a", 2.5, "ns", 0);
}

static void write_text(const char *folder, const char *name, const char *text) {
	char *path = ifr_format("%s/%s", folder, name), *below = ifr_path_dir(path);
	assert_int_equal(ifr_dir_make(below, NULL), 0);
	assert_int_equal(ifr_file_write(path, text, strlen(text), 0644, NULL), 0);
	free(below);
	free(path);
}

static void test_criterion(void **state) {
	(void)state;
	char *folder = NULL;
	assert_int_equal(ifr_temporary_dir(&folder, NULL), 0);
	char *specification = ifr_format("criterion:%s", folder);
	write_text(folder, "fib 20/new/estimates.json",
	           "{\"mean\":{\"point_estimate\":30.5},\"slope\":{\"point_estimate\":29.5}}");
	write_text(folder, "fib 20/new/benchmark.json", "{\"group_id\":\"fib 20\",\"full_id\":\"fib 20\"}");
	write_text(folder, "fib 20/new/sample.json", "{\"sampling_mode\":\"Linear\",\"iters\":[1.0,2.0,3.0]}");
	write_text(folder, "fib 20/base/estimates.json", "{\"mean\":{\"point_estimate\":1}}");
	write_text(folder, "group/flat/new/estimates.json", "{\"mean\":{\"point_estimate\":7},\"slope\":null}");
	write_text(folder, "report/index.html", "<html>");
	reads(specification, "", 2);
	is("fib 20", 29.5, "ns", 6);
	is("group/flat", 7, "ns", 0);
	/* Results of an earlier run are none of this one. */
	struct ifr_metrics *metrics = opened(specification);
	ifr_metrics_prepare(metrics);
	ifr_metrics_close(metrics);
	write_text(folder, "group/flat/new/estimates.json", "{\"mean\":{\"point_estimate\":8},\"slope\":null}");
	reads(specification, "", 1);
	is("group/flat", 8, "ns", 0);
	ifr_tree_remove(folder, NULL);
	free(specification);
	free(folder);
}

static void test_json(void **state) {
	(void)state;
	const char *text =
		"{\"results\": [{\"name\": \"a\", \"t\": {\"x\": 1, \"y\": 2}}, {\"t\": {\"x\": 3, \"y\": 4}}],\n"
		"\"sum\": 10, \"by key\": {\"one.two\": 5}}";
	reads("json:.results[].t.x", text, 2);
	is("a", 1, "", 0);
	is("1", 3, "", 0);
	reads("json:.results[].t", text, 4);
	is("a/y", 2, "", 0);
	reads("json:.results[1].t.y", text, 1);
	is("y", 4, "", 0);
	reads("json:.\"by key\".\"one.two\"", text, 1);
	is("one.two", 5, "", 0);
	reads("json:.sum", text, 1);
	is("sum", 10, "", 0);
	reads("json:.", text, 6);
	is("results/a/t/x", 1, "", 0);
	reads("json:.nothing[].x", text, 0);
	refuses("json:", "path");
	refuses("json:.a[", "no path");
	refuses("json:.a[x]", "no path");
	refuses("json:.a..b", "no path");
}

/* A file counts if the run has written it. */
static void test_json_file(void **state) {
	(void)state;
	char *folder = NULL;
	struct ifr_error err = {0};
	struct ifr_own_figures none;
	assert_int_equal(ifr_temporary_dir(&folder, NULL), 0);
	char *specification = ifr_format("json:%s/out.json:.t", folder);
	struct ifr_metrics *metrics = opened(specification);
	assert_false(ifr_metrics_are_printed(metrics));
	write_text(folder, "out.json", "{\"t\": 5}");
	reads(specification, "", 1);
	is("t", 5, "", 0);
	ifr_metrics_prepare(metrics);
	assert_int_equal(ifr_metrics_read(metrics, "{\"t\": 6}", "", &none, &err), -IFR_E_PROGRAM);
	assert_non_null(strstr(err.message, "did not write"));
	ifr_own_figures_release(&none);
	ifr_metrics_close(metrics);
	ifr_tree_remove(folder, NULL);
	free(specification);
	free(folder);
}

static void test_regex(void **state) {
	(void)state;
	const char *text = "fib: 12.5 ms\nsort: 3 us\nscore 7\nscore 8\n";
	reads("regex:^([a-z]+): ([0-9.]+) ([a-z]+)$", text, 2);
	is("fib", 12.5e6, "ns", 0);
	is("sort", 3e3, "ns", 0);
	reads("regex:^([a-z]+): ([0-9.]+)", text, 2);
	is("fib", 12.5, "", 0);
	reads("regex:score ([0-9]+)", text, 2);
	is("figure", 7, "", 0);
	is("figure 2", 8, "", 0);
	reads("regex:score ([a-z]+)", text, 0);
	refuses("regex:(", "(");
	refuses("regex:no groups", "one to three groups");
	refuses("regex", "one to three groups");
	refuses("nothing", "none of google-benchmark");
	refuses("go:", "no file");
}

/* Long names that begin alike stay apart. */
static void test_long_names(void **state) {
	(void)state;
	char text[600];
	snprintf(text, sizeof text, "Benchmark%0100d 5 10 ns/op\nBenchmark%0100d 5 20 ns/op\n", 1, 2);
	reads("go", text, 2);
	assert_true(strlen(figures.items[0].name) < IFR_FIGURE_NAME);
	assert_string_not_equal(figures.items[0].name, figures.items[1].name);
	assert_true(figures.items[1].value == 20);
}

static void asks(const char *specification, bool driven, const char *given, const char *argument,
                 const char *variable) {
	struct ifr_metrics *metrics = opened(specification);
	struct ifr_strings arguments = {0}, environment = {0};
	char program[] = "./prog", *option = ifr_strdup(given);
	char *const argv[] = {program, option, NULL};
	ifr_metrics_request(metrics, "/folder", driven, argv, &arguments, &environment);
	char joined[100] = "";
	for (size_t i = 0, length = 0; i < arguments.count; i++)
		length +=
			(size_t)snprintf(joined + length, sizeof joined - length, "%s%s", i ? " " : "", arguments.items[i]);
	assert_string_equal(joined, argument ? argument : "");
	assert_int_equal(environment.count, variable != NULL);
	if (variable)
		assert_string_equal(environment.items[0], variable);
	ifr_strings_release(&arguments);
	ifr_strings_release(&environment);
	ifr_metrics_close(metrics);
	free(option);
}

static void test_requests(void **state) {
	(void)state;
	asks("google-benchmark", false, "x", "--benchmark_format=json", NULL);
	asks("google-benchmark", false, "--benchmark_format=json", NULL, NULL);
	asks("google-benchmark", true, "x", NULL, "BENCHMARK_FORMAT=json");
	asks("google-benchmark:out.json", false, "x", NULL, NULL);
	asks("catch2", false, "x", "--reporter=xml", NULL);
	asks("catch2", false, "-rxml", NULL, NULL);
	asks("criterion", false, "x", "--bench --noplot", "CRITERION_HOME=/folder");
	asks("criterion", false, "--noplot", "--bench", "CRITERION_HOME=/folder");
	asks("criterion", false, "--test", NULL, "CRITERION_HOME=/folder");
	asks("criterion", true, "x", NULL, "CRITERION_HOME=/folder");
	asks("go", false, "x", NULL, NULL);
	asks("libtest", false, "x", "--bench", NULL);
	asks("libtest", false, "--test", NULL, NULL);
	struct ifr_metrics *metrics = opened("go");
	char *fix = ifr_metrics_fix_argument(metrics, 250);
	assert_string_equal(fix, "-test.benchtime=250x");
	free(fix);
	ifr_metrics_close(metrics);
	metrics = opened("nanobench");
	assert_null(ifr_metrics_fix_argument(metrics, 250));
	ifr_metrics_close(metrics);
}

static void adapts(const char *first, const char *second, const char *option, bool differs) {
	struct ifr_adaptation a;
	ifr_adaptation_recognise(first, second, &a);
	assert_int_equal(a.differs, differs);
	if (!option)
		assert_null(a.option);
	else
		assert_string_equal(a.option, option);
}

static void test_adaptation(void **state) {
	(void)state;
	static const char table[] = "----\nBenchmark            Time             CPU   Iterations\n----\n"
								"BM_sum/100         163 ns         79.1 ns       %s\n";
	char *first = ifr_strdup(""), *second = ifr_strdup("");
	const char *counts[2][2] = {{"163661", "163661"}, {"163661", "170000"}};
	for (int i = 0; i < 2; i++) {
		free(first);
		free(second);
		first = ifr_format("%.*s%s\n", (int)(sizeof table - 4), table, counts[i][0]);
		second = ifr_format("%.*s%s\n", (int)(sizeof table - 4), table, counts[i][1]);
		adapts(first, second, "google-benchmark", i == 1);
	}
	free(first);
	free(second);
	static const char catch2[] =
		"benchmark name   samples   iterations   estimated\n---\n"
		"sum <100> & more      5       289    284.665 us \n   138.3 ns   138.2 ns  138.4 ns\n";
	static const char other[] =
		"benchmark name   samples   iterations   estimated\n---\n"
		"sum <100> & more      5       290    284.665 us \n   139.3 ns   138.2 ns  138.4 ns\n";
	adapts(catch2, catch2, "catch2", false);
	adapts(catch2, other, "catch2", true);
	adapts("BenchmarkA 10 5 ns/op\n", "BenchmarkA 10 6 ns/op\n", "go", false);
	adapts("BenchmarkA 10 5 ns/op\n", "BenchmarkA 11 5 ns/op\n", "go", true);
	adapts("a time:   [1 us 2 us 3 us]\n", "a time:   [1 us 2 us 4 us]\n", "criterion", false);
	/* Any program's words. */
	adapts("ran 500 iterations\n", "ran 512 iterations\n", NULL, true);
	adapts("a\niterations: 500\n", "a\niterations: 50\n", NULL, true);
	adapts("Iterations=9 in all\n", "Iterations=10 in all\n", NULL, true);
	/* Fixed work: the same count, a time, the number of an iteration, a rate, nothing. */
	adapts("ran 500 iterations in 3 ms\n", "ran 500 iterations in 4 ms\n", NULL, false);
	adapts("iteration 3 took 512 us\n", "iteration 3 took 498 us\n", NULL, false);
	adapts("slowest: iteration 3\n", "slowest: iteration 7\n", NULL, false);
	adapts("12.5 iterations/s\n", "12.75 iterations/s\n", NULL, false);
	adapts("500\n", "512\n", NULL, false);
	adapts("", "iterations: 5\n", NULL, false);
	adapts("", "", NULL, false);
}

/* --- findings ------------------------------------------------------------------------------------------------------ */

/* Layouts 0 … 20 with six runs each; instructions vary by the share from run to run. */
static void count_instructions(struct ifr_dataset *dataset, double share, gsl_rng *rng) {
	ifr_dataset_init(dataset);
	struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
	strcpy(counter->name, "instructions");
	strcpy(counter->source, "perf");
	for (unsigned i = 0; i < 21; i++) {
		struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
		variant->layout = i;
		for (unsigned run = 0; run < 6; run++) {
			struct ifr_dataset_run *made = ifr_dataset_add_run(dataset);
			made->variant = i;
			made->repetition = run;
			/* Layouts may differ: code that hashes addresses. One run in forty is disturbed by a signal handler. */
			made->value[0] = 1e9 * (1 + 0.05 * i) * (1 + gsl_ran_gaussian(rng, share)) *
			                 (gsl_rng_uniform_int(rng, 40) ? 1 : 1.2);
		}
	}
}

/* Fixed work repeats to some hundredths of a percent (Weaver, Terpstra and Moore 2013); Google Benchmark's iterations
 * vary by several percent. */
static void test_unequal_work(void **state) {
	(void)state;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ifr_dataset dataset;
	double share;
	for (int i = 0; i < 50; i++) {
		count_instructions(&dataset, 0.0005, rng);
		assert_false(ifr_work_is_unequal(&dataset, &share));
		strcpy(dataset.counters[0].source, "model");
		ifr_dataset_release(&dataset);
		count_instructions(&dataset, 0.04, rng);
		assert_true(ifr_work_is_unequal(&dataset, &share));
		assert_true(share > 0.02 && share < 0.06);
		strcpy(dataset.counters[0].source, "model");
		assert_false(ifr_work_is_unequal(&dataset, &share));
		ifr_dataset_release(&dataset);
	}
	gsl_rng_free(rng);
}

/* Twelve benchmarks without any layout effect. */
static void make_suite(struct ifr_dataset *dataset, double effect, gsl_rng *rng) {
	enum { BENCHMARKS = 12, LAYOUTS = 13, RUNS = 3 };
	ifr_dataset_init(dataset);
	for (int i = 0; i < BENCHMARKS; i++) {
		struct ifr_dataset_counter *counter = ifr_dataset_add_counter(dataset);
		snprintf(counter->name, sizeof counter->name, "BM_%d", i);
		strcpy(counter->unit, "ns");
		strcpy(counter->source, "program");
	}
	for (unsigned i = 0; i < LAYOUTS; i++) {
		ifr_dataset_add_variant(dataset)->layout = i;
		for (unsigned run = 0; run < RUNS; run++) {
			struct ifr_dataset_run *made = ifr_dataset_add_run(dataset);
			made->variant = i;
			made->repetition = run;
			for (int b = 0; b < BENCHMARKS; b++)
				made->value[b] = 100 * (1 + gsl_ran_gaussian(rng, 0.01) + (b ? 0 : effect * (i % 4)));
		}
	}
}

/* Of 12 benchmarks without a layout effect, any is called affected in 5 of 100 suites: 5 % of 300 are 15, of which the
 * binomial distribution leaves 29 or more with a chance under 0.001. Uncorrected, 46 % of suites would be
 * (1 - 0.95^12). */
static void test_family(void **state) {
	(void)state;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis;
	unsigned wrong = 0, right = 0;
	for (int suite = 0; suite < 300; suite++) {
		unsigned found = 0;
		make_suite(&dataset, suite % 10 ? 0 : 0.05, rng);
		assert_int_equal(ifr_analysis_make(&dataset, NULL, &analysis, NULL), 0);
		assert_int_equal(analysis->benchmark_count, 12);
		assert_int_equal(analysis->regression_count, 0);
		for (size_t i = 1; i < 12; i++)
			found += analysis->benchmarks[i].effect == IFR_EFFECT_FOUND;
		/* The report is about the affected one, of none about the first. */
		if (suite % 10 == 0 || !found)
			assert_string_equal(analysis->metric->name, "BM_0");
		else
			assert_true(analysis->conclusion.effect == IFR_EFFECT_FOUND);
		wrong += found > 0;
		right += suite % 10 == 0 && analysis->benchmarks[0].effect == IFR_EFFECT_FOUND;
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	gsl_rng_free(rng);
	assert_int_equal(right, 30);
	assert_true(wrong < 29);
}

/* The report of a benchmark, its lines joined. */
static char *open_report(const struct ifr_analysis *analysis) {
	struct ifr_buffer text = {0};
	ifr_report_text(analysis, false, &text);
	char *flat = ifr_buffer_detach(&text), *to = flat;
	for (const char *from = flat; *from; from++)
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
		else if (to > flat && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return flat;
}

static void says(const char *text, const char *part) {
	if (!strstr(text, part))
		fail_msg("no \"%s\" in: %.600s", part, text);
}

/* The report opens with the verdict of its table, also where its benchmark's own p is below 5 %, as it is in 5 of 100
 * suites without an effect. */
static void test_headline(void **state) {
	(void)state;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned contradictions = 0;
	for (int suite = 0; suite < 60; suite++) {
		struct ifr_dataset dataset;
		struct ifr_analysis *analysis;
		make_suite(&dataset, suite % 20 ? 0 : 0.05, rng);
		dataset.file = ifr_strdup("suite.exp");
		assert_int_equal(ifr_analysis_make(&dataset, suite % 3 ? "BM_0" : "BM_1", &analysis, NULL), 0);
		const struct ifr_conclusion *c = &analysis->conclusion;
		char *text = open_report(analysis), *head;
		contradictions += analysis->components.p < 0.05 && c->effect != IFR_EFFECT_FOUND;
		assert_int_equal(c->effect, analysis->benchmarks[suite % 3 ? 0 : 1].effect);
		if (c->affected) {
			head = ifr_format("Layout matters for %zu of 12 benchmarks (", c->affected);
			if (suite % 20 == 0)
				says(text, ": BM_0, expected range 1"); /* three steps of 5 %, less what noise made */
			assert_true(c->most->expected_range_pct < c->most->range_pct);
		} else {
			head = ifr_strdup("No layout effect found in any of 12 benchmarks.");
		}
		says(text, head);
		says(text, suite % 3 ? "BM_0: the shipped layout" : "BM_1: the shipped layout");
		if (c->affected && c->effect == IFR_EFFECT_NOT_FOUND)
			says(text, ", where layout matters. interfero report --metric BM_");
		if (c->effect == IFR_EFFECT_NOT_FOUND)
			says(text, "That is no more than run-to-run noise");
		free(head);
		free(text);
		ifr_analysis_free(analysis);
		ifr_dataset_release(&dataset);
	}
	gsl_rng_free(rng);
	assert_true(contradictions > 0);
}

static int clean_up(void **state) {
	(void)state;
	ifr_own_figures_release(&figures);
	return 0;
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_google_benchmark),
		cmocka_unit_test(test_catch2),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_libtest),
		cmocka_unit_test(test_hyperfine),
		cmocka_unit_test(test_nanobench),
		cmocka_unit_test(test_criterion),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_file),
		cmocka_unit_test(test_regex),
		cmocka_unit_test(test_unequal_work),
		cmocka_unit_test(test_family),
		cmocka_unit_test(test_headline),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_adaptation),
	};
	return cmocka_run_group_tests(tests, NULL, clean_up);
}
