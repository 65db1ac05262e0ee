/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/campaign/state.h"

int64_t campaign_now_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int campaign_prepare_launch(struct campaign_state *state, unsigned variant, const char *path, unsigned pass,
                            struct ifr_launch *launch, struct ifr_error *err) {
	*launch = (struct ifr_launch){
		.program = path,
		.argv = state->plan->argv,
		.environment = &state->environment,
		.stack_bytes = state->stack_bytes[variant],
		.load_pages = state->load_pages[variant],
		.runtime = state->runtime[variant],
		.stdin_file = state->plan->stdin_file,
		.cpu = state->cpu,
		.keep_aslr = state->plan->keep_aslr,
		.timeout_ns = state->timeout_ns,
		.counters = state->counters,
		.repeats = ifr_counters_repeat(state->counters) ? IFR_REGION_REPEATS : 1,
		.pass = pass,
	};
	if (!state->plan->user)
		return 0;
	ifr_strings_release(&state->launch_environment);
	ifr_library_environment(&state->library, path, &state->environment, &state->launch_environment);
	launch->program = state->plan->user;
	launch->environment = &state->launch_environment;
	return ifr_library_name(&state->library, path, err);
}

/* How the program that uses the library comes to its variants. */
static int open_library(struct campaign_state *state, struct ifr_error *err) {
	char *path = ifr_format("%s/v00000", state->folder);
	int result =
		ifr_library_open(&state->library, state->plan->user, state->plan->program, path, &state->environment, err);
	free(path);
	if (!result)
		result = ifr_experiment_set(state->experiment, "library by",
		                            state->library.preload ? "LD_PRELOAD" : "LD_LIBRARY_PATH", err);
	return result;
}

/* The folder of the variants, which is also what a second interfero on the same experiment is kept out by. */
static int claim_folder(struct campaign_state *state, struct ifr_error *err) {
	char *name = ifr_format("%s.variants", state->plan->file), *cwd = getcwd(NULL, 0);
	state->folder = ifr_path_normalise(cwd ? cwd : "/", name);
	int result = ifr_dir_make(state->folder, err);
	if (!result) {
		state->lock = open(state->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (state->lock < 0 || flock(state->lock, LOCK_EX | LOCK_NB))
			result =
				ifr_fail(err, IFR_E_ENVIRONMENT,
			             "%s is being filled by another interfero; wait, or choose another -o", state->plan->file);
	}
	free(cwd);
	free(name);
	return result;
}

int campaign_save_counters(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_counters_count(state->counters) && !result; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		result =
			ifr_experiment_save_counter(state->experiment, i, counter->name, counter->unit, counter->source, err);
	}
	return result;
}

static int save_notes(struct campaign_state *state, const struct ifr_strings *notes, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < notes->count && !result; i++)
		result = ifr_experiment_warn(state->experiment, notes->items[i], err);
	return result;
}

static int open_counters(struct campaign_state *state, struct ifr_strings *notes, struct ifr_error *err) {
	const char *marker = state->plan->marker;
	if (marker && strpbrk(marker, ", "))
		return ifr_fail(err, IFR_E_USAGE, "the region \"%s\" cannot be asked for: its name has a blank or a comma",
		                marker);
	char *list = ifr_format("%s%s%s", state->plan->counters, marker ? ",repeat:" : "", marker ? marker : "");
	int result = ifr_counters_open(list, &state->counters, notes, err);
	free(list);
	return result;
}

