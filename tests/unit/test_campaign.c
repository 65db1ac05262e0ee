/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns over the factor program: three programs, given as files, in one experiment. Names and counts follow from
 * the design by hand. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "common/file.h"
#include "harness/campaign/campaign.h"
#include "harness/campaign/state.h"
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
	assert_non_null(strstr(err.message, "holds another experiment, with 3 programs instead of 2 programs: "));
}

/* Facts become phrases that a sentence can hold, none of a thing included. */
static void test_phrases(void **state) {
	(void)state;
	static const char *const cases[][3] = {{"metrics", "none", "no --metrics"},
	                                       {"metrics", "google-benchmark", "--metrics google-benchmark"},
	                                       {"kit 2", "3c67", "the build 3c67"},
	                                       {"run in", "itself", "no other program around it"},
	                                       {"pinned to", "processor 1", "runs on processor 1"},
	                                       {"pinned to", "not pinned", "runs on any processor"},
	                                       {"environment", "", "an empty environment"},
	                                       {"warmup runs", "0", "no warm-up runs"},
	                                       {"warmup runs", "3", "3 warm-up runs"},
	                                       {"sweep", "", "no sweep"},
	                                       {"program name 2", "x", "program name 2 x"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *phrase = campaign_phrase_fact(cases[i][0], cases[i][1]);
		assert_string_equal(phrase, cases[i][2]);
		free(phrase);
	}
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

enum { COPIED = 8, COPIED_RUNS = 3 };

/* One program in eight layouts, which notes its path and inode in each run. */
static void note_inodes(struct fixture *f) {
	char *text = ifr_format("#!/bin/sh\nstat -c '%%n %%i' \"$0\" >>%s/log\necho 1\n", f->folder);
	ifr_strings_release(&f->files[0]);
	for (unsigned layout = 1; layout <= COPIED; layout++) {
		char *path = ifr_format("%s/n-%u", f->folder, layout);
		assert_int_equal(ifr_file_write(path, text, strlen(text), 0755, NULL), 0);
		ifr_strings_take(&f->files[0], path);
	}
	f->campaign.program_count = 1;
	f->campaign.variants = COPIED;
	f->campaign.repetitions = COPIED_RUNS;
	free(text);
}

/* The inodes of the noted runs, without those of the two reference runs. */
static void read_inodes(const struct fixture *f, struct ifr_strings *inodes) {
	char *log = ifr_format("%s/log", f->folder);
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	assert_int_equal(ifr_file_read(log, 0, &text, NULL), 0);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 2; i < lines.count; i++)
		ifr_strings_add(inodes, strrchr(lines.items[i], ' '));
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
	free(log);
}

/* The run before a run, of the same variant. */
static size_t run_before(const struct ifr_dataset *dataset, size_t run) {
	size_t before = run;
	while (before-- > 0 && dataset->runs[before].variant != dataset->runs[run].variant)
		;
	return before;
}

/* Half of the eight layouts have a twin in the first of three repetitions: 8 * 3 + 4 runs. A file lives for one
 * repetition: its inode is that of the run before for a twin and its sibling, and another one else. */
static void test_fresh_copies(void **state) {
	struct fixture *f = *state;
	struct ifr_dataset dataset;
	struct ifr_strings inodes = {0};
	unsigned twins = 0;
	note_inodes(f);
	run_campaign(f, COPIED * COPIED_RUNS + COPIED / 2);
	read_inodes(f, &inodes);
	assert_int_equal(ifr_experiment_load(f->file, &dataset, NULL), 0);
	assert_string_equal(ifr_dataset_fact(&dataset, "copies"), "one for each repetition");
	assert_int_equal(inodes.count, dataset.run_count);
	for (size_t i = 0; i < dataset.run_count; i++) {
		const struct ifr_dataset_run *run = &dataset.runs[i];
		const size_t before = run_before(&dataset, i);
		assert_int_equal(run->copy, run->repetition);
		assert_true(!run->twin || (run->repetition == 0 && ifr_schedule_has_twin(7, run->variant + 1)));
		twins += run->twin;
		if (before < i)
			assert_true((dataset.runs[before].copy == run->copy) ==
			            !strcmp(inodes.items[before], inodes.items[i]));
	}
	assert_int_equal(twins, COPIED / 2);
	ifr_strings_release(&inodes);
	ifr_dataset_release(&dataset);
	/* The old way is another experiment. */
	struct ifr_campaign_result result;
	struct ifr_error err = {0};
	f->campaign.one_file = true;
	assert_int_equal(ifr_campaign_run(&f->campaign, &result, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "with copies of files: "));
}

/* One file for all repetitions, and one run of it each time. */
static void test_one_file(void **state) {
	struct fixture *f = *state;
	struct ifr_dataset dataset;
	struct ifr_strings inodes = {0};
	note_inodes(f);
	f->campaign.one_file = true;
	run_campaign(f, COPIED * COPIED_RUNS);
	read_inodes(f, &inodes);
	assert_int_equal(ifr_experiment_load(f->file, &dataset, NULL), 0);
	for (size_t i = 0; i < dataset.run_count; i++) {
		const size_t before = run_before(&dataset, i);
		assert_true(dataset.runs[i].copy == 0 && !dataset.runs[i].twin);
		if (before < i)
			assert_string_equal(inodes.items[before], inodes.items[i]);
	}
	ifr_strings_release(&inodes);
	ifr_dataset_release(&dataset);
}

enum { LARGE = 4 << 20 };

/* Files may not grow beyond a part of the program from the first repetition's last run on, as on a full disk. */
static void fill_disk(unsigned done, unsigned planned, int64_t left_ns) {
	const struct rlimit limit = {LARGE / 2, RLIM_INFINITY};
	(void)planned;
	(void)left_ns;
	if (done == LAYOUTS)
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A copy that finds no room: one message, the runs so far, whole files, and nothing beside them. */
static void test_no_room_for_copies(void **state) {
	static const char head[] = "#!/bin/sh\necho 1\nexit\n";
	struct fixture *f = *state;
	struct ifr_campaign_result result;
	struct ifr_error err = {0};
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	char *large = ifr_alloc(LARGE);
	memset(large, '#', LARGE);
	memcpy(large, head, strlen(head));
	for (unsigned layout = 0; layout < LAYOUTS; layout++)
		assert_int_equal(ifr_file_write(f->files[0].items[layout], large, LARGE, 0755, NULL), 0);
	f->campaign.program_count = 1;
	f->campaign.progress = fill_disk;
	f->campaign.ignore_output = true;
	signal(SIGXFSZ, SIG_IGN);
	int failed = ifr_campaign_run(&f->campaign, &result, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(failed, -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "cannot be copied"));
	assert_non_null(strstr(err.message, "--one-file"));
	assert_int_equal(result.runs, LAYOUTS);
	char *command = ifr_format("cd %s.variants && [ \"$(ls)\" = \"$(printf 'v00001\nv00002')\" ] && "
	                           "cmp v00001 ../p0-1 && cmp v00002 ../p0-2",
	                           f->file);
	assert_int_equal(system(command), 0);
	free(command);
	/* With room, the rest follows. */
	f->campaign.progress = NULL;
	run_campaign(f, LAYOUTS);
	free(large);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phrases),
		cmocka_unit_test_setup_teardown(test_three_programs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_resumed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_stopping_rule, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fresh_copies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_room_for_copies, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
