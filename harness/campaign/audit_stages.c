/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "common/clock.h"
#include "harness/campaign/audit_state.h"

int64_t audit_divide_time(const struct audit_state *state, int64_t deadline_ns, int64_t part, int64_t all) {
	static const int64_t least_ns = INT64_C(3000000000);
	const int64_t now_ns = ifr_clock_ns(), whole_ns = state->deadline_ns - now_ns;
	if (state->deadline_ns == INT64_MAX)
		return 0;
	const int64_t part_ns = (int64_t)((double)(deadline_ns - now_ns) * (double)part / (double)all);
	if (part_ns >= least_ns)
		return part_ns;
	return whole_ns < 1 ? 1 : whole_ns < least_ns ? whole_ns : least_ns;
}

int audit_check_time(const struct audit_state *state, struct ifr_error *err) {
	return ifr_clock_ns() < state->deadline_ns ? 0 : ifr_fail(err, IFR_E_USAGE, "the budget ended before");
}

void audit_announce(const struct audit_state *state, unsigned which, enum ifr_audit_step step, unsigned number,
                    unsigned count) {
	if (state->audit->announce)
		state->audit->announce(&ifr_triggers[which], step, number, count);
}

/* The layouts of a trigger that has few, with the shipped one; 0: it has many. */
static unsigned count_few_layouts(const struct audit_state *state, unsigned which) {
	struct ifr_layout_generator generator;
	unsigned layouts = 0;
	if (ifr_trigger_design(&ifr_triggers[which], 0, 0, state->sweeps[which], &generator, &layouts, NULL))
		return 0;
	ifr_plan_release(&generator.parameters);
	return layouts < IFR_AUDIT_LAYOUTS_LEAST ? layouts + 1 : 0;
}

unsigned audit_count_all_runs(const struct audit_state *state, unsigned which) {
	enum { FEW_RUNS = 48 };
	const unsigned runs = state->audit->campaign.repetitions, few = count_few_layouts(state, which),
				   enough = few ? (FEW_RUNS + few - 1) / few : 0;
	return runs > 1 && runs < enough ? enough : runs;
}

unsigned audit_count_screen_runs(const struct audit_state *state, unsigned which) {
	const unsigned runs = audit_count_all_runs(state, which);
	return runs < IFR_AUDIT_SCREEN_RUNS || count_few_layouts(state, which) ? runs : IFR_AUDIT_SCREEN_RUNS;
}

int audit_screen_trigger(struct audit_state *state, unsigned which, const struct audit_stage *stage,
                         struct ifr_error *err) {
	struct ifr_error *why_not = &state->outcomes[which].why_not;
	bool whole = false;
	*why_not = (struct ifr_error){0};
	const int failed = audit_run_trigger(state, which, stage, &whole, why_not);
	/* A screen of all runs leaves none to make. */
	if (whole && stage->repetitions >= audit_count_all_runs(state, which))
		state->outcomes[which].full = state->outcomes[which].refined = true;
	if (failed != -IFR_E_PROGRAM)
		return 0;
	*err = *why_not;
	return -IFR_E_PROGRAM;
}

static int compare_numbers(const void *left, const void *right) {
	const double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* The median noise of the triggers. */
static double find_usual_noise(const struct ifr_audit_outcome *outcomes) {
	double *noise = ifr_alloc((ifr_trigger_count + 1) * sizeof *noise);
	size_t count = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (outcomes[i].measured && outcomes[i].noise_pct > 0)
			noise[count++] = outcomes[i].noise_pct;
	qsort(noise, count, sizeof *noise, compare_numbers);
	const double usual = count ? noise[count / 2] : 0;
	free(noise);
	return usual;
}

/* A busy neighbour disturbs a screen of a second or two as a whole. */
static bool is_disturbed(const struct audit_state *state, unsigned which) {
	static const double most = 1.5;
	const double usual = find_usual_noise(state->outcomes);
	return usual > 0 && state->outcomes[which].noise_pct > most * usual;
}

bool audit_passes(const struct audit_state *state, unsigned which) {
	const struct ifr_audit_outcome *outcome = &state->outcomes[which];
	return outcome->measured && !outcome->why_not.code && !outcome->refined &&
	       (outcome->p <= IFR_AUDIT_SCREEN_LEVEL || is_disturbed(state, which));
}

/* The triggers that the screen passed and that wait for more runs, the smallest p first. */
static unsigned rank_triggers(const struct audit_state *state, unsigned *order) {
	const struct ifr_audit_outcome *outcomes = state->outcomes;
	unsigned count = 0;
	for (unsigned i = 0; i < ifr_trigger_count; i++)
		if (audit_passes(state, i)) {
			unsigned at = count++;
			for (; at && outcomes[order[at - 1]].p > outcomes[i].p; at--)
				order[at] = order[at - 1];
			order[at] = i;
		}
	return count;
}

/* A tenth of the time is for the making of layouts, and for twins. */
static const double part_of_runs = 0.9;

void audit_fit_stage(const struct audit_state *state, unsigned which, struct audit_stage *stage) {
	enum { RUNS_LEAST = 3 };
	const struct ifr_audit_outcome *outcome = &state->outcomes[which];
	const unsigned screen = audit_count_screen_runs(state, which);
	if (!stage->budget_ns || !outcome->screened || outcome->layout_ns < screen || !outcome->layouts)
		return;
	const double fit = part_of_runs * (double)stage->budget_ns * screen / (double)outcome->layout_ns;
	const uint64_t runs = (uint64_t)fit + (uint64_t)outcome->layouts * screen, each = runs / outcome->layouts;
	stage->most = (unsigned)(runs / stage->repetitions);
	stage->most = stage->most > outcome->layouts ? stage->most : outcome->layouts;
	if (each < stage->repetitions)
		stage->repetitions = each > RUNS_LEAST                 ? (unsigned)each
		                     : stage->repetitions > RUNS_LEAST ? RUNS_LEAST
		                                                       : stage->repetitions;
}

int audit_refine_trigger(struct audit_state *state, unsigned which, unsigned number, unsigned count,
                         struct ifr_error *err) {
	struct ifr_audit_outcome *outcome = &state->outcomes[which];
	struct audit_stage stage = {.repetitions = audit_count_all_runs(state, which),
	                            .budget_ns = audit_divide_time(state, state->deadline_ns, 1, count - number + 1)};
	struct ifr_error inner = {0};
	bool whole = false;
	audit_announce(state, which, IFR_AUDIT_MORE_RUNS, number, count);
	audit_fit_stage(state, which, &stage);
	/* A budget without time for another run leaves the trigger at its screen. */
	const int failed = audit_run_trigger(state, which, &stage, &whole, &inner);
	outcome->refined = true;
	outcome->full = whole;
	if (failed != -IFR_E_PROGRAM)
		return 0;
	*err = inner;
	return failed;
}

int audit_refine_triggers(struct audit_state *state, struct ifr_error *err) {
	unsigned *order = ifr_alloc((ifr_trigger_count + 1) * sizeof *order);
	const unsigned count = rank_triggers(state, order);
	int result = 0;
	for (unsigned i = 0; i < count && !state->interrupted && !result && !audit_check_time(state, NULL); i++)
		result = audit_refine_trigger(state, order[i], i + 1, count, err);
	free(order);
	return result;
}
