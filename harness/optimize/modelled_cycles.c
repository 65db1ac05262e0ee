/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modelled cycles as a feature: a replay costs seconds where other features cost microseconds, so that only measured and
 * promising layouts have them. */
#include <math.h>
#include <stdlib.h>

#include "harness/optimize/search.h"
#include "harness/simulate/simulate.h"

/* Of the rest of the budget, for one list of layouts. */
static const double model_share = 0.1;

/* Adds a workload's weighted logarithms of cycles. */
static int add_workload(struct search *search, size_t index, const struct ifr_plan *plans, size_t count,
                        double *logarithms, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	const struct ifr_optimization_workload *workload = &stages->search->workloads[index];
	const struct ifr_machine *machine = stages->search->model;
	char *base = stage_name("program", workload), *name = ifr_format("%s.trace", base),
		 *path = stage_file(stages, name);
	struct ifr_counts *counts = ifr_alloc((count + 1) * sizeof *counts);
	struct ifr_plan_replay replay = {
		.machines = &machine,
		.machine_count = 1,
		.core = ifr_machine_has_core(machine) ? IFR_CORE_SAMPLED : IFR_CORE_NONE,
		.deadline_ns = stages->deadline_ns == INT64_MAX ? 0 : stages_moment(stages, model_share)};
	int result = ifr_trace_open(path, &replay.trace, err);
	if (!result)
		result = ifr_replay_plans(&replay, plans, count, counts, err);
	for (size_t i = 0; i < count && !result; i++)
		logarithms[i] += workload->weight * log((double)counts[i].value[IFR_EVENT_CYCLES]);
	ifr_trace_free(replay.trace);
	free(counts);
	free(path);
	free(name);
	free(base);
	/* No time for all is no failure: the search goes on without the model. */
	if (result && replay.expected_ns) {
		for (size_t i = 0; i < count; i++)
			logarithms[i] = NAN;
		result = 0;
	}
	return result;
}

static int model(struct search *search, struct candidate **candidates, size_t count, struct ifr_error *err) {
	const size_t at = features_count(&search->code);
	struct ifr_plan *plans = ifr_alloc((count + 1) * sizeof *plans);
	double *logarithms = ifr_alloc((count + 1) * sizeof *logarithms);
	int result = 0;
	/* Plans are only read. */
	for (size_t i = 0; i < count; i++)
		plans[i] = candidates[i]->plan;
	if (count && search->stages.search->announce)
		search->stages.search->announce("modelled cycles");
	for (size_t i = 0; i < search->stages.search->workload_count && count && !result; i++)
		result = add_workload(search, i, plans, count, logarithms, err);
	for (size_t i = 0; i < count && !result; i++)
		candidates[i]->features[at] = logarithms[i];
	for (size_t i = 0; i < count && !result; i++)
		search->optimum->modelled += isfinite(logarithms[i]);
	free(logarithms);
	free(plans);
	return result;
}

int search_model_candidates(struct search *search, struct candidate *candidates, size_t count,
                            struct ifr_error *err) {
	struct candidate **chosen = ifr_alloc((count + 1) * sizeof *chosen);
	size_t missing = 0;
	for (size_t i = 0; i < count; i++)
		if (isnan(candidates[i].features[features_count(&search->code)]))
			chosen[missing++] = &candidates[i];
	const int result = model(search, chosen, missing, err);
	free(chosen);
	return result;
}

int search_model_trials(struct search *search, struct ifr_error *err) {
	struct candidate **chosen = ifr_alloc((search->count + 1) * sizeof *chosen);
	size_t missing = 0;
	for (size_t i = 0; i < search->count; i++) {
		struct candidate *candidate = &search->trials[i].candidate;
		if (!candidate->inexact && isnan(candidate->features[features_count(&search->code)]))
			chosen[missing++] = candidate;
	}
	const int result = model(search, chosen, missing, err);
	free(chosen);
	return result;
}
