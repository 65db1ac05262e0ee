/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns over the factor program: three programs, given as files, in one experiment. Names and counts follow from
 * the design by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/file.h"
#include "harness/campaign/campaign.h"
#include "harness/store/store.h"

enum { PROGRAMS = 3, LAYOUTS = 2 };

struct fixture {
	char *folder, *file;
	struct ifr_strings files[PROGRAMS];
	struct ifr_campaign_program programs[PROGRAMS];
	struct ifr_campaign campaign;
};

/* Program 1 prints something else than the others: each is compared with its own reference. */
static int set_up(void **state) {
	static char word[] = "program", *argv[] = {word, NULL};
	static const char *const texts[PROGRAMS] = {"#!/bin/sh\necho 1\n", "#!/bin/sh\necho 2\n",
	                                            "#!/bin/sh\necho 1\n"};
	struct fixture *f = ifr_alloc(sizeof *f);
	*state = f;
	assert_int_equal(ifr_temporary_dir(&f->folder, NULL), 0);
	f->file = ifr_format("%s/c.exp", f->folder);
	for (unsigned i = 0; i < PROGRAMS; i++) {
		for (unsigned layout = 1; layout <= LAYOUTS; layout++) {
			char *path = ifr_format("%s/p%u-%u", f->folder, i, layout);
			assert_int_equal(ifr_file_write(path, texts[i], strlen(texts[i]), 0755, NULL), 0);
			ifr_strings_take(&f->files[i], path);
		}
		f->programs[i] = (struct ifr_campaign_program){.path = texts[i], .files = &f->files[i]};
	}
	f->campaign = (struct ifr_campaign){.file = f->file,
	                                    .programs = f->programs,
	                                    .program_count = PROGRAMS,
	                                    .argv = argv,
	                                    .generator = {.seed = 7},
	                                    .seed_given = true,
	                                    .variants = LAYOUTS,
	                                    .repetitions = 2,
	                                    .counters = "clock",
	                                    .cpu = -2,
	                                    .keep_aslr = true};
	ifr_plan_init(&f->campaign.generator.parameters);
	return 0;
}

static int tear_down(void **state) {
	struct fixture *f = *state;
	ifr_tree_remove(f->folder, NULL);
	for (unsigned i = 0; i < PROGRAMS; i++)
		ifr_strings_release(&f->files[i]);
	free(f->folder);
	free(f->file);
	free(f);
	return 0;
}

static void run_campaign(struct fixture *f, unsigned runs) {
	struct ifr_campaign_result result;
	struct ifr_error err = {0};
	if (ifr_campaign_run(&f->campaign, &result, &err))
		fail_msg("%s", err.message);
	assert_true(result.complete);
	assert_int_equal(result.refused_variants, 0);
	assert_int_equal(result.runs, runs);
}

static void test_three_programs(void **state) {
	static const char *const names[] = {"v00001", "w00001", "x00001", "v00002", "w00002", "x00002"};
	struct fixture *f = *state;
	struct ifr_dataset dataset;
	run_campaign(f, PROGRAMS * LAYOUTS * 2);
	assert_int_equal(ifr_experiment_load(f->file, &dataset, NULL), 0);
	assert_string_equal(ifr_dataset_fact(&dataset, "programs"), "3");
	assert_int_equal(dataset.variant_count, PROGRAMS * LAYOUTS);
	for (unsigned i = 0; i < dataset.variant_count; i++) {
		assert_string_equal(dataset.variants[i].name, names[i]);
		assert_int_equal(dataset.variants[i].program, i % PROGRAMS);
		assert_int_equal(dataset.variants[i].layout, 1 + i / PROGRAMS);
	}
	/* Randomised blocks: each repetition has every variant once, and ends before the next begins. */
	assert_int_equal(dataset.run_count, PROGRAMS * LAYOUTS * 2);
	for (unsigned i = 0, seen = 0; i < dataset.run_count; i++) {
		if (i % (PROGRAMS * LAYOUTS) == 0)
			seen = 0;
		assert_int_equal(dataset.runs[i].repetition, i / (PROGRAMS * LAYOUTS));
		assert_false(seen & 1u << dataset.runs[i].variant);
		seen |= 1u << dataset.runs[i].variant;
	}
	ifr_dataset_release(&dataset);
}

/* The same campaign with one repetition more carries out that repetition alone. */
static void test_resumed(void **state) {
	struct fixture *f = *state;
	struct ifr_campaign_result result;
	struct ifr_error err = {0};
	run_campaign(f, PROGRAMS * LAYOUTS * 2);
	run_campaign(f, 0);
	f->campaign.repetitions = 3;
	run_campaign(f, PROGRAMS * LAYOUTS);
	/* Two of the programs are another campaign. */
	f->campaign.program_count = 2;
	assert_int_equal(ifr_campaign_run(&f->campaign, &result, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "holds another experiment"));
}

static int judge_always_more(struct ifr_stopping_rule *rule, const char *experiment, bool *more, char **ended,
                             struct ifr_error *err) {
	(void)rule;
	(void)experiment;
	(void)ended;
	(void)err;
	*more = true;
	return 0;
}

/* 24 layouts in 3 analyses: 8, 16, 24; a rule that always wants more ends with all of them. */
static void test_stopping_rule(void **state) {
	struct fixture *f = *state;
	struct ifr_stopping_rule rule;
	struct ifr_campaign_result result;
	struct ifr_error err = {0};
	for (unsigned layout = LAYOUTS + 1; layout <= 24; layout++)
		ifr_strings_add(&f->files[0], f->files[0].items[0]);
	f->campaign.program_count = 1;
	f->campaign.repetitions = 1;
	ifr_stopping_rule_plan(&rule, 3, 24);
	rule.judge = judge_always_more;
	assert_int_equal(ifr_stopping_rule_layouts(&rule), 8);
	if (ifr_campaign_run_until(&f->campaign, &rule, &result, &err))
		fail_msg("%s", err.message);
	assert_int_equal(result.runs, 24);
	assert_int_equal(rule.analysis, 3);
	/* O'Brien and Fleming's bounds fall to near 1.96: the last of three is 2.0 (Lan and DeMets 1983, table 1). */
	assert_true(rule.bound[0] > rule.bound[1] && rule.bound[1] > rule.bound[2]);
	assert_true(rule.bound[2] > 1.96 && rule.bound[2] < 2.02);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_three_programs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_resumed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_stopping_rule, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
