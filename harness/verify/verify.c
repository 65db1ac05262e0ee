/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of each variant: structure, bytes by its plan, bodies of units, the user's test. */
#include "harness/verify/verify.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/verify/behaviour.h"
#include "harness/verify/bodies.h"
#include "harness/verify/checks.h"
#include "harness/build/build.h"
#include "relinker/relinker.h"

/* A verification in progress. */
struct work {
	const struct ifr_verify *verify;
	struct ifr_kit kit;
	struct ifr_builder *builder;
	struct verify_image base;
	struct ifr_outcome wanted; /* of the test with the program */
	char *folder;              /* for remade variants */
};

static const struct {
	const char *name;
	void (*check)(const struct verify_image *base, const struct verify_image *variant, struct ifr_buffer *finding);
	bool ends; /* a failure makes the further checks meaningless */
} checks[] = {
	{"shape", check_shape, true},    {"symbols", check_symbols, true}, {"functions", check_functions, false},
	{"frames", check_frames, false}, {"unwind", check_unwind, false},  {"addresses", check_addresses, false},
};

/* Moves a finding into the verdict; returns whether there was one. */
static bool add_finding(struct ifr_verdict *verdict, const char *check, struct ifr_buffer *finding) {
	if (!finding->length)
		return false;
	ifr_strings_add(&verdict->checks, check);
	ifr_strings_take(&verdict->texts, ifr_buffer_detach(finding));
	return true;
}

static void check_structure(const struct work *work, const char *path, bool names, struct ifr_verdict *verdict) {
	struct verify_image variant = {0};
	struct ifr_buffer bytes = {0}, finding = {0};
	struct ifr_error why = {0};
	if (ifr_file_read(path, 0, &bytes, &why))
		ifr_buffer_puts(&finding, why.message);
	else
		verify_image_open(&variant, &bytes, &finding);
	if (names)
		image_drop_names(&variant);
	bool ended = add_finding(verdict, "file", &finding);
	for (size_t i = 0; i < sizeof checks / sizeof *checks && !ended; i++) {
		checks[i].check(&work->base, &variant, &finding);
		ended = add_finding(verdict, checks[i].name, &finding) && checks[i].ends;
	}
	ifr_buffer_release(&bytes);
	verify_image_release(&variant);
}

/* Appends the first offset at which the files differ, or their lengths. */
static void compare_bytes(const struct ifr_buffer *wanted, const struct ifr_buffer *got,
                          struct ifr_buffer *finding) {
	size_t at = 0, length = wanted->length < got->length ? wanted->length : got->length;
	while (at < length && wanted->data[at] == got->data[at])
		at++;
	if (at < length)
		ifr_buffer_printf(finding, "its plan makes other bytes, from offset 0x%zx on", at);
	else if (wanted->length != got->length)
		ifr_buffer_printf(finding, "its plan makes %zu bytes, it has %zu", wanted->length, got->length);
}

static void compare_build_id(const char *path, const struct ifr_variant *made, struct ifr_buffer *finding) {
	char build_id[2 * IFR_BUILD_ID_MAX_BYTES + 1];
	if (!ifr_build_id_read(path, build_id, NULL) && strcmp(build_id, made->build_id))
		ifr_buffer_printf(finding, "its build-id is %s, by its plan %s", *build_id ? build_id : "missing",
		                  *made->build_id ? made->build_id : "there is none");
}

/* Makes the variant again from its plan and compares build-id and bytes. */
static int check_plan(const struct work *work, const char *path, const struct ifr_plan *plan,
                      struct ifr_verdict *verdict, struct ifr_error *err) {
	struct ifr_variant variant = {0};
	struct ifr_buffer wanted = {0}, got = {0}, finding = {0};
	char *again = ifr_format("%s/variant", work->folder);
	int result = ifr_builder_make(work->builder, plan, again, &variant, err);
	if (!result)
		result = ifr_file_read(again, 0, &wanted, err);
	if (!result && !ifr_file_read(path, 0, &got, NULL)) {
		compare_build_id(path, &variant, &finding);
		add_finding(verdict, "build-id", &finding);
		compare_bytes(&wanted, &got, &finding);
		add_finding(verdict, "plan", &finding);
	}
	ifr_buffer_release(&variant.facts);
	ifr_buffer_release(&wanted);
	ifr_buffer_release(&got);
	free(again);
	return result;
}

