/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rest of the work: runs and values of the model that the experiment lacks, and the variants that these need. */
#include "harness/campaign/missing_runs.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/random.h"

#include "harness/campaign/budget.h"
#include "harness/campaign/model_values.h"

int campaign_raise_runs(struct campaign_state *state, struct ifr_error *err) {
	struct ifr_campaign *plan = &state->plan;
	int64_t slowest_ns = 0;
	for (unsigned i = 0; i < plan->program_count; i++) {
		char *name = ifr_program_fact_name("reference time_ns", i),
			 *time = ifr_experiment_get(state->experiment, name);
		const int64_t ns = time ? strtoll(time, NULL, 10) : 0;
		slowest_ns = ns > slowest_ns ? ns : slowest_ns;
		free(time);
		free(name);
	}
	if (!plan->least_ns || !slowest_ns)
		return 0;
	plan->repetitions = budget_raise_runs(plan->repetitions, IFR_RUNS_RAISED, slowest_ns, plan->least_ns);
	plan->least_ns = 0;
	char *runs = ifr_format("%u", plan->repetitions);
	const int result = ifr_experiment_set(state->experiment, "rounds planned", runs, err);
	free(runs);
	return result;
}

unsigned ifr_share_chunk(uint64_t seed, unsigned repetition, unsigned layout, unsigned chunks) {
	char name[48];
	snprintf(name, sizeof name, "%u:%u", repetition, layout);
	return (unsigned)ifr_random_below(ifr_random_keyed(seed, "chunk", name), chunks);
}

bool campaign_shares_run(const struct campaign_state *state, unsigned id, unsigned repetition) {
	const struct ifr_share *share = &state->plan.share;
	if (share->references || !share->chunks)
		return !share->references;
	return repetition == share->repetition &&
	       ifr_share_chunk(state->plan.generator.seed, repetition, campaign_layout_of(state, id), share->chunks) ==
	           share->chunk;
}

bool campaign_leaves_to_others(const struct campaign_state *state, unsigned id) {
	return state->plan.share.chunks && !campaign_shares_run(state, id, state->plan.share.repetition);
}

unsigned campaign_missing_runs_of(const struct campaign_state *state, unsigned id) {
	unsigned missing = 0;
	/* Asked first: of many layouts a piece has few. */
	if (campaign_leaves_to_others(state, id))
		return 0;
	if (!campaign_has_variant(state, id) || ifr_experiment_variant_refused(state->experiment, id))
		return 0;
	for (unsigned repetition = 0; repetition < state->plan.repetitions; repetition++)
		for (unsigned pass = 0; pass < ifr_counters_passes(state->counters); pass++)
			missing += campaign_shares_run(state, id, repetition) &&
			           !ifr_experiment_has_run(state->experiment, id, repetition, pass);
	return missing;
}

uint64_t campaign_missing_runs(const struct campaign_state *state) {
	uint64_t missing = 0;
	for (unsigned id = 0; id < state->ready; id++)
		missing += campaign_missing_runs_of(state, id);
	return missing;
}

bool campaign_needs_variant(const struct campaign_state *state, unsigned id) {
	return !campaign_leaves_to_others(state, id) && campaign_has_variant(state, id) &&
	       !ifr_experiment_variant_refused(state->experiment, id) &&
	       (campaign_missing_runs_of(state, id) || campaign_needs_model(state, id));
}

unsigned campaign_count_needed(const struct campaign_state *state, unsigned program) {
	unsigned needed = 0;
	for (unsigned layout = 1; layout <= state->plan.variants; layout++)
		needed += campaign_needs_variant(state, campaign_variant_id(state, program, layout));
	return needed;
}

bool campaign_is_incomplete(const struct campaign_state *state) {
	for (unsigned id = 0; id < campaign_variant_count(state); id++)
		if (campaign_needs_variant(state, id))
			return true;
	return false;
}
