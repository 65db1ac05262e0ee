/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each program spends its time as it ships: runs under a profiler, beside the measured ones. They are made after
 * the reference, whose time tells how often to sample. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "harness/campaign/figures.h"

enum { RUNS_MOST = 5, SAMPLES_ENOUGH = 500, SAMPLES_OF_RUN = 4000 };
static const int64_t shortest_ns = 100000, longest_ns = 10000000, again_below_ns = 500000000;

static int64_t choose_period(int64_t run_ns) {
	const int64_t period_ns = run_ns / SAMPLES_OF_RUN;
	return period_ns < shortest_ns ? shortest_ns : period_ns > longest_ns ? longest_ns : period_ns;
}

/* One run; *refused gets the reason why there are no samples of it, or "". */
static int sample_run(struct campaign_state *state, unsigned program, char refused[256], struct ifr_error *err) {
	struct ifr_launch launch;
	struct ifr_outcome outcome;
	unsigned id = campaign_first_variant(state, program);
	char *path = campaign_variant_path(state, id);
	ifr_outcome_init(&outcome);
	campaign_describe_launch(state, id, path, 0, &launch);
	launch.counters = NULL;
	launch.metrics = NULL;
	launch.profile = state->programs[program].profile;
	launch.timeout_ns = state->timeout_ns;
	int result = campaign_prepare_run(state, &launch, path, 0, err);
	if (!result)
		result = ifr_launch_run(&launch, &outcome, err);
	snprintf(refused, 256, "%s", outcome.timed_out ? "the program did not end in time" : outcome.refused);
	ifr_outcome_release(&outcome);
	free(path);
	return result;
}

/* Whether another run is worth its time: the first one is, others of short programs with few samples. */
static bool needs_run(const struct campaign_state *state, const struct ifr_profile *profile, unsigned runs) {
	if (ifr_launch_interrupted() || ifr_clock_ns() + state->reference_ns >= state->deadline_ns)
		return false;
	return !runs || (runs < RUNS_MOST && ifr_profile_count(profile) < SAMPLES_ENOUGH &&
	                 runs * state->reference_ns < again_below_ns);
}

static int profile_program(struct campaign_state *state, unsigned program, struct ifr_error *err) {
	struct campaign_program *of = &state->programs[program];
	char *name = ifr_program_fact_name("profile", program), *known = ifr_experiment_get(state->experiment, name);
	char refused[256] = "";
	unsigned runs = 0;
	int result = 0;
	if (!known)
		of->profile = ifr_profile_new(choose_period(state->reference_ns));
	while (!known && !result && !*refused && needs_run(state, of->profile, runs)) {
		result = sample_run(state, program, refused, err);
		runs++;
	}
	char *text = *refused ? ifr_format("none: %s", refused)
	                      : ifr_format("%zu samples of cpu-clock", known ? 0 : ifr_profile_count(of->profile));
	if (!known && runs && !result && !ifr_launch_interrupted())
		result = ifr_experiment_set(state->experiment, name, text, err);
	free(text);
	free(known);
	free(name);
	return result;
}

int campaign_profile_programs(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < state->plan.program_count && !result && !state->plan.no_profile; i++)
		/* A driver's samples are not the program's. */
		if (state->plan.programs[i].kit && !state->plan.driven)
			result = profile_program(state, i, err);
	return result;
}
