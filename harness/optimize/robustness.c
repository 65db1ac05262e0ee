/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a gain that a second confirmation finds again, that a small edit leaves, and that described machines have.
 * Contexts and held-out arguments are the first confirmation's (confirmation.c). */
#include <math.h>
#include <stdlib.h>

#include "harness/exec/exec.h"
#include "harness/optimize/search.h"
#include "harness/optimize/small_edit.h"
#include "harness/simulate/simulate.h"

/* A modelled change within the margin is none, as for compare: a longer symbol table alone costs the loader time. */
static const double normal_95 = 1.959964, margin = 0.01;

/* --- a second confirmation, and a small edit --------------------------------------------------------------------- */

/* Compares two layouts in all workloads, in contexts of the stage's own. parts: of the rest of the budget. */
static int run_pair(struct stages *stages, const char *stage, size_t parts, const struct ifr_plan *const *plans,
                    struct ifr_survival *survival, struct ifr_error *err) {
	const struct ifr_optimization *request = stages->search;
	const size_t count = request->workload_count;
	struct ifr_confirmed *confirmed = ifr_alloc(count * sizeof *confirmed);
	int result = 0;
	for (size_t i = 0; i < count && !result; i++) {
		const struct contexts_request contexts = {.name = stage,
		                                          .folder = stage,
		                                          .workload = &request->workloads[i],
		                                          .share = 1 / (double)(parts - i),
		                                          .plans = plans,
		                                          .count = 2};
		confirmed[i].weight = request->workloads[i].weight;
		result = search_compare_in_contexts(stages, &contexts, i, &confirmed[i], NULL, err);
		free(confirmed[i].metric);
		confirmed_release_kinds(&confirmed[i]);
		if (!result && stages->interrupted)
			result = ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted");
	}
	if (!result) {
		const struct weighted_ratio mean = confirmed_mean(confirmed, count);
		survival->ratio = mean.ratio;
		survival->interval = mean.interval;
		survival->faster = mean.faster;
		survival->slower = mean.slower;
	}
	free(confirmed);
	return result;
}

/* The parts of the budget that the stages from the edit on share. */
static size_t parts_of_edit(const struct ifr_optimization *request) {
	return request->workload_count + (request->machines && request->machines->count);
}

int search_confirm_again(struct search *search, const struct candidate *best, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	struct ifr_optimum *optimum = search->optimum;
	const struct ifr_plan *const plans[2] = {NULL, &best->plan};
	const size_t parts = stages->search->workload_count + parts_of_edit(stages->search);
	struct ifr_error why = {0};
	optimum->again_tried = true;
	if (run_pair(stages, "again", parts, plans, &optimum->again, &why))
		optimum->again.skipped = ifr_strdup(why.message);
	if (ifr_launch_interrupted() || stages->interrupted)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted");
	optimum->found = optimum->again.skipped || optimum->again.interval.high < 1;
	optimum->faster = optimum->found;
	return 0;
}

static void try_edit(struct search *search, const struct candidate *best, struct ifr_survival *survival) {
	struct stages *stages = &search->stages;
	struct small_edit edit;
	struct ifr_error why = {0};
	int result = small_edit_choose(stages->builder, &search->code, &edit, &why);
	if (!result) {
		struct ifr_plan plans[2];
		const struct ifr_plan *const both[2] = {&plans[0], &plans[1]};
		ifr_plan_init(&plans[0]);
		ifr_plan_copy(&plans[1], &best->plan);
		for (int i = 0; i < 2; i++)
			small_edit_apply(&edit, &plans[i]);
		survival->what = small_edit_describe(&edit);
		result = run_pair(stages, "edit", parts_of_edit(stages->search), both, survival, &why);
		ifr_plan_release(&plans[0]);
		ifr_plan_release(&plans[1]);
	}
	if (result)
		survival->skipped = ifr_strdup(why.message);
}

/* --- described machines ------------------------------------------------------------------------------------------ */

/* The modelled cycles of the best layout over those of the shipped one in a workload, as a logarithm with its standard
 * error. */