static int prepare(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_campaign *plan = state->plan;
	struct ifr_strings notes = {0};
	state->deadline_ns = plan->budget_ns ? campaign_now_ns() + plan->budget_ns : INT64_MAX;
	state->stack_bytes = ifr_alloc(campaign_ids(state) * sizeof *state->stack_bytes);
	state->load_pages = ifr_alloc(campaign_ids(state) * sizeof *state->load_pages);
	state->runtime = ifr_alloc(campaign_ids(state) * sizeof *state->runtime);
	state->cpu = -1;
	ifr_environment_make(&state->environment, &plan->environment);
	int result = plan->cpu == -2 ? 0 : ifr_pin_choose(plan->cpu, &state->cpu, err);
	if (!result && !plan->keep_aslr)
		result = ifr_aslr_check(state->cpu, err);
	if (!result)
		result = open_counters(state, &notes, err);
	if (!result && ifr_counters_modelled(state->counters))
		result = campaign_can_model(state, err);
	if (!result)
		result = ifr_experiment_open(plan->file, &state->experiment, err);
	if (!result)
		result = campaign_adopt_model(state, err);
	if (!result)
		result = campaign_record_configuration(state, err);
	if (!result)
		result = claim_folder(state, err);
	if (!result)
		result = campaign_save_counters(state, err);
	if (!result)
		result = save_notes(state, &notes, err);
	ifr_strings_release(&notes);
	return result;
}

static void release(struct campaign_state *state) {
	ifr_experiment_close(state->experiment);
	if (state->counters)
		ifr_counters_close(state->counters);
	if (state->lock >= 0)
		close(state->lock);
	ifr_strings_release(&state->environment);
	ifr_strings_release(&state->launch_environment);
	ifr_library_release(&state->library);
	for (unsigned i = 0; state->runtime && i < campaign_ids(state); i++)
		free(state->runtime[i]);
	free(state->runtime);
	free(state->load_pages);
	free(state->stack_bytes);
	free(state->folder);
}

/* A file that this call made and that holds no run yet is of no use to anybody. */
static void remove_traces(const struct campaign_state *state) {
	unlink(state->plan->file);
	for (unsigned i = 0; i < state->subjects; i++) {
		char *recording = campaign_recording(state, i);
		if (state->recorded[i])
			unlink(recording);
		free(recording);
	}
	if (state->folder)
		ifr_tree_remove(state->folder, NULL);
}

static const char *describe_end(const struct ifr_campaign_result *result) {
	return result->complete ? "yes" : result->interrupted ? "no: interrupted" : "no: the time budget was used up";
}

/* Does all that the experiment does not hold yet. */
static int fill(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	if (!campaign_needs_runs(state)) {
		result->complete = true;
		return 0;
	}
	int failed = campaign_make_variants(state, err);
	if (!failed && !ifr_launch_interrupted() && state->plan->user)
		failed = open_library(state, err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_reference(state, err);
	if (!failed && !ifr_launch_interrupted())
		failed = campaign_record(state, err);
	/* Until the end is reached: a killed process cannot say so afterwards. */
	if (!failed)
		failed = ifr_experiment_set(state->experiment, "complete", "no: interrupted", err);
	if (!failed)
		failed = campaign_measure(state, result, err);
	/* Nothing to time is soon done, but not what is modelled. */
	result->complete &= !result->interrupted;
	if (!failed && !result->interrupted)
		failed = campaign_model(state, result, err);
	if (!failed && !result->runs && !result->complete && !result->interrupted)
		failed =
			ifr_fail(err, IFR_E_USAGE, "the budget is too short: one run takes %.1f s; give a longer --budget",
		             (double)state->reference_ns / 1e9);
	if (!failed)
		failed = ifr_experiment_set(state->experiment, "complete", describe_end(result), err);
	return failed;
}

int ifr_campaign_run(struct ifr_campaign *plan, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct campaign_state state = {.plan = plan, .lock = -1};
	campaign_programs_set(&state);
	/* Pinning moves this process away from the processor of the runs; the next campaign is to choose as this one.
	 */
	cpu_set_t allowed;
	bool knows_allowed = !sched_getaffinity(0, sizeof allowed, &allowed);
	bool existed = ifr_file_exists(plan->file);
	*result = (struct ifr_campaign_result){0};
	int failed = prepare(&state, err);
	if (!failed)
		failed = fill(&state, result, err);
	bool made_here = state.experiment && !existed;
	ifr_experiment_close(state.experiment);
	state.experiment = NULL;
	if (made_here && !result->runs && !result->complete)
		remove_traces(&state);
	else if (!failed && result->complete && !plan->keep_variants)
		ifr_tree_remove(state.folder, NULL);
	release(&state);
	if (knows_allowed)
		sched_setaffinity(0, sizeof allowed, &allowed);
	return failed;
}
