/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers: commands that start the program under test, at its path or by its name from PATH. Variants take the
 * program's place where the kernel lets this user mount; elsewhere they are found by name alone, in folders that come
 * first in PATH. Before each run comes the user's own preparation, and unmeasured runs. */
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"
#include "harness/campaign/figures.h"

static void set_first_in_path(struct ifr_strings *environment, const char *folder) {
	const size_t length = strlen(folder);
	for (size_t i = 0; i < environment->count; i++)
		if (ifr_starts_with(environment->items[i], "PATH=")) {
			const char *first = environment->items[i] + strlen("PATH=");
			if (!strncmp(first, folder, length) && first[length] == ':')
				return;
			char *all = ifr_format("PATH=%s:%s", folder, environment->items[i] + strlen("PATH="));
			free(environment->items[i]);
			environment->items[i] = all;
		}
}

int campaign_open_driver(struct campaign_state *state, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	if (!plan->driven)
		return 0;
	if (plan->generator.axes &
	        (1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS | 1u << IFR_AXIS_ALLOCATOR | 1u << IFR_AXIS_HUGE_PAGES) ||
	    ifr_counters_has_regions(state->counters))
		return ifr_fail(
			err, IFR_E_USAGE,
			"with --program, the axes heap, blocks, allocator and huge-pages, and regions, would act in the driver, "
			"too: leave them out");
	if (ifr_counters_has_model(state->counters))
		return ifr_fail(
			err, IFR_E_USAGE,
			"with --program, the model cannot record the program, which a driver starts: leave the model "
			"out of --counters");
	char *folder = ifr_path_dir(plan->driven);
	state->stands_in = ifr_stand_in_works(plan->driven);
	if (state->stands_in)
		set_first_in_path(&state->context.environment, folder);
	else
		state->library.soname = ifr_strdup(ifr_path_base(plan->driven));
	free(folder);
	return 0;
}

void campaign_lead_driver(struct campaign_state *state, unsigned from) {
	if (!state->plan.driven || state->stands_in)
		return;
	for (unsigned id = from; id < state->ready; id++) {
		char *path = campaign_variant_path(state, id), *folder = ifr_format("%s.lib", path);
		set_first_in_path(&state->contexts[id].environment, folder);
		free(folder);
		free(path);
	}
}

int campaign_judge_driver(const struct campaign_state *state, bool opened, struct ifr_error *err) {
	const char *driver = state->plan.argv[0], *place = state->plan.driven;
	if (opened)
		return 0;
	if (state->stands_in)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s did not start %s: what is given to --program has to be what the driver runs", driver,
		                place);
	return ifr_fail(
		err, IFR_E_USAGE,
		"%s did not start %s by its name alone: variants cannot take the place of its path, as mounting is "
		"not allowed here (in a container: --cap-add SYS_ADMIN)",
		driver, ifr_path_base(place));
}

/* --- before a run ------------------------------------------------------------------------------------------------- */

static int run_preparation(const char *command, struct ifr_error *err) {
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	struct ifr_buffer output = {0};
	const struct ifr_process process = {.argv = argv, .out = &output, .errors = &output};
	int status = 0, result = ifr_process_run(&process, &status, err);
	const char *said = ifr_buffer_text(&output);
	if (!result && status && !ifr_launch_interrupted())
		result = ifr_fail(err, IFR_E_PROGRAM, "--prepare: \"%.200s\" ended with status %d%s%.*s", command, status,
		                  *said ? ", saying " : "", (int)strcspn(said, "\n"), said);
	ifr_buffer_release(&output);
	return result;
}

static int prepare(const struct campaign_state *state, struct ifr_error *err) {
	int result = state->plan.prepare ? run_preparation(state->plan.prepare, err) : 0;
	if (!result && state->metrics)
		ifr_metrics_prepare(state->metrics);
	return result;
}

/* Its outcome counts for nothing: a program that fails fails in the measured run, too. */
static int warm_up(const struct ifr_launch *launch, struct ifr_error *err) {
	struct ifr_launch unmeasured = *launch;
	struct ifr_outcome outcome;
	unmeasured.counters = NULL;
	unmeasured.metrics = NULL;
	int result = ifr_launch_run(&unmeasured, &outcome, err);
	ifr_outcome_release(&outcome);
	return result;
}

int campaign_prepare_run(const struct campaign_state *state, const struct ifr_launch *launch, const char *path,
                         unsigned warmups, struct ifr_error *err) {
	const bool named = state->plan.driven ? !state->stands_in : state->plan.user != NULL;
	int result = named ? ifr_library_name(&state->library, path, err) : 0;
	for (unsigned i = 0; i < warmups && !result && !ifr_launch_interrupted(); i++) {
		result = prepare(state, err);
		if (!result)
			result = warm_up(launch, err);
	}
	return result ? result : prepare(state, err);
}
