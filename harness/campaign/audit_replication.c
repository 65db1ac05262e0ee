/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications of what an audit's first runs found: the same layouts in an experiment of their own.
 *
 * Problem: some of twenty triggers have a small p for the same reason for which they were chosen, and layouts whose
 * effect is about as large as the noise are found in one audit and not in the next.
 * Idea: triggers with p < 0.05 are measured once more, on fresh copies of all files. Nothing but the new runs decides,
 * with more of them for each layout, so that the few effects that are there are seen again.
 * Invariant: the number of new runs depends on time alone, and no new run chose its trigger: the level of the claims is
 * that of Holm's method over the replications, whatever came before. */
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "harness/analysis/analysis.h"
#include "harness/campaign/audit_state.h"
#include "harness/exec/exec.h"

char *ifr_audit_replication_file(const char *folder, const struct ifr_trigger *trigger) {
	return ifr_format("%s/%s.again", folder, trigger->name);
}

bool ifr_audit_outcome_suspected(const struct ifr_audit_outcome *outcome) {
	return outcome->measured && outcome->full && !outcome->exact && outcome->p < IFR_REPORT_LEVEL;
}

/* The smallest p first: where time ends, it is the weakest suspect that is not decided. */
static unsigned rank_suspects(const struct ifr_audit_outcome *outcomes, unsigned *order) {
	unsigned count = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (ifr_audit_outcome_suspected(&outcomes[i]) && !outcomes[i].replicated) {
			unsigned at = count++;
			for (; at && outcomes[order[at - 1]].p > outcomes[i].p; at--)
				order[at] = order[at - 1];
			order[at] = i;
		}
	return count;
}

/* Of a run: the pace of the last campaign, where one had runs. */
static int64_t find_run_ns(const struct audit_state *state) {
	return state->run_ns && state->run_ns < state->first_run_ns ? state->run_ns : state->first_run_ns;
}

/* The time of one repetition. */
static double find_repetition_ns(const struct audit_state *state, unsigned which) {
	return (double)(state->outcomes[which].layouts + 1) * (double)find_run_ns(state);
}

/* The time that the screen took beside its runs: the making of its layouts, above all. */
static double find_making_ns(const struct audit_state *state, unsigned which) {
	const struct ifr_audit_outcome *outcome = &state->outcomes[which];
	const double runs_ns = find_repetition_ns(state, which) * audit_count_screen_runs(state, which),
				 making_ns = (double)outcome->layout_ns * outcome->layouts - runs_ns;
	return making_ns > 0 ? making_ns : 0;
}

/* The time of a replication with as many runs as the first experiment. */
static double weigh(const struct audit_state *state, unsigned which) {
	return find_making_ns(state, which) + find_repetition_ns(state, which) * audit_count_all_runs(state, which);
}

/* Twice the runs of the first experiment, and up to four times as many where there is time. */
static unsigned count_runs(const struct audit_state *state, unsigned which, int64_t budget_ns) {
	enum { USUAL = 2, MOST = 4, LEAST = 3 };
	static const double part_of_runs = 0.9;
	const unsigned first = audit_count_all_runs(state, which);
	if (!budget_ns || !state->first_run_ns)
		return USUAL * first;
	const double fit =
		part_of_runs * ((double)budget_ns - find_making_ns(state, which)) / find_repetition_ns(state, which);
	return fit > MOST * first ? MOST * first : fit < LEAST ? LEAST : (unsigned)fit;
}

/* The sweep and the seed of the first experiment make its layouts again. */
static int take_design(const struct audit_state *state, unsigned which, struct ifr_campaign *campaign,
                       struct ifr_error *err) {
	const struct ifr_trigger *trigger = &ifr_triggers[which];
	char *file = ifr_audit_file(state->audit->campaign.file, trigger), *sweep = audit_find_sweep(file);
	uint64_t seed = campaign->generator.seed;
	audit_find_seed(file, &seed);
	int result = ifr_trigger_design(trigger, seed, 0, sweep, &campaign->generator, &campaign->variants, err);
	/* A random family whose size time chose keeps that. */
	if (!trigger->sweep && state->outcomes[which].layouts)
		campaign->variants = state->outcomes[which].layouts;
	free(sweep);
	free(file);
	return result;
}

static void replicate_trigger(struct audit_state *state, unsigned which, int64_t budget_ns) {
	struct ifr_audit_outcome *outcome = &state->outcomes[which];
	struct ifr_campaign campaign = state->audit->campaign;
	struct ifr_campaign_result done = {0};
	char *counters = outcome->clocked ? ifr_strdup("clock") : audit_drop_model(campaign.counters),
		 *file = ifr_audit_replication_file(campaign.file, &ifr_triggers[which]);
	campaign.file = file;
	campaign.counters = counters;
	campaign.options = NULL;
	campaign.seed_given = false;
	campaign.one_look = campaign.no_profile = true;
	campaign.budget_ns = budget_ns;
	campaign.repetitions = count_runs(state, which, budget_ns);
	int result = take_design(state, which, &campaign, &outcome->not_replicated);
	if (!result)
		result = ifr_campaign_run(&campaign, &done, &outcome->not_replicated);
	state->interrupted |= done.interrupted || ifr_launch_interrupted();
	outcome->replicated = !result && !state->interrupted && (done.runs || done.complete);
	if (!result && !outcome->replicated && !state->interrupted)
		ifr_fail(&outcome->not_replicated, IFR_E_USAGE, "the budget ended before; the same command goes on");
	ifr_plan_release(&campaign.generator.parameters);
	free(counters);
	free(file);
}

unsigned audit_replicate(struct audit_state *state) {
	unsigned *order = ifr_alloc((ifr_trigger_count + 1) * sizeof *order);
	const unsigned count = rank_suspects(state->outcomes, order);
	unsigned made = 0;
	double weight = 0;
	for (unsigned i = 0; i < count; i++)
		weight += weigh(state, order[i]);
	for (unsigned i = 0; i < count; i++) {
		struct ifr_audit_outcome *outcome = &state->outcomes[order[i]];
		const double part = weight > 0 ? weigh(state, order[i]) / weight : 1;
		const int64_t left_ns = state->deadline_ns - ifr_clock_ns();
		weight -= weigh(state, order[i]);
		if (state->interrupted)
			ifr_fail(&outcome->not_replicated, IFR_E_USAGE, "the audit was interrupted before");
		else if (state->deadline_ns != INT64_MAX && left_ns <= 0)
			ifr_fail(&outcome->not_replicated, IFR_E_USAGE, "the budget ended before; the same command goes on");
		else {
			audit_announce(state, order[i], IFR_AUDIT_REPLICATION, i + 1, count);
			replicate_trigger(state, order[i],
			                  state->deadline_ns == INT64_MAX ? 0 : (int64_t)((double)left_ns * part) + 1);
			made += outcome->replicated;
		}
	}
	free(order);
	return made;
}
