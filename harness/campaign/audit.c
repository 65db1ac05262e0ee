/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/audit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/analysis/analysis.h"
#include "harness/exec/exec.h"
#include "harness/store/store.h"

struct audit_state {
	const struct ifr_audit *audit;
	struct ifr_audit_outcome *outcomes;
	unsigned most; /* layouts of a trigger; 0: no limit */
	int64_t deadline_ns;
	bool interrupted;
};

char *ifr_audit_file(const char *folder, const struct ifr_trigger *trigger) {
	return ifr_format("%s/%s.exp", folder, trigger->name);
}

/* Why the program lacks what the trigger needs. */
static int check_needs(const struct ifr_audit *audit, const struct ifr_trigger *trigger, struct ifr_error *err) {
	if (trigger->needs == IFR_NEEDS_LOADER && !audit->has_loader)
		return ifr_fail(err, IFR_E_USAGE, "the program is statically linked");
	if (trigger->needs >= IFR_NEEDS_KIT && !audit->campaign.programs->kit)
		return ifr_fail(err, IFR_E_USAGE, "the program has no kit: build it with CC=interfero-gcc");
	return 0;
}

/* The duration of a run, with what surrounds it: it decides how many layouts fit into the budget. */
static int time_run(const struct ifr_audit *audit, int64_t *run_ns, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &audit->campaign;
	static const int64_t around_ns = INT64_C(20000000);
	struct ifr_context context;
	struct ifr_outcome outcome;
	ifr_context_init(&context, &campaign->environment);
	const struct ifr_launch launch = {.program = campaign->user ? campaign->user : campaign->programs->path,
	                                  .argv = campaign->argv,
	                                  .context = &context,
	                                  .stdin_file = campaign->stdin_file,
	                                  .cpu = -1,
	                                  .keep_aslr = true,
	                                  .timeout_ns =
	                                      campaign->timeout_ns ? campaign->timeout_ns : campaign->budget_ns};
	const int64_t begun_ns = ifr_clock_ns();
	int result = ifr_launch_run(&launch, &outcome, err);
	*run_ns = ifr_clock_ns() - begun_ns + around_ns;
	if (!result && outcome.timed_out)
		result = ifr_fail(err, IFR_E_USAGE, "the budget is too short: one run takes longer");
	ifr_outcome_release(&outcome);
	ifr_context_release(&context);
	return result;
}

/* The sweep of an experiment that is there; NULL without one. The caller frees. */
static char *find_sweep(const char *file) {
	struct ifr_experiment *experiment = NULL;
	char *sweep = NULL;
	if (ifr_file_exists(file) && !ifr_experiment_open(file, &experiment, NULL)) {
		sweep = ifr_experiment_get(experiment, "sweep");
		ifr_experiment_close(experiment);
	}
	return sweep;
}

static int weigh_trigger(const char *file, const char *metric, double *p, struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct ifr_analysis *analysis = NULL;
	struct ifr_audit_row row = {0};
	int result = ifr_experiment_load(file, &dataset, err);
	if (result)
		return result;
	result = ifr_analysis_make(&dataset, metric, &analysis, err);
	if (!result) {
		ifr_audit_row_make(analysis, &row);
		*p = row.tested ? row.p : 1;
		ifr_audit_row_release(&row);
	}
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	return result;
}

/* The experiments of all triggers: the recording of one serves the others. */
static void list_experiments(const char *folder, struct ifr_strings *files) {
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		ifr_strings_take(files, ifr_audit_file(folder, &ifr_triggers[i]));
}

/* Carries out one stage of one trigger within a part of the time. */
static int run_trigger(struct audit_state *state, unsigned which, unsigned repetitions, int64_t budget_ns,
                       bool *whole, struct ifr_error *err) {
	const struct ifr_trigger *trigger = &ifr_triggers[which];
	struct ifr_audit_outcome *outcome = &state->outcomes[which];
	struct ifr_campaign campaign = state->audit->campaign;
	struct ifr_campaign_result done = {0};
	struct ifr_strings siblings = {0};
	char *file = ifr_audit_file(campaign.file, trigger), *sweep = find_sweep(file);
	list_experiments(campaign.file, &siblings);
	int result = ifr_trigger_design(trigger, campaign.generator.seed, state->most, sweep, &campaign.generator,
	                                &campaign.variants, err);
	campaign.file = file;
	campaign.siblings = &siblings;
	campaign.repetitions = repetitions;
	campaign.budget_ns = budget_ns;
	if (!result)
		result = ifr_campaign_run(&campaign, &done, err);
	outcome->measured |= !result && (done.runs || done.complete);
	outcome->refused = done.refused_variants;
	memcpy(outcome->refusal, done.refusal, sizeof outcome->refusal);
	*whole = !result && done.complete;
	state->interrupted |= done.interrupted || ifr_launch_interrupted();
	if (!result && outcome->measured && !state->interrupted)
		result = weigh_trigger(file, campaign.metric, &outcome->p, err);
	ifr_plan_release(&campaign.generator.parameters);
	ifr_strings_release(&siblings);
	free(sweep);
	free(file);
	return result;
}

/* An equal part of the time for each of the triggers that are left, but never too little to measure one: the last ones
 * are then left out. 0 without a budget. */
