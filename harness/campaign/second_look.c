/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second look of a sweep, after all planned runs: suspects and their neighbours run again, in repetitions of their
 * own. What they are is stored before the first of these runs, so that a resumed campaign goes on with the same. */
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis.h"
#include "harness/campaign/state.h"

bool campaign_may_look_again(const struct campaign_state *state) {
	return !state->plan.one_look && state->plan.generator.sweeps.count && state->plan.program_count == 1 &&
	       ifr_counters_passes(state->counters);
}

/* The plan of an earlier call that was cut short, of as many repetitions as this one has. */
static bool adopt_plan(struct campaign_state *state, struct ifr_spike_plan *plan) {
	char *fact = ifr_experiment_get(state->experiment, IFR_SPIKE_PLAN_FACT);
	const bool known = fact && ifr_spike_plan_parse(fact, plan) && plan->from == state->plan.repetitions;
	free(fact);
	return known;
}

static int save_plan(struct campaign_state *state, const struct ifr_spike_plan *plan, struct ifr_error *err) {
	char *text = ifr_spike_plan_print(plan);
	int result = ifr_experiment_set(state->experiment, IFR_SPIKE_PLAN_FACT, text, err);
	free(text);
	return result;
}

int campaign_plan_second_look(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_spike_plan plan = {0};
	int result = ifr_experiment_load(state->plan.file, &dataset, err);
	if (result)
		return result;
	if (!adopt_plan(state, &plan)) {
		result = ifr_spike_plan_make(&dataset, state->plan.metric, &plan, err);
		if (!result && plan.runs)
			result = save_plan(state, &plan, err);
	}
	if (!result && plan.runs) {
		state->again = ifr_alloc((campaign_variant_count(state) + 1) * sizeof *state->again);
		state->again_repetitions = plan.runs;
		ifr_spike_plan_layouts(&plan, &dataset, state->again);
	}
	ifr_dataset_release(&dataset);
	return result;
}
