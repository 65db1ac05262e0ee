/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages of a running audit, of a program that does nothing: the times are those of the budgets that are given, however
 * fast the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/audit_state.h"
#include "harness/store/store.h"

struct fixture {
	char *folder, *file;
	unsigned which;
	struct ifr_campaign_program program;
	struct ifr_audit audit;
	struct audit_state state;
};

static int set_up(void **state) {
	static char word[] = "/bin/true", *argv[] = {word, NULL};
	struct fixture *f = ifr_alloc(sizeof *f);
	*state = f;
	assert_int_equal(ifr_temporary_dir(&f->folder, NULL), 0);
	f->which = (unsigned)ifr_trigger_find("environment");
	f->file = ifr_audit_file(f->folder, &ifr_triggers[f->which]);
	f->program = (struct ifr_campaign_program){.path = word, .name = word};
	f->audit.campaign = (struct ifr_campaign){.file = f->folder,
	                                          .programs = &f->program,
	                                          .program_count = 1,
	                                          .argv = argv,
	                                          .generator = {.seed = 7},
	                                          .repetitions = 2,
	                                          .counters = "clock",
	                                          .cpu = -2,
	                                          .keep_aslr = true,
	                                          .no_profile = true};
	f->state = (struct audit_state){.audit = &f->audit,
	                                .outcomes = ifr_alloc(ifr_trigger_count * sizeof *f->state.outcomes),
	                                .possible = ifr_alloc(ifr_trigger_count * sizeof *f->state.possible),
	                                .sweeps = ifr_alloc(ifr_trigger_count * sizeof *f->state.sweeps),
	                                .deadline_ns = INT64_MAX};
	f->state.possible[f->which] = true;
	return 0;
}

static int tear_down(void **state) {
	struct fixture *f = *state;
	ifr_tree_remove(f->folder, NULL);
	free(f->state.sweeps);
	free(f->state.possible);
	free(f->state.outcomes);
	free(f->folder);
	free(f->file);
	free(f);
	return 0;
}

static void screen(struct fixture *f, const struct audit_stage *stage) {
	struct ifr_error err = {0};
	if (audit_screen_trigger(&f->state, f->which, stage, &err))
		fail_msg("%s", err.message);
}

/* runs: without twins, and the second looks of a sweep, which are behind the planned runs. */
static void expect_experiment(const struct fixture *f, const char *sweep, size_t runs) {
	struct ifr_dataset dataset;
	size_t planned = 0;
	struct ifr_error err = {0};
	if (ifr_experiment_load(f->file, &dataset, &err))
		fail_msg("%s", err.message);
	assert_string_equal(ifr_dataset_fact(&dataset, "sweep"), sweep);
	for (size_t i = 0; i < dataset.run_count; i++)
		planned += !dataset.runs[i].twin && dataset.runs[i].repetition < f->audit.campaign.repetitions;
	assert_int_equal(planned, runs);
	ifr_dataset_release(&dataset);
}

/* Nine layouts, the shipped one among them, run once; a nanosecond has no time for a run of smaller steps. With time,
 * these take the place, and run twice, as all do. */
static void test_coarser_comes_back(void **state) {
	static const struct audit_stage coarse = {.repetitions = 1, .most = 8},
									late = {.repetitions = 1, .most = 16, .budget_ns = 1, .finer = true},
									fine = {.repetitions = 2, .most = 16, .finer = true};
	struct fixture *f = *state;
	const struct ifr_audit_outcome *outcome = &f->state.outcomes[f->which];
	screen(f, &coarse);
	assert_true(outcome->measured && outcome->screened);
	expect_experiment(f, "stack:bytes=0:3696:528", 9);
	screen(f, &late);
	assert_true(outcome->measured && outcome->screened);
	assert_int_equal(outcome->why_not.code, 0);
	assert_int_equal(outcome->layouts, 8);
	assert_int_equal(outcome->step, 528);
	expect_experiment(f, "stack:bytes=0:3696:528", 9);
	assert_false(outcome->full); /* one of two runs */
	screen(f, &fine);
	assert_int_equal(outcome->step, 272);
	assert_true(outcome->full && outcome->refined); /* both: there is nothing left to make */
	expect_experiment(f, "stack:bytes=0:4080:272", 34);
}

/* Four screens that say nothing: the noise of the last is twice that of the others, so that it has further runs. */
static void test_disturbed_screen_runs_on(void **state) {
	struct ifr_audit_outcome *outcomes = ifr_alloc(ifr_trigger_count * sizeof *outcomes);
	const struct audit_state audit = {.outcomes = outcomes};
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		outcomes[i] =
			(struct ifr_audit_outcome){.measured = true, .p = 0.9, .noise_pct = i < 3 ? 1 + 0.1 * i : 2.2};
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		assert_int_equal(audit_passes(&audit, i), i == 3);
	outcomes[0].p = 0.2;
	assert_true(audit_passes(&audit, 0));
	outcomes[3].refined = true;
	assert_false(audit_passes(&audit, 3));
	free(outcomes);
}