static int64_t divide_time(const struct audit_state *state, int64_t deadline_ns, unsigned left) {
	static const int64_t least_ns = INT64_C(3000000000);
	const int64_t now_ns = ifr_clock_ns(), whole_ns = state->deadline_ns - now_ns,
				  part_ns = (deadline_ns - now_ns) / left;
	if (state->deadline_ns == INT64_MAX)
		return 0;
	if (part_ns >= least_ns)
		return part_ns;
	return whole_ns < 1 ? 1 : whole_ns < least_ns ? whole_ns : least_ns;
}

/* Even an experiment without time for its layouts costs its reference runs. */
static int check_time(const struct audit_state *state, struct ifr_error *err) {
	return ifr_clock_ns() < state->deadline_ns ? 0 : ifr_fail(err, IFR_E_USAGE, "the budget ended before");
}

static void announce(const struct audit_state *state, unsigned which, bool screen, unsigned number,
                     unsigned count) {
	if (state->audit->announce)
		state->audit->announce(&ifr_triggers[which], screen, number, count);
}

/* A trigger that cannot be carried out is left out with its reason; a program that fails ends the audit. */
static int screen_triggers(struct audit_state *state, unsigned count, int64_t screen_ns, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &state->audit->campaign;
	const unsigned runs =
		campaign->repetitions < IFR_AUDIT_SCREEN_RUNS ? campaign->repetitions : IFR_AUDIT_SCREEN_RUNS;
	for (unsigned i = 0, number = 0; i < ifr_trigger_count && !state->interrupted; i++) {
		struct ifr_audit_outcome *outcome = &state->outcomes[i];
		bool whole = false;
		if (outcome->why_not.code || check_time(state, &outcome->why_not))
			continue;
		announce(state, i, true, number + 1, count);
		if (run_trigger(state, i, runs, divide_time(state, screen_ns, count - number++), &whole,
		                &outcome->why_not) == -IFR_E_PROGRAM) {
			*err = outcome->why_not;
			return -IFR_E_PROGRAM;
		}
	}
	return 0;
}

static bool passes(const struct ifr_audit_outcome *outcome) {
	return outcome->measured && !outcome->why_not.code && outcome->p <= IFR_AUDIT_SCREEN_LEVEL;
}

/* The triggers that the screen passed, the smallest p first. */
static unsigned rank_triggers(const struct ifr_audit_outcome *outcomes, unsigned *order) {
	unsigned count = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (passes(&outcomes[i])) {
			unsigned at = count++;
			for (; at && outcomes[order[at - 1]].p > outcomes[i].p; at--)
				order[at] = order[at - 1];
			order[at] = i;
		}
	return count;
}

static int refine_triggers(struct audit_state *state, struct ifr_error *err) {
	unsigned *order = ifr_alloc((ifr_trigger_count + 1) * sizeof *order);
	const unsigned count = rank_triggers(state->outcomes, order);
	int result = 0;
	for (unsigned i = 0; i < count && !state->interrupted && !result; i++) {
		struct ifr_audit_outcome *outcome = &state->outcomes[order[i]];
		struct ifr_error inner = {0};
		bool whole = false;
		if (check_time(state, &inner))
			break;
		announce(state, order[i], false, i + 1, count);
		/* A budget without time for another run leaves the trigger at its screen. */
		if (run_trigger(state, order[i], state->audit->campaign.repetitions,
		                divide_time(state, state->deadline_ns, count - i), &whole, &inner) == -IFR_E_PROGRAM) {
			*err = inner;
			result = -IFR_E_PROGRAM;
		}
		outcome->full = whole;
	}
	free(order);
	return result;
}

/* Whether any trigger was measured; else the first reason becomes the audit's. */
static int check_measured(const struct audit_state *state, struct ifr_error *err) {
	const struct ifr_error *first = NULL;
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		if (state->outcomes[i].measured)
			return 0;
		if (!first && state->audit->wanted[i] && state->outcomes[i].why_not.code)
			first = &state->outcomes[i].why_not;
	}
	if (state->interrupted || !first)
		return 0;
	*err = *first;
	return -first->code;
}

static unsigned choose_triggers(const struct ifr_audit *audit, struct ifr_audit_outcome *outcomes) {
	unsigned count = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		outcomes[i] = (struct ifr_audit_outcome){.p = 1};
		if (!audit->wanted[i])
			ifr_fail(&outcomes[i].why_not, IFR_E_USAGE, "it was not asked for");
		else if (!check_needs(audit, &ifr_triggers[i], &outcomes[i].why_not))
			count++;
	}
	return count;
}

int ifr_audit_run(const struct ifr_audit *audit, struct ifr_audit_outcome *outcomes, bool *interrupted,
                  struct ifr_error *err) {
	const int64_t begun_ns = ifr_clock_ns(), budget_ns = audit->campaign.budget_ns;
	struct audit_state state = {
		.audit = audit, .outcomes = outcomes, .deadline_ns = budget_ns ? begun_ns + budget_ns : INT64_MAX};
	const unsigned count = choose_triggers(audit, outcomes);
	int64_t run_ns = 0;
	int result = ifr_dir_make(audit->campaign.file, err);
	if (!result && budget_ns)
		result = time_run(audit, &run_ns, err);
	state.most = ifr_audit_layouts(budget_ns, run_ns, count);
	if (!result)
		result = screen_triggers(&state, count, begun_ns + budget_ns / 2, err);
	if (!result)
		result = check_measured(&state, err);
	if (!result && !state.interrupted)
		result = refine_triggers(&state, err);
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (!outcomes[i].measured && !outcomes[i].why_not.code)
			ifr_fail(&outcomes[i].why_not, IFR_E_USAGE, "the audit was interrupted before");
	*interrupted = state.interrupted;
	return result;
}
