/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment's samples as comma-separated values: every line of a small experiment, written out by hand. */
#include "tests/unit/report_read.h"

static void add_variant(struct ifr_dataset *dataset, unsigned program, unsigned layout, const char *plan,
                        const char *facts, const char *refused) {
	struct ifr_dataset_variant *variant = ifr_dataset_add_variant(dataset);
	variant->program = program;
	variant->layout = layout;
	snprintf(variant->name, sizeof variant->name, "v%05u", layout);
	variant->plan = ifr_strdup(plan);
	variant->build_id = ifr_strdup("");
	variant->facts = ifr_strdup(facts);
	variant->refused = refused ? ifr_strdup(refused) : NULL;
}

static struct ifr_dataset_run *add_run(struct ifr_dataset *dataset, unsigned variant, unsigned repetition) {
	struct ifr_dataset_run *run = ifr_dataset_add_run(dataset);
	run->variant = variant;
	run->repetition = repetition;
	run->copy = repetition;
	run->started_ns = 1700000000000000000 + repetition;
	return run;
}

/* Two programs: the first has a layout that moved stack and padding, and a refused one; the second one run. */
static void make_small(struct ifr_dataset *dataset) {
	ifr_dataset_init(dataset);
	ifr_dataset_add_fact(dataset, "program", "/a/old, \"fast\"");
	ifr_dataset_add_fact(dataset, "program 2", "/a/new");
	add_counter(dataset, "cpu_time", "ns", "clock");
	add_counter(dataset, "l1d-misses", "", "model");
	add_variant(dataset, 0, 0, "", "", NULL);
	add_variant(dataset, 0, 1,
	            "interfero-plan 1\nname v00001\npadding seed=18446744073709551615 max=8\nstack seed=7 max=4096\n",
	            "padding: 25 bytes in all\nstack: 908 bytes of environment\n", NULL);
	add_variant(dataset, 1, 0, "", "", NULL);
	add_variant(dataset, 0, 2, "interfero-plan 1\nstack seed=8 max=64\n", "stack: 9 bytes of environment\n",
	            "printed\nsomething else");
	add_run(dataset, 0, 0)->value[0] = 0.1;
	struct ifr_dataset_run *twin = add_run(dataset, 1, 0);
	twin->twin = true;
	twin->value[0] = 2e6;
	add_run(dataset, 1, 1)->refused = ifr_strdup("timeout");
	add_run(dataset, 2, 1)->value[0] = 3;
	struct ifr_dataset_run *simulated = ifr_dataset_add_run(dataset);
	simulated->variant = 1;
	simulated->simulated = true;
	simulated->value[1] = 42;
}

static void test_lines(void **state) {
	(void)state;
	static const char expected[] =
		"program,file,layout,variant,repetition,pass,copy,twin,simulated,started_ns,exit_status,refused,counter,unit,"
		"source,value,padding:seed,padding:max,stack:seed,stack:max,stack:main,padding:bytes,stack:bytes\n"
		"0,\"/a/old, \"\"fast\"\"\",0,v00000,0,0,0,0,0,1700000000000000000,0,,cpu_time,ns,clock,"
		"0.10000000000000001,,,,,,0,0\n"
		"0,\"/a/old, \"\"fast\"\"\",1,v00001,0,0,0,1,0,1700000000000000000,0,,cpu_time,ns,clock,2000000,"
		"18446744073709551615,8,7,4096,0,25,908\n"
		"0,\"/a/old, \"\"fast\"\"\",1,v00001,1,0,1,0,0,1700000000000000001,0,timeout,,,,,"
		"18446744073709551615,8,7,4096,0,25,908\n"
		"1,/a/new,0,v00000,1,0,1,0,0,1700000000000000001,0,,cpu_time,ns,clock,3,,,,,,0,0\n"
		"0,\"/a/old, \"\"fast\"\"\",1,v00001,,,,,1,,,,l1d-misses,,model,42,18446744073709551615,8,7,4096,0,25,908\n"
		"0,\"/a/old, \"\"fast\"\"\",2,v00002,,,,,0,,,\"printed\nsomething else\",,,,,,,8,64,0,0,9\n";
	struct ifr_dataset dataset;
	struct ifr_buffer out = {0};
	make_small(&dataset);
	ifr_report_csv(&dataset, &out);
	assert_string_equal(ifr_buffer_text(&out), expected);
	ifr_buffer_release(&out);
	ifr_dataset_release(&dataset);
}

/* A plan that cannot be read leaves its variant's fields empty: nothing is known of its layout. */
static void test_damaged_plan(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_buffer out = {0};
	make_small(&dataset);
	free(dataset.variants[3].plan);
	dataset.variants[3].plan = ifr_strdup("no plan");
	ifr_report_csv(&dataset, &out);
	says(ifr_buffer_text(&out), "something else\",,,,,,,,,,,\n");
	ifr_buffer_release(&out);
	ifr_dataset_release(&dataset);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_damaged_plan)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
