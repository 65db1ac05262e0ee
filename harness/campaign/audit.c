/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/campaign/audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/audit_state.h"
#include "harness/exec/exec.h"

/* Why the program lacks what the trigger needs. */
static int check_needs(const struct ifr_audit *audit, const struct ifr_trigger *trigger, struct ifr_error *err) {
	if (trigger->needs == IFR_NEEDS_MOUNTS && !ifr_directory_works())
		return ifr_fail(err, IFR_E_USAGE, "the kernel allows no mounts of a process's own here");
	if (trigger->needs == IFR_NEEDS_MOUNTS)
		return ifr_directory_check(&(struct ifr_context){.moves_directory = true}, audit->campaign.argv, err);
	if (trigger->needs == IFR_NEEDS_LOADER && !audit->has_loader)
		return ifr_fail(err, IFR_E_USAGE, "the program is statically linked");
	if (trigger->needs >= IFR_NEEDS_KIT && !audit->campaign.programs->kit)
		return ifr_fail(err, IFR_E_USAGE, "the program has no kit: build it with CC=interfero-gcc");
	if (trigger->axes & 1u << IFR_AXIS_NAMES && !ifr_loads_libraries(audit->campaign.programs->path))
		return ifr_fail(err, IFR_E_USAGE, "the program is statically linked: it has no external symbols");
	return 0;
}

static void watch_run(pid_t child, int64_t elapsed_ns, void *data) {
	(void)child;
	ifr_patience_watch(data, elapsed_ns);
}

static int time_one_run(const struct ifr_audit *audit, int64_t *run_ns, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &audit->campaign;
	static const int64_t around_ns = INT64_C(20000000);
	struct ifr_context context;
	struct ifr_outcome outcome;
	ifr_context_init(&context, &campaign->environment);
	const int64_t limit_ns = campaign->timeout_ns && campaign->timeout_ns < campaign->budget_ns
	                             ? campaign->timeout_ns
	                             : campaign->budget_ns;
	struct ifr_patience patience = {.program = campaign->argv[0],
	                                .limit_ns = limit_ns,
	                                .options = "--timeout or --budget",
	                                .say = campaign->say,
	                                .progress = campaign->waiting};
	const struct ifr_launch launch = {.program = campaign->user ? campaign->user : campaign->programs->path,
	                                  .argv = campaign->argv,
	                                  .context = &context,
	                                  .stdin_file = campaign->stdin_file,
	                                  .cpu = -1,
	                                  .keep_aslr = true,
	                                  .timeout_ns = limit_ns,
	                                  .watch = watch_run,
	                                  .watch_data = &patience};
	const int64_t begun_ns = ifr_clock_ns();
	int result = ifr_launch_run(&launch, &outcome, err);
	*run_ns = ifr_clock_ns() - begun_ns + around_ns;
	if (!result && outcome.timed_out)
		result = ifr_fail(err, IFR_E_PROGRAM, "%s did not end within %.3g s: give a longer %s, or less to do",
		                  campaign->argv[0], (double)limit_ns / 1e9,
		                  limit_ns < campaign->budget_ns ? "--timeout" : "--budget");
	ifr_outcome_release(&outcome);
	ifr_context_release(&context);
	return result;
}

/* The duration of a run, with what surrounds it: it decides how many layouts fit into the budget. The first run reads
 * files, and another may fall into a slow spell: the shortest of three, where they are short. */
static int time_run(const struct ifr_audit *audit, int64_t *run_ns, struct ifr_error *err) {
	enum { TRIES = 3, SHORT_PARTS = 200 };
	int64_t one_ns = 0;
	int result = 0;
	*run_ns = INT64_MAX;
	for (int i = 0; i < TRIES && !result; i++) {
		result = time_one_run(audit, &one_ns, err);
		*run_ns = one_ns < *run_ns ? one_ns : *run_ns;
		if (one_ns > audit->campaign.budget_ns / SHORT_PARTS)
			break;
	}
	return result;
}

/* The runs of a trigger's first screen: its part of the time is in proportion. */
static int64_t weigh_screen(const struct audit_state *state, unsigned which) {
	struct ifr_layout_generator generator;
	unsigned layouts = 0;
	if (!ifr_trigger_design(&ifr_triggers[which], 0, state->most, NULL, &generator, &layouts, NULL))
		ifr_plan_release(&generator.parameters);
	return ifr_audit_screen_runs(layouts);
}

/* The layouts of a screen, by the pace of the one before: two whole repetitions of a few say more than a part of one. */
static unsigned fit_screen(const struct audit_state *state, int64_t budget_ns) {
	if (!state->most || !state->run_ns || !budget_ns)
		return state->most;
	const unsigned fit = ifr_audit_layouts_in(budget_ns / state->run_ns);
	return fit < state->most ? fit : state->most;
}

