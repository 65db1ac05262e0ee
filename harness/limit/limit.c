/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/limit/limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/limit/stages.h"

enum { CHECK_RUNS = 3 };

static bool same_output(const struct ifr_buffer *a, const struct ifr_buffer *b, size_t length) {
	return !length || !memcmp(a->data, b->data, length);
}

static int check_outcome(const struct ifr_limit *limit, const struct ifr_outcome *outcome, struct ifr_error *err) {
	const char *name = limit->argv[0];
	if (outcome->interrupted)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted; nothing was made");
	if (outcome->timed_out)
		return ifr_fail(err, IFR_E_PROGRAM,
		                "%s does not reach the count again within ten times the budget: it does something else "
		                "in every run, and cannot be limited",
		                name);
	if (outcome->exit_status)
		return ifr_fail(err, IFR_E_PROGRAM, "%s %s %d when it is limited, not with status 0", name,
		                outcome->signal ? "ends by signal" : "ends with status",
		                outcome->signal ? outcome->signal : outcome->exit_status);
	return 0;
}

/* The output of the counting run is not compared: that run was stopped elsewhere, without the output at exit. */
static int compare_outputs(const struct ifr_limit *limit, const struct ifr_outcome *outcomes,
                           struct ifr_error *err) {
	const struct ifr_buffer *first = &outcomes[0].output;
	bool same = true;
	for (int i = 1; i < CHECK_RUNS; i++)
		same &=
			first->length == outcomes[i].output.length && same_output(first, &outcomes[i].output, first->length);
	return same ? 0
	            : ifr_fail(err, IFR_E_PROGRAM,
	                       "%s writes something else in every run, so that a count does not say how far it is: it "
	                       "cannot be limited",
	                       limit->argv[0]);
}

static int check_program(const struct ifr_limit *limit, const char *path, struct ifr_error *err) {
	struct ifr_outcome outcomes[CHECK_RUNS];
	int64_t timeout_ns = 10 * limit->budget_ns + INT64_C(10000000000);
	int result = 0, runs = 0;
	for (; runs < CHECK_RUNS && !result; runs++) {
		result = limit_run_program(limit, path, timeout_ns, NULL, NULL, &outcomes[runs], err);
		if (!result)
			result = check_outcome(limit, &outcomes[runs], err);
	}
	if (!result)
		result = compare_outputs(limit, outcomes, err);
	while (runs--)
		ifr_outcome_release(&outcomes[runs]);
	return result;
}

static int pick_procedure(const struct ifr_limit *limit, const struct procedures *procedures,
                          const struct procedure **picked, struct ifr_limited *limited, struct ifr_error *err) {
	*picked = choose_procedure(procedures, limit->budget_ns);
	if (!*picked)
		return ifr_fail(err, IFR_E_PROGRAM,
		                "%s enters none of its %zu counted functions in the second half of the budget, so that no "
		                "count comes near its end: give other --seconds",
		                limit->argv[0], procedures->count);
	*limited =
		(struct ifr_limited){ifr_strdup((*picked)->name), (*picked)->count, (*picked)->last_ns, procedures->count};
	return 0;
}

/* Installs the program and its kit, both or neither. */
static int install_program(const struct ifr_limit *limit, struct limit_build *build, const char *tried,
                           struct ifr_error *err) {
	int result = ifr_file_copy(tried, limit->path, 0755, err);
	if (result)
		return result;
	result = limit_build_save_kit(build, limit->path, err);
	if (result)
		unlink(limit->path);
	return result;
}

static int make_limited(const struct ifr_limit *limit, const struct procedure *procedure, const char *tried,
                        struct ifr_error *err) {
	struct limit_build build;
	int result = link_limited_program(limit->kit, procedure, tried, &build, err);
	if (!result)
		result = check_program(limit, tried, err);
	if (!result)
		result = install_program(limit, &build, tried, err);
	limit_build_close(&build);
	return result;
}

/* Builds and tries the limited program in the folder before it is installed. */
static int build_and_try(const struct ifr_limit *limit, const char *folder, struct ifr_limited *limited,
                         struct ifr_error *err) {
	char *counting = ifr_format("%s/counting", folder), *tried = ifr_format("%s/limited", folder);
	struct procedures procedures = {0};
	struct ifr_buffer output = {0};
	const struct procedure *picked = NULL;
	int result = link_counting_program(limit->kit, counting, &procedures, err);
	if (!result)
		result = profile_program(limit, counting, &procedures, &output, err);
	if (!result)
		result = pick_procedure(limit, &procedures, &picked, limited, err);
	if (!result)
		result = make_limited(limit, picked, tried, err);
	procedures_release(&procedures);
	ifr_buffer_release(&output);
	free(tried);
	free(counting);
	return result;
}

int ifr_limit_make(const struct ifr_limit *limit, struct ifr_limited *limited, struct ifr_error *err) {
	char *folder = NULL;
	*limited = (struct ifr_limited){0};
	int result = ifr_temporary_dir(&folder, err);
	if (result)
		return result;
	result = build_and_try(limit, folder, limited, err);
	ifr_tree_remove(folder, NULL);
	free(folder);
	if (result) {
		free(limited->procedure);
		*limited = (struct ifr_limited){0};
	}
	return result;
}
