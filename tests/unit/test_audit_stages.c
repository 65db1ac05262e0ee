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

static void expect_experiment(const struct fixture *f, const char *sweep, size_t runs) {
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	if (ifr_experiment_load(f->file, &dataset, &err))
		fail_msg("%s", err.message);
	assert_string_equal(ifr_dataset_fact(&dataset, "sweep"), sweep);
	assert_int_equal(dataset.run_count, runs);
	ifr_dataset_release(&dataset);
}

/* Nine layouts, the shipped one among them, run once; a nanosecond has no time for a run of smaller steps. With time,
 * these take the place. */
static void test_coarser_comes_back(void **state) {
	static const struct audit_stage coarse = {.repetitions = 1, .most = 8},
									late = {.repetitions = 1, .most = 16, .budget_ns = 1, .finer = true},
									fine = {.repetitions = 1, .most = 16, .finer = true};
	struct fixture *f = *state;
	const struct ifr_audit_outcome *outcome = &f->state.outcomes[f->which];
	screen(f, &coarse);
	assert_true(outcome->measured && outcome->screened);
	expect_experiment(f, "stack:bytes=0:4080:512", 9);
	screen(f, &late);
	assert_true(outcome->measured && outcome->screened);
	assert_int_equal(outcome->why_not.code, 0);
	assert_int_equal(outcome->layouts, 8);
	assert_int_equal(outcome->step, 512);
	expect_experiment(f, "stack:bytes=0:4080:512", 9);
	screen(f, &fine);
	assert_int_equal(outcome->step, 256);
	expect_experiment(f, "stack:bytes=0:4080:256", 17);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_coarser_comes_back, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