/* The findings in a variant's units so far. */
struct unit_findings {
	struct bodies bodies;
	struct ifr_buffer text;
};

static int compare_unit(const char *name, const struct ifr_buffer *shipped, const struct ifr_buffer *made,
                        void *data, struct ifr_error *err) {
	struct unit_findings *findings = data;
	struct ifr_buffer text = {0};
	int result = bodies_compare(shipped, name, made, name, &findings->bodies, &text, err);
	if (text.length && !findings->text.length)
		ifr_buffer_printf(&findings->text, "%s: %.*s", name, (int)strcspn(text.data, "\n"), text.data);
	ifr_buffer_release(&text);
	return result;
}

/* Compares the units that axes of the compiler changed, nops left out. Axes that recompile change code by intent
 * and are not compared. */
static int check_bodies(const struct work *work, const struct ifr_plan *plan, struct ifr_verdict *verdict,
                        struct ifr_error *err) {
	struct unit_findings findings = {0};
	if (ifr_axes_recompile(ifr_plan_axes(plan)))
		return 0;
	int result = ifr_builder_visit_objects(work->builder, plan, compare_unit, &findings, err);
	add_finding(verdict, "bodies", &findings.text);
	ifr_buffer_release(&findings.text);
	return result;
}

static void check_behaviour(const struct work *work, const char *path, struct ifr_verdict *verdict) {
	struct ifr_outcome got;
	struct ifr_buffer finding = {0};
	struct ifr_error why = {0};
	if (test_run(work->verify, path, &got, &why))
		ifr_buffer_puts(&finding, why.message);
	else if (!got.interrupted)
		test_compare(&work->wanted, &got, &finding);
	add_finding(verdict, "test", &finding);
	ifr_outcome_release(&got);
}

static int check_variant(const struct work *work, struct ifr_verdict *verdict, struct ifr_error *err) {
	struct ifr_plan plan;
	char *path = ifr_format("%s/%s", work->verify->folder, verdict->name),
		 *plan_path = ifr_format("%s.plan", path);
	int result = ifr_plan_read(plan_path, &plan, err);
	if (!result && *plan.kit && strcmp(plan.kit, work->kit.key))
		result = ifr_fail(err, IFR_E_USAGE, "%s is a plan for another program (kit %.12s…), not a variant of %s",
		                  plan_path, plan.kit, work->verify->program);
	if (!result) {
		/* Axes of the compiler change the sizes of functions: plan, bodies and test check these variants. */
		if (!(ifr_plan_axes(&plan) & ifr_axes_of(IFR_OWNER_PLUGIN)))
			check_structure(work, path, plan.axis[IFR_AXIS_NAMES].on, verdict);
		result = check_plan(work, path, &plan, verdict, err);
		if (!result)
			result = check_bodies(work, &plan, verdict, err);
	}
	if (!result && work->verify->test)
		check_behaviour(work, path, verdict);
	ifr_plan_release(&plan);
	free(plan_path);
	free(path);
	return result;
}

static int is_plan(const struct dirent *entry) {
	return ifr_ends_with(entry->d_name, ".plan") && strcmp(entry->d_name, ".plan");
}

static int find_variants(const char *folder, struct ifr_verification *done, struct ifr_error *err) {
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_plan, alphasort);
	if (count < 0)
		return ifr_fail_errno(err, IFR_E_USAGE, "cannot read the folder of variants %s", folder);
	done->verdicts = ifr_alloc(((size_t)count + 1) * sizeof *done->verdicts);
	for (int i = 0; i < count; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - strlen(".plan")] = '\0';
		char *path = ifr_format("%s/%s", folder, entries[i]->d_name);
		if (ifr_file_exists(path))
			done->verdicts[done->count++].name = ifr_strdup(entries[i]->d_name);
		free(path);
		free(entries[i]);
	}
	free(entries);
	if (done->count)
		return 0;
	return ifr_fail(
		err, IFR_E_USAGE,
		"there are no variants in %s, files NAME with NAME.plan beside them: make some with \"interfero "
		"variants -o %s PROGRAM\"",
		folder, folder);
}

