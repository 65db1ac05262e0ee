/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/limit/limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/limit/quiet_time.h"
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

/* A run that goes on: what it waited for a processor, which is not known any more when it has ended. */
struct waiting {
	int64_t delay_ns;
};

static void follow_run(pid_t child, int64_t elapsed_ns, void *data) {
	struct waiting *waiting = data;
	const int64_t delay_ns = elapsed_ns - quiet_time_of(child, elapsed_ns);
	waiting->delay_ns = delay_ns > waiting->delay_ns ? delay_ns : waiting->delay_ns;
}

static int check_program(const struct ifr_limit *limit, const char *path, struct ifr_limited *limited,
                         struct ifr_error *err) {
	struct ifr_outcome outcomes[CHECK_RUNS];
	int result = 0, runs = 0;
	for (; runs < CHECK_RUNS && !result; runs++) {
		struct waiting waiting = {0};
		result = limit_run_program(limit, path, limit_timeout(limit), follow_run, &waiting, &outcomes[runs], err);
		if (!result)
			result = check_outcome(limit, &outcomes[runs], err);
		const int64_t took_ns = outcomes[runs].times.wall_ns - waiting.delay_ns;
		limited->least_ns = !runs || took_ns < limited->least_ns ? took_ns : limited->least_ns;
		limited->most_ns = took_ns > limited->most_ns ? took_ns : limited->most_ns;
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
	*limited = (struct ifr_limited){
		.procedure = ifr_strdup((*picked)->name), .count = (*picked)->count, .counted = procedures->count};
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

/* A program that was tried at its path in the folder, and what is needed for its kit. */
struct trial {
	struct limit_build build;
	struct ifr_limited limited;
	char *path;
};

static void close_trial(struct trial *trial) {
	if (trial->path)
		limit_build_close(&trial->build);
	free(trial->limited.procedure);
	free(trial->path);
	*trial = (struct trial){0};
}

/* Counts for the limit's budget, links the limited program and runs it. */
static int make_trial(const struct ifr_limit *limit, const char *counting, char *path,
                      struct procedures *procedures, struct trial *trial, struct ifr_error *err) {
	const struct procedure *picked = NULL;
	for (size_t i = 0; i < procedures->count; i++)
		procedures->items[i].count = 0;
	int result = profile_program(limit, counting, procedures, err);
	if (!result)
		result = pick_procedure(limit, procedures, &picked, &trial->limited, err);
	if (result) {
		free(path);
		return result;
	}
	trial->path = path;
	result = link_limited_program(limit->kit, picked, path, &trial->build, err);
	return result ? result : check_program(limit, path, &trial->limited, err);
}

static int64_t distance(const struct ifr_limit *limit, const struct trial *trial) {
	return llabs(trial->limited.least_ns - limit->budget_ns);
}

/* Makes the program again, where its time is too far from the budget. Where that fails or is no nearer, the first one
 * is good enough: its time is said. */
static int correct_trial(const struct ifr_limit *limit, const char *counting, char *path,
                         struct procedures *procedures, struct trial *trial, struct ifr_error *err) {
	struct ifr_limit second = *limit;
	struct trial again = {0};
	struct ifr_error why = {0};
	second.budget_ns = quiet_time_correct(limit->budget_ns, trial->limited.least_ns);
	if (!second.budget_ns) {
		free(path);
		return 0;
	}
	int failed = make_trial(&second, counting, path, procedures, &again, &why);
	if (ifr_launch_interrupted()) {
		close_trial(&again);
		*err = why;
		return failed ? failed : ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted; nothing was made");
	}
	if (!failed && distance(limit, &again) < distance(limit, trial)) {
		struct trial other = *trial;
		*trial = again;
		again = other;
	}
	close_trial(&again);
	return 0;
}

/* Builds and tries the limited program in the folder before it is installed. */
static int build_and_try(const struct ifr_limit *limit, const char *folder, struct ifr_limited *limited,
                         struct ifr_error *err) {
	char *counting = ifr_format("%s/counting", folder);
	struct procedures procedures = {0};
	struct trial trial = {0};
	int result = link_counting_program(limit->kit, counting, &procedures, err);
	if (!result)
		result = make_trial(limit, counting, ifr_format("%s/limited", folder), &procedures, &trial, err);
	if (!result)
		result = correct_trial(limit, counting, ifr_format("%s/corrected", folder), &procedures, &trial, err);
	if (!result)
		result = install_program(limit, &trial.build, trial.path, err);
	if (!result) {
		*limited = trial.limited;
		trial.limited.procedure = NULL;
	}
	close_trial(&trial);
	procedures_release(&procedures);
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
	return result;
}