static int model_workload(struct search *search, size_t index, const struct ifr_machine *machine,
                          const struct ifr_plan plans[2], double *change, double *se, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	char *base = stage_name("program", &stages->search->workloads[index]), *name = ifr_format("%s.trace", base),
		 *path = stage_file(stages, name);
	struct ifr_counts counts[2];
	struct ifr_count_errors errors[2] = {{{0}}};
	struct ifr_plan_replay replay = {.machines = &machine,
	                                 .machine_count = 1,
	                                 .core = ifr_machine_has_core(machine) ? IFR_CORE_SAMPLED : IFR_CORE_NONE,
	                                 .errors = errors,
	                                 .deadline_ns = stages->deadline_ns == INT64_MAX ? 0 : stages->deadline_ns};
	int result = ifr_trace_open(path, &replay.trace, err);
	if (!result)
		result = ifr_replay_plans(&replay, plans, 2, counts, err);
	if (!result) {
		double cycles[2], relative[2] = {0, 0};
		for (int i = 0; i < 2; i++) {
			cycles[i] = (double)counts[i].value[IFR_EVENT_CYCLES];
			if (replay.core != IFR_CORE_NONE)
				relative[i] = errors[i].value[IFR_EVENT_CYCLES] / cycles[i];
		}
		*change = log(cycles[1] / cycles[0]);
		*se = hypot(relative[0], relative[1]);
	}
	ifr_trace_free(replay.trace);
	free(path);
	free(name);
	free(base);
	return result;
}

static void try_machine(struct search *search, const struct ifr_plan plans[2], const char *name,
                        struct ifr_survival *survival) {
	const struct ifr_optimization *request = search->stages.search;
	struct ifr_machine *machine = NULL;
	struct ifr_error why = {0};
	double change = 0, variance = 0;
	survival->what = ifr_strdup(name);
	int result = ifr_machine_open(&machine, name, &why);
	for (size_t i = 0; i < request->workload_count && !result; i++) {
		const double weight = request->workloads[i].weight;
		double own, se;
		result = model_workload(search, i, machine, plans, &own, &se, &why);
		if (result)
			break;
		change += weight * own;
		variance += weight * weight * se * se;
	}
	ifr_machine_free(machine);
	if (result) {
		survival->skipped = ifr_strdup(why.message);
		return;
	}
	const double half = normal_95 * sqrt(variance);
	survival->ratio = exp(change);
	survival->interval = (struct ifr_interval){exp(change - half), exp(change + half), 0.95};
	survival->faster = survival->interval.high < 1 && survival->interval.low < 1 - margin;
	survival->slower = survival->interval.low > 1 && survival->interval.high > 1 + margin;
}

/* --- all parts --------------------------------------------------------------------------------------------------- */

/* Robust is a gain that the edit leaves and all held-out arguments have, and that no machine turns round, described or
 * measured. */
static bool is_robust(const struct ifr_optimum *o) {
	bool robust = o->faster && !o->edit.skipped && o->edit.faster;
	for (size_t i = 0; i < o->confirmed_count; i++)
		for (size_t k = 0; k < o->confirmed[i].kind_count; k++)
			robust &= !o->confirmed[i].kinds[k].slower;
	for (size_t i = o->workload_count; i < o->confirmed_count; i++)
		robust &= o->confirmed[i].faster;
	for (size_t i = 0; i < o->machine_count; i++)
		robust &= !o->machines[i].skipped && !o->machines[i].slower;
	return robust;
}

int search_try_robustness(struct search *search, const struct candidate *best, struct ifr_error *err) {
	const struct ifr_optimization *request = search->stages.search;
	struct ifr_optimum *optimum = search->optimum;
	const size_t machines = request->machines ? request->machines->count : 0;
	struct ifr_plan plans[2];
	try_edit(search, best, &optimum->edit);
	optimum->edit_tried = true;
	ifr_plan_init(&plans[0]);
	ifr_plan_copy(&plans[1], &best->plan);
	optimum->machines = ifr_alloc((machines + 1) * sizeof *optimum->machines);
	for (size_t i = 0; i < machines && !ifr_launch_interrupted() && !search->stages.interrupted; i++)
		try_machine(search, plans, request->machines->items[i], &optimum->machines[optimum->machine_count++]);
	ifr_plan_release(&plans[0]);
	ifr_plan_release(&plans[1]);
	if (optimum->goal == IFR_GOAL_ROBUST)
		optimum->found = is_robust(optimum);
	return ifr_launch_interrupted() ? ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted") : 0;
}