/* Opens the program as its kit links it, without any axis. */
static int open_base(struct work *work, struct ifr_error *err) {
	struct ifr_plan plan;
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_buffer bytes = {0}, why = {0};
	ifr_plan_init(&plan);
	int result = ifr_relinker_place(ifr_builder_relinker(work->builder), &plan, &layout, err);
	if (!result)
		result = ifr_relinker_apply(layout, &bytes, err);
	if (!result && !verify_image_open(&work->base, &bytes, &why))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "%s, linked again from its kit: %s", work->verify->program,
		                  ifr_buffer_text(&why));
	ifr_relinker_layout_close(layout);
	ifr_buffer_release(&bytes);
	ifr_buffer_release(&why);
	return result;
}

/* A test whose output changes by itself, by a time or a process id, says nothing about variants. */
static int repeat_base_test(const struct work *work, struct ifr_error *err) {
	struct ifr_outcome again;
	struct ifr_buffer finding = {0};
	int result = test_run(work->verify, work->verify->program, &again, err);
	if (!result && !again.interrupted)
		test_compare(&work->wanted, &again, &finding);
	if (finding.length)
		result = ifr_fail(
			err, IFR_E_USAGE,
			"two runs of the test with %s itself differ: in the second, %s. Let the test print what every "
			"run prints, without times and process ids",
			work->verify->program, finding.data);
	ifr_buffer_release(&finding);
	ifr_outcome_release(&again);
	return result;
}

static int run_base_test(struct work *work, struct ifr_error *err) {
	int result = test_run(work->verify, work->verify->program, &work->wanted, err);
	if (!result && work->wanted.timed_out)
		result = ifr_fail(err, IFR_E_PROGRAM, "the test with %s itself did not end in time: --timeout gives more",
		                  work->verify->program);
	if (!result && !work->wanted.interrupted)
		result = repeat_base_test(work, err);
	return result;
}

static int open_work(struct work *work, struct ifr_verification *done, struct ifr_error *err) {
	struct ifr_relinker_info info;
	const struct ifr_verify *verify = work->verify;
	if (verify->test && !test_has_place(verify))
		return ifr_fail(err, IFR_E_USAGE, "the test command has no place for the variant: write {} or %s into it",
		                verify->program);
	int result = find_variants(verify->folder, done, err);
	if (!result)
		result = ifr_kit_of_program(verify->program, &work->kit, err);
	if (!result)
		result = ifr_builder_open(&work->kit, &work->builder, err);
	if (!result) {
		strcpy(done->key, work->kit.key);
		ifr_relinker_describe(ifr_builder_relinker(work->builder), &info);
		done->note = ifr_strdup(info.reason);
		done->edit = ifr_program_find_edit(verify->program, &work->kit, ifr_builder_relinker(work->builder));
		result = open_base(work, err);
	}
	if (!result)
		result = ifr_temporary_dir(&work->folder, err);
	if (!result && verify->test)
		result = run_base_test(work, err);
	return result;
}

int ifr_verify_variants(const struct ifr_verify *verify, struct ifr_verification *done, struct ifr_error *err) {
	struct work work = {.verify = verify};
	memset(done, 0, sizeof *done);
	ifr_kit_init(&work.kit);
	ifr_outcome_init(&work.wanted);
	int result = open_work(&work, done, err);
	size_t reached = 0;
	for (; reached < done->count && !result && !ifr_launch_interrupted(); reached++) {
		result = check_variant(&work, &done->verdicts[reached], err);
		done->differing += done->verdicts[reached].checks.count > 0;
	}
	done->interrupted = ifr_launch_interrupted();
	for (size_t i = reached; i < done->count; i++)
		free(done->verdicts[i].name);
	done->count = reached;
	ifr_outcome_release(&work.wanted);
	verify_image_release(&work.base);
	ifr_builder_close(work.builder);
	ifr_kit_release(&work.kit);
	if (work.folder)
		ifr_tree_remove(work.folder, NULL);
	free(work.folder);
	return result;
}

void ifr_verification_release(struct ifr_verification *done) {
	for (size_t i = 0; i < done->count; i++) {
		free(done->verdicts[i].name);
		ifr_strings_release(&done->verdicts[i].checks);
		ifr_strings_release(&done->verdicts[i].texts);
	}
	free(done->verdicts);
	free(done->note);
	free(done->edit);
	memset(done, 0, sizeof *done);
}