static int screen_triggers(struct audit_state *state, unsigned count, int64_t screen_ns, struct ifr_error *err) {
	int64_t weight = 0;
	int result = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		weight += state->possible[i] ? weigh_screen(state, i) : 0;
	for (unsigned i = 0, number = 0; i < ifr_trigger_count && !state->interrupted && !result; i++) {
		state->outcomes[i].no_time = state->possible[i] && audit_check_time(state, &state->outcomes[i].why_not);
		if (!state->possible[i] || state->outcomes[i].no_time)
			continue;
		audit_announce(state, i, IFR_AUDIT_SCREEN, ++number, count);
		struct audit_stage stage = {.repetitions = audit_count_screen_runs(state, i),
		                            .budget_ns =
		                                audit_divide_time(state, screen_ns, weigh_screen(state, i), weight)};
		stage.most = fit_screen(state, stage.budget_ns);
		weight -= weigh_screen(state, i);
		result = audit_screen_trigger(state, i, &stage, err);
	}
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

static unsigned choose_triggers(struct audit_state *state) {
	const struct ifr_audit *audit = state->audit;
	unsigned count = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		struct ifr_audit_outcome *outcome = &state->outcomes[i];
		*outcome = (struct ifr_audit_outcome){.p = 1};
		if (!audit->wanted[i])
			ifr_fail(&outcome->why_not, IFR_E_USAGE, "it was not asked for");
		else
			state->possible[i] = !check_needs(audit, &ifr_triggers[i], &outcome->why_not) &&
			                     !audit_choose_levels(state, i, &outcome->why_not);
		count += state->possible[i];
	}
	return count;
}

/* Whether a trigger may have been found: the report adjusts its p for all. */
static bool has_finding(const struct audit_state *state) {
	bool has = false;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		has |= state->outcomes[i].full && state->outcomes[i].p < IFR_REPORT_LEVEL;
	return has;
}

static bool has_suspect(const struct audit_state *state) {
	bool has = false;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		has |= ifr_audit_outcome_suspected(&state->outcomes[i]);
	return has;
}

/* The environment sizes that were asked for; their steps are never made larger. */
static void choose_environment(struct audit_state *state) {
	enum { PAGE = 4096 };
	const int which = ifr_trigger_find("environment");
	const int64_t offset = state->audit->environment.offset, increment = state->audit->environment.increment;
	const int64_t pages = state->most && 2 * PAGE / increment > state->most ? 1 : 2;
	if (!state->audit->environment.given || !state->possible[which])
		return;
	free(state->sweeps[which]);
	state->sweeps[which] = ifr_format("stack:bytes=%" PRId64 ":%" PRId64 ":%" PRId64, offset,
	                                  offset + (pages * PAGE - 1) / increment * increment, increment);
}

/* end_ns: of replications, for which a part of the time is left. */
static int run_stages(struct audit_state *state, unsigned count, int64_t screen_ns, int64_t end_ns,
                      struct ifr_error *err) {
	int result = screen_triggers(state, count, screen_ns, err);
	if (!result && !state->interrupted)
		result = audit_refine_triggers(state, err);
	if (!has_finding(state) && state->deadline_ns != INT64_MAX) {
		state->deadline_ns += state->audit->cures_ns;
		end_ns += state->audit->cures_ns;
	}
	if (!result)
		result = audit_spend_rest(state, err);
	if (state->deadline_ns != INT64_MAX)
		state->deadline_ns = end_ns;
	/* The time of replications is no use to an audit that has none to make. */
	if (!result && !state->interrupted && !has_suspect(state))
		result = audit_spend_rest(state, err);
	/* The time that replications leave goes to triggers that the screen did not pass, and to their replications. */
	for (unsigned replicated = 1; !result && !state->interrupted && replicated;) {
		replicated = audit_replicate(state);
		if (replicated && !state->interrupted)
			result = audit_spend_rest(state, err);
	}
	if (!result)
		audit_note_stored(state);
	return result ? result : check_measured(state, err);
}

int ifr_audit_run(const struct ifr_audit *audit, struct ifr_audit_outcome *outcomes, bool *interrupted,
                  struct ifr_error *err) {
	const int64_t begun_ns = ifr_clock_ns(), budget_ns = audit->campaign.budget_ns,
				  all_ns = budget_ns - audit->cures_ns, first_ns = all_ns / 3 * 2, screen_ns = first_ns / 4 * 3;
	struct audit_state state = {.audit = audit,
	                            .outcomes = outcomes,
	                            .possible = ifr_alloc(ifr_trigger_count * sizeof *state.possible),
	                            .sweeps = ifr_alloc(ifr_trigger_count * sizeof *state.sweeps),
	                            .deadline_ns = budget_ns ? begun_ns + first_ns : INT64_MAX};
	const unsigned count = choose_triggers(&state);
	int result = ifr_dir_make(audit->campaign.file, err);
	if (!result && budget_ns)
		result = time_run(audit, &state.first_run_ns, err);
	state.most = ifr_audit_layouts(2 * screen_ns, state.first_run_ns, state.possible);
	choose_environment(&state);
	if (!result)
		result = run_stages(&state, count, begun_ns + screen_ns, begun_ns + all_ns, err);
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (!outcomes[i].measured && !outcomes[i].why_not.code)
			ifr_fail(&outcomes[i].why_not, IFR_E_USAGE, "the audit was interrupted before");
	if (result)
		rmdir(audit->campaign.file); /* if nothing is in it */
	*interrupted = state.interrupted;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		free(state.sweeps[i]);
	free(state.sweeps);
	free(state.possible);
	return result;
}
