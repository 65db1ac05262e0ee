/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other tools' files, in the words in which they write them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/file.h"
#include "harness/store/experiment.h"
#include "harness/store/import.h"

static int parse(enum ifr_import_format format, const char *text, struct ifr_dataset *dataset,
                 struct ifr_error *err) {
	const struct ifr_import_text one = {"dir/file", text};
	ifr_dataset_init(dataset);
	return ifr_import_parse(format, &one, 1, dataset, err);
}

static void parses(enum ifr_import_format format, const char *text, struct ifr_dataset *dataset) {
	struct ifr_error err = {0};
	if (parse(format, text, dataset, &err))
		fail_msg("%s", err.message);
}

static void refuses(enum ifr_import_format format, const char *text, const char *word) {
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	assert_int_equal(parse(format, text, &dataset, &err), -IFR_E_USAGE);
	if (!strstr(err.message, word))
		fail_msg("no \"%s\" in: %s", word, err.message);
	ifr_dataset_release(&dataset);
}

static void test_csv(void **state) {
	(void)state;
	struct ifr_dataset d;
	parses(IFR_IMPORT_CSV,
	       "variant, run,cpu_time [ns],misses\r\n\"a \"\"b\"\", c\",0,1.5,7\nshipped,0,2e3,NA\n\n\"a \"\"b\"\", "
	       "c\",1,nan,8",
	       &d);
	assert_int_equal(d.counter_count, 2);
	assert_string_equal(d.counters[0].name, "cpu_time");
	assert_string_equal(d.counters[0].unit, "ns");
	assert_int_equal(d.variant_count, 2);
	assert_string_equal(d.variants[0].name, "a \"b\", c");
	assert_int_equal(d.variants[0].layout, 1);
	assert_int_equal(d.variants[1].layout, 0);
	assert_int_equal(d.run_count, 3);
	assert_true(d.runs[1].value[0] == 2000 && isnan(d.runs[1].value[1]));
	assert_true(isnan(d.runs[2].value[0]) && d.runs[2].value[1] == 8);
	assert_int_equal(d.runs[2].repetition, 1);
	ifr_dataset_release(&d);
	refuses(IFR_IMPORT_CSV, "", "no run");
	refuses(IFR_IMPORT_CSV, "variant,run\na,0\n", "no counter");
	refuses(IFR_IMPORT_CSV, "run,variant,x\n", "file:1");
	refuses(IFR_IMPORT_CSV, "variant,run,x,x\n", "different");
	refuses(IFR_IMPORT_CSV, "variant,run,x\na,0,1\na,0,2\n", "run 0 of a is there twice");
	refuses(IFR_IMPORT_CSV, "variant,run,x\na,5,1\na,1,2\nb,5,1\na,5,2\n", "run 5 of a is there twice");
	refuses(IFR_IMPORT_CSV, "variant,run,x\na,0,1,2\n", "4 columns");
	refuses(IFR_IMPORT_CSV, "variant,run,x\na,-1,1\n", "run's number");
	refuses(IFR_IMPORT_CSV, "variant,run,x\na,0,fast\n", "not a number");
	refuses(IFR_IMPORT_CSV, "variant,run,x\na,0,inf\n", "not a number");
	refuses(IFR_IMPORT_CSV, "variant,run,x\n\"a,0,1\n", "quote");
}

static void test_hyperfine(void **state) {
	(void)state;
	struct ifr_dataset d;
	parses(IFR_IMPORT_HYPERFINE,
	       "{\"results\":[{\"command\":\"sleep 0.1\",\"mean\":0.1,\"times\":[0.1005,0.1010],\"exit_codes\":[0,0]},"
	       "{\"command\":\"sleep 0.2\",\"times\":[0.2],\"exit_codes\":[3]}]}",
	       &d);
	assert_int_equal(d.variant_count, 2);
	assert_string_equal(d.variants[1].name, "2: sleep 0.2");
	assert_int_equal(d.run_count, 3);
	assert_true(fabs(d.runs[1].value[0] - 101e6) < 1);
	assert_int_equal(d.runs[1].repetition, 1);
	assert_non_null(strstr(d.runs[2].refused, "status 3"));
	ifr_dataset_release(&d);
	refuses(IFR_IMPORT_HYPERFINE, "{\"results\":", "file:1: not JSON");
	refuses(IFR_IMPORT_HYPERFINE, "{\"a\":1}", "results");
	refuses(IFR_IMPORT_HYPERFINE, "{\"results\":[{\"command\":\"a\"}]}", "no times");
	refuses(IFR_IMPORT_HYPERFINE, "{\"results\":[{\"command\":\"a\",\"times\":[\"x\"]}]}", "not a number");
}

