/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's counters: each program's recording (recorded.c) is replayed under the plans of all its variants. In
 * the experiment their values are one run of each variant, in a pass behind those that are measured. */
#include <math.h>
#include <stdlib.h>

#include "harness/campaign/state.h"
#include "harness/simulate/plan_replay.h"

static unsigned model_pass(const struct campaign_state *state) {
	return ifr_counters_passes(state->counters);
}

bool campaign_needs_model(const struct campaign_state *state, unsigned id) {
	return ifr_counters_modelled(state->counters) && campaign_has(state, id) &&
	       !ifr_experiment_has_run(state->experiment, id, 0, model_pass(state));
}

static int add_run(struct campaign_state *state, unsigned id, const struct ifr_counts *counters,
                   struct ifr_error *err) {
	unsigned count = ifr_counters_count(state->counters);
	double *values = ifr_alloc(count * sizeof *values);
	for (unsigned i = 0; i < count; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		values[i] = counter->pass == IFR_PASS_MODEL ? (double)counters->value[counter->event] : NAN;
	}
	struct ifr_experiment_run run = {.variant = id,
	                                 .pass = model_pass(state),
	                                 .exit_status = state->plan->expected_exit,
	                                 .values = values,
	                                 .value_count = count};
	int result = ifr_experiment_add_run(state->experiment, &run, err);
	free(values);
	return result;
}

/* Replays a program's recording under the plans of these ids. */
static int replay(struct campaign_state *state, struct ifr_plan_replay *replaying, const unsigned *ids,
                  size_t count, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_plan *plans = ifr_alloc((count + 1) * sizeof *plans);
	struct ifr_counts *counters = ifr_alloc((count + 1) * sizeof *counters);
	for (size_t i = 0; i < count; i++)
		campaign_plan(state, ids[i], &plans[i]);
	int failed = ifr_replay_plans(replaying, plans, count, counters, err);
	for (size_t i = 0; i < count && !failed; i++) {
		failed = add_run(state, ids[i], &counters[i], err);
		result->runs++;
	}
	for (size_t i = 0; i < count; i++)
		ifr_plan_release(&plans[i]);
	free(plans);
	free(counters);
	return failed;
}

static size_t list_needed(const struct campaign_state *state, unsigned subject, unsigned *ids) {
	size_t count = 0;
	for (unsigned id = subject; id < state->ready; id += state->subjects)
		if (campaign_needs_model(state, id))
			ids[count++] = id;
	return count;
}

static int model_subject(struct campaign_state *state, unsigned subject, const struct ifr_machine *machine,
                         struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_plan_replay replaying = {.machines = &machine, .machine_count = 1};
	unsigned *ids = ifr_alloc((campaign_ids(state) + 1) * sizeof *ids);
	size_t count = list_needed(state, subject, ids);
	char *path = campaign_recording(state, subject);
	int failed = count ? ifr_trace_open(path, &replaying.trace, err) : 0;
	if (count && !failed)
		failed = replay(state, &replaying, ids, count, result, err);
	ifr_trace_free(replaying.trace);
	free(path);
	free(ids);
	return failed;
}

int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	if (!ifr_counters_modelled(state->counters))
		return 0;
	int failed = ifr_machine_open(&machine, state->plan->machine, err);
	for (unsigned i = 0; i < state->subjects && !failed; i++)
		failed = model_subject(state, i, machine, result, err);
	ifr_machine_free(machine);
	result->interrupted |= ifr_launch_interrupted();
	if (result->interrupted)
		failed = 0;
	result->complete &= !result->interrupted;
	return failed;
}