/* 5 allocators and the shipped layout have 48 runs together; 32 copies have two each in their screen. */
static void test_few_layouts_have_more_runs(void **state) {
	char **sweeps = ifr_alloc(ifr_trigger_count * sizeof *sweeps);
	struct ifr_audit audit = {.campaign = {.repetitions = 5}};
	const struct audit_state of = {.audit = &audit, .sweeps = sweeps};
	const unsigned few = (unsigned)ifr_trigger_find("allocator"), many = (unsigned)ifr_trigger_find("copies");
	(void)state;
	assert_int_equal(audit_count_all_runs(&of, few), 8);
	assert_int_equal(audit_count_screen_runs(&of, few), 8);
	sweeps[few] = ifr_strdup("allocator:which=0,1");
	assert_int_equal(audit_count_all_runs(&of, few), 16);
	assert_int_equal(audit_count_all_runs(&of, many), 5);
	assert_int_equal(audit_count_screen_runs(&of, many), 2);
	audit.campaign.repetitions = 1;
	assert_int_equal(audit_count_all_runs(&of, few), 1);
	free(sweeps[few]);
	free(sweeps);
}

/* Runs without the model are a whole screen for a metric of the clock, none for one of the model. */
static void test_without_model(void **state) {
	(void)state;
	const struct ifr_campaign campaign = {.variants = 8};
	const struct ifr_campaign_result done = {
		.runs = 18, .measured = true, .model_left_out = "it takes 48 s; --budget 1 s"};
	struct ifr_audit_outcome outcome = {.measured = true, .p = 0.078};
	assert_false(audit_note_end(&campaign, &done, true, 0, &outcome));
	assert_false(outcome.screened);
	assert_true(audit_note_end(&campaign, &done, false, 0, &outcome));
	assert_true(outcome.screened);
	assert_string_equal(outcome.model_left_out, "it takes 48 s");
}

/* Eight layouts of 10 s a screen of two runs: three further runs of each take 120 s, one takes 40. 100 s have room for
 * two; 30 s are not spent. */
static void test_rest_is_spent(void **state) {
	static const struct audit_stage coarse = {.repetitions = 2, .most = 8};
	static const int64_t second = INT64_C(1000000000);
	struct fixture *f = *state;
	struct ifr_error err = {0};
	f->audit.campaign.repetitions = 5;
	screen(f, &coarse);
	struct ifr_audit_outcome *outcome = &f->state.outcomes[f->which];
	outcome->p = 0.9;
	outcome->step = 16; /* as of a sweep that has no finer one */
	for (int seconds = 30; seconds <= 100; seconds += 70) {
		outcome->layout_ns = 10 * second;
		f->state.deadline_ns = ifr_clock_ns() + seconds * second;
		assert_int_equal(audit_spend_rest(&f->state, &err), 0);
		assert_int_equal(outcome->refined, seconds == 100);
	}
	expect_experiment(f, "stack:bytes=0:3696:528", 36);
}

/* A screen of 10 layouts, two runs each, took 10 s, half a second a run, so that nine tenths of 60 s hold 108 further
 * ones. With the 20 of the screen they are five of each of 25 layouts. In 20 s they are five of each of 11; 12 s hold
 * four of 10, and 1 s the least, three. */
static void test_stage_fits_its_time(void **state) {
	static const struct {
		int seconds;
		unsigned layouts, runs;
	} cases[] = {{60, 25, 5}, {20, 11, 5}, {12, 10, 4}, {1, 10, 3}};
	struct ifr_audit_outcome *outcomes = ifr_alloc(ifr_trigger_count * sizeof *outcomes);
	char **sweeps = ifr_alloc(ifr_trigger_count * sizeof *sweeps);
	struct ifr_audit audit = {.campaign = {.repetitions = 5}};
	const struct audit_state of = {.audit = &audit, .outcomes = outcomes, .sweeps = sweeps};
	const unsigned which = (unsigned)ifr_trigger_find("functions");
	(void)state;
	outcomes[which] =
		(struct ifr_audit_outcome){.screened = true, .layouts = 10, .layout_ns = INT64_C(1000000000)};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct audit_stage stage = {.repetitions = 5, .budget_ns = cases[i].seconds * INT64_C(1000000000)};
		audit_fit_stage(&of, which, &stage);
		assert_int_equal(stage.most, cases[i].layouts);
		assert_int_equal(stage.repetitions, cases[i].runs);
	}
	struct audit_stage stage = {.repetitions = 5};
	audit_fit_stage(&of, which, &stage);
	assert_int_equal(stage.most, 0);
	assert_int_equal(stage.repetitions, 5);
	free(sweeps);
	free(outcomes);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_coarser_comes_back, set_up, tear_down),
		cmocka_unit_test(test_without_model),
		cmocka_unit_test(test_disturbed_screen_runs_on),
		cmocka_unit_test(test_few_layouts_have_more_runs),
		cmocka_unit_test_setup_teardown(test_rest_is_spent, set_up, tear_down),
		cmocka_unit_test(test_stage_fits_its_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
