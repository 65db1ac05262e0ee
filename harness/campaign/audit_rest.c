/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rest of an audit's budget, after both stages. */
#include <limits.h>

#include "common/clock.h"
#include "harness/analysis/analysis.h"
#include "harness/campaign/audit_state.h"
#include "harness/exec/exec.h"

enum { FEW_LAYOUTS = 64 };

/* Whether a sweep that took larger steps found nothing, in a screen of this call. Values that were asked for stay. */
static bool may_be_finer(const struct audit_state *state, unsigned which) {
	const struct ifr_audit_outcome *outcome = &state->outcomes[which];
	const struct ifr_trigger *trigger = &ifr_triggers[which];
	return !state->sweeps[which] && outcome->screened && !outcome->resumed && !outcome->why_not.code &&
	       outcome->step > ifr_trigger_step(trigger) && (outcome->p >= IFR_REPORT_LEVEL || !outcome->full);
}

/* The layouts of a finer screen in half of the time that is left: the other half is for its further runs. 0 where there
 * is no time for smaller steps. */
static unsigned count_finer(const struct audit_state *state, unsigned which) {
	const struct ifr_audit_outcome *outcome = &state->outcomes[which];
	const struct ifr_trigger *trigger = &ifr_triggers[which];
	const int64_t step = ifr_trigger_step(trigger), left_ns = state->deadline_ns - ifr_clock_ns();
	struct ifr_layout_generator generator;
	unsigned layouts = 0;
	if (!may_be_finer(state, which) || outcome->layout_ns <= 0 || left_ns <= 0)
		return 0;
	const int64_t most = (int64_t)(0.45 * (double)left_ns / (double)outcome->layout_ns),
				  enough = trigger->period ? trigger->period / step : IFR_SWEEP_LAYOUTS_MAX;
	if (most < 1 || ifr_trigger_design(trigger, 0, (unsigned)(most < enough ? most : enough), NULL, &generator,
	                                   &layouts, NULL))
		return 0;
	ifr_plan_release(&generator.parameters);
	return generator.sweeps.items[0].step < outcome->step && layouts <= most ? layouts : 0;
}

/* A sweep whose steps time made larger is repeated with smaller ones, in an experiment of its own. */
static int screen_finer(struct audit_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_trigger_count && !state->interrupted && !result; i++) {
		const unsigned layouts = count_finer(state, i);
		if (!layouts)
			continue;
		const struct audit_stage stage = {.repetitions = audit_count_screen_runs(state, i),
		                                  .most = layouts,
		                                  .budget_ns = state->deadline_ns - ifr_clock_ns(),
		                                  .finer = true};
		audit_announce(state, i, IFR_AUDIT_SCREEN, 1, 1);
		result = audit_screen_trigger(state, i, &stage, err);
		if (!result && !state->interrupted)
			result = audit_refine_triggers(state, err);
	}
	return result;
}

/* Triggers for whose part of the time the screen was too long. */
static int screen_missing(struct audit_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < ifr_trigger_count && !state->interrupted && !result; i++) {
		if (!state->possible[i] || state->outcomes[i].screened || audit_check_time(state, NULL))
			continue;
		const struct audit_stage stage = {.repetitions = audit_count_screen_runs(state, i),
		                                  .most = state->most,
		                                  .budget_ns = state->deadline_ns - ifr_clock_ns()};
		audit_announce(state, i, IFR_AUDIT_SCREEN, 1, 1);
		result = audit_screen_trigger(state, i, &stage, err);
	}
	return result;
}

/* The trigger of the smallest p that has its screen only, with so many layouts at most, and of which so many further runs
 * of each layout fit into the rest; -1: none. */
static int choose_other(const struct audit_state *state, unsigned runs, unsigned layouts) {
	const int64_t left_ns = state->deadline_ns - ifr_clock_ns();
	const double further = (double)runs / IFR_AUDIT_SCREEN_RUNS;
	int chosen = -1;
	for (unsigned i = 0; i < ifr_trigger_count; i++) {
		const struct ifr_audit_outcome *outcome = &state->outcomes[i];
		if (outcome->screened && !outcome->refined && !outcome->why_not.code && outcome->layouts <= layouts &&
		    (double)outcome->layout_ns * outcome->layouts * further < (double)left_ns &&
		    (chosen < 0 || outcome->p < state->outcomes[chosen].p))
			chosen = (int)i;
	}
	return chosen;
}

/* The next one: of which all runs fit, else one more of each layout. */
static int choose_next(const struct audit_state *state, unsigned layouts) {
	const unsigned screen = IFR_AUDIT_SCREEN_RUNS, all = state->audit->campaign.repetitions;
	const int chosen = all > screen ? choose_other(state, all - screen, layouts) : -1;
	return chosen < 0 && all > screen ? choose_other(state, 1, layouts) : chosen;
}

/* Two runs of a noisy machine can hide an effect: what time is left goes to triggers that the screen did not pass. */
static int refine_others(struct audit_state *state, unsigned layouts, struct ifr_error *err) {
	int result = 0, which;
	while (!result && !state->interrupted && (which = choose_next(state, layouts)) >= 0)
		result = audit_refine_trigger(state, (unsigned)which, 1, 1, err);
	return result;
}

int audit_spend_rest(struct audit_state *state, struct ifr_error *err) {
	if (state->deadline_ns == INT64_MAX || state->interrupted)
		return 0;
	/* Further runs of a few layouts cost less than finer steps, and find more. */
	int result = refine_others(state, FEW_LAYOUTS, err);
	if (!result && !state->interrupted)
		result = screen_finer(state, err);
	if (!result && !state->interrupted)
		result = screen_missing(state, err);
	if (!result && !state->interrupted)
		result = audit_refine_triggers(state, err);
	return result || state->interrupted ? result : refine_others(state, UINT_MAX, err);
}