static void test_google(void **state) {
	(void)state;
	struct ifr_dataset d;
	parses(IFR_IMPORT_GOOGLE,
	       "{\"context\":{\"host_name\":\"bench1\"},\"benchmarks\":["
	       "{\"name\":\"BM_a/8\",\"run_name\":\"BM_a/"
	       "8\",\"run_type\":\"iteration\",\"repetition_index\":0,\"iterations\":9,"
	       "\"real_time\":1.5,\"cpu_time\":1.25,\"time_unit\":\"us\",\"items_per_second\":8},"
	       "{\"name\":\"BM_a/8\",\"run_name\":\"BM_a/"
	       "8\",\"run_type\":\"iteration\",\"real_time\":1.6,\"cpu_time\":1.3,"
	       "\"time_unit\":\"us\",\"error_occurred\":true,\"error_message\":\"lost\"},"
	       "{\"name\":\"BM_a/8_mean\",\"run_name\":\"BM_a/8\",\"run_type\":\"aggregate\",\"real_time\":1.55}]}",
	       &d);
	assert_int_equal(d.run_count, 2);
	assert_int_equal(d.counter_count, 3);
	assert_true(fabs(d.runs[0].value[0] - 1500) < 1e-9 && fabs(d.runs[0].value[1] - 1250) < 1e-9);
	assert_true(d.runs[0].value[ifr_dataset_counter(&d, "items_per_second")] == 8);
	assert_non_null(strstr(d.runs[1].refused, "lost"));
	assert_string_equal(ifr_dataset_fact(&d, "host"), "bench1");
	ifr_dataset_release(&d);
	refuses(IFR_IMPORT_GOOGLE, "[]", "benchmarks");
}

static void test_perf(void **state) {
	(void)state;
	struct ifr_dataset d;
	const struct ifr_import_text files[] = {
		{"x/old", "# started on Tue\n\n100,,cycles:u,5000,100.00,,\n7,,misses:u,5000,100.00\n"
	              "# started on Tue\n101,,cycles:u,5000,100.00,,\n8,,misses:u,2500,50.00\n"},
		{"x/new", "<not counted>,,cycles:u,0,100.00\n1.50,msec,task-clock,9,100.00\n"}};
	ifr_dataset_init(&d);
	assert_int_equal(ifr_import_parse(IFR_IMPORT_PERF, files, 2, &d, NULL), 0);
	assert_int_equal(d.counter_count, 3);
	assert_string_equal(d.counters[2].unit, "msec");
	assert_int_equal(d.run_count, 3);
	assert_string_equal(d.variants[1].name, "new");
	assert_null(d.runs[0].refused);
	assert_true(d.runs[0].value[0] == 100 && d.runs[0].value[1] == 7 && isnan(d.runs[0].value[2]));
	assert_non_null(strstr(d.runs[1].refused, "50.00 %"));
	assert_non_null(strstr(d.runs[2].refused, "not counted"));
	ifr_dataset_release(&d);
	ifr_dataset_init(&d);
	assert_int_equal(ifr_import_parse(IFR_IMPORT_CSV, files, 2, &d, NULL), -IFR_E_USAGE);
	ifr_dataset_release(&d);
}

/* Names too long for an experiment stay apart; what is saved is what is loaded. */
static void test_saved(void **state) {
	(void)state;
	char *folder = NULL, text[400];
	struct ifr_dataset d, back;
	struct ifr_error err = {0};
	assert_int_equal(ifr_temporary_dir(&folder, &err), 0);
	char *path = ifr_format("%s/e.exp", folder);
	snprintf(text, sizeof text,
	         "{\"results\":[{\"command\":\"%070d\",\"times\":[1]},{\"command\":\"%070d\",\"times\":[2,3]}]}", 1,
	         2);
	parses(IFR_IMPORT_HYPERFINE, text, &d);
	assert_int_equal(d.variant_count, 2);
	assert_int_equal(ifr_import_save(&d, path, &err), 0);
	assert_int_equal(ifr_import_save(&d, path, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_experiment_load(path, &back, &err), 0);
	assert_int_equal(back.run_count, 3);
	assert_true(back.runs[2].value[0] == 3e9);
	assert_string_equal(back.variants[1].name, d.variants[1].name);
	ifr_dataset_release(&back);
	ifr_dataset_release(&d);
	ifr_tree_remove(folder, NULL);
	free(path);
	free(folder);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),  cmocka_unit_test(test_hyperfine), cmocka_unit_test(test_google),
		cmocka_unit_test(test_perf), cmocka_unit_test(test_saved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
