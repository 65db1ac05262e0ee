/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/spike_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sweep.h"
#include "harness/analysis/analysis.h"
#include "harness/analysis/steps.h"

enum { VALUES_PER_SUSPECT = 32, SUSPECTS_LEAST = 3, RUNS_LEAST = 5, RUNS_MOST = 16 };

static bool read_sweeps(const struct ifr_dataset *dataset, struct ifr_sweeps *sweeps) {
	const char *fact = ifr_dataset_fact(dataset, "sweep");
	return fact && !ifr_sweeps_parse(sweeps, fact, NULL) && sweeps->count;
}

static void choose_suspects(const struct ifr_sweep_findings *found, struct ifr_spike_plan *plan) {
	double *medians = ifr_alloc((found->layouts + 1) * sizeof *medians);
	size_t suspects[IFR_SUSPECTS_MAX], most = found->layouts / VALUES_PER_SUSPECT;
	most = most < SUSPECTS_LEAST ? SUSPECTS_LEAST : most > IFR_SUSPECTS_MAX ? IFR_SUSPECTS_MAX : most;
	for (unsigned i = 0; i < found->layouts; i++)
		medians[i] = found->cells[i] ? found->cells[i]->median : NAN;
	plan->count =
		ifr_spikes_suspect(medians, found->layouts, ifr_sweep_levels(&found->sweeps.items[0]), most, suspects);
	for (size_t i = 0; i < plan->count; i++)
		plan->suspects[i] = (unsigned)suspects[i] + 1;
	free(medians);
}

static void choose_runs(size_t runs_so_far, unsigned repetitions, struct ifr_spike_plan *plan) {
	const size_t each = plan->count * (1 + IFR_SUSPECT_NEIGHBOURS), affordable = each ? runs_so_far / 2 / each : 0;
	plan->from = repetitions;
	plan->runs = affordable < RUNS_LEAST ? 0 : affordable > RUNS_MOST ? RUNS_MOST : (unsigned)affordable;
}

int ifr_spike_plan_make(const struct ifr_dataset *dataset, const char *metric, struct ifr_spike_plan *plan,
                        struct ifr_error *err) {
	struct ifr_analysis choice = {.dataset = dataset}, *analysis;
	struct ifr_sweep_findings found = {0};
	unsigned repetitions = 0;
	*plan = (struct ifr_spike_plan){0};
	int result = ifr_metric_choose(&choice, metric, err);
	if (result || choice.exact || !read_sweeps(dataset, &found.sweeps))
		return result;
	if (ifr_analysis_make_brief(dataset, choice.metric_index, &analysis))
		return 0;
	for (size_t i = 0; i < dataset->run_count; i++)
		if (!dataset->runs[i].simulated && dataset->runs[i].repetition >= repetitions)
			repetitions = dataset->runs[i].repetition + 1;
	found.layouts = ifr_sweeps_layouts(&found.sweeps);
	ifr_sweep_find_cells(analysis, &found);
	choose_suspects(&found, plan);
	if (repetitions >= 2)
		choose_runs(analysis->runs_used, repetitions, plan);
	free(found.cells);
	ifr_analysis_free(analysis);
	return 0;
}

size_t ifr_spike_plan_neighbours(const struct ifr_spike_plan *plan, const struct ifr_sweeps *sweeps,
                                 const double *measured, unsigned suspect, size_t *neighbours) {
	const unsigned layouts = ifr_sweeps_layouts(sweeps);
	bool *excluded = ifr_alloc((layouts + 1) * sizeof *excluded);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->suspects[i] && plan->suspects[i] <= layouts)
			excluded[plan->suspects[i] - 1] = true;
	const size_t found = ifr_spikes_neighbours(measured, layouts, ifr_sweep_levels(&sweeps->items[0]), excluded,
	                                           suspect - 1, IFR_SUSPECT_NEIGHBOURS, neighbours);
	free(excluded);
	return found;
}

void ifr_spike_plan_layouts(const struct ifr_spike_plan *plan, const struct ifr_dataset *dataset, bool *needed) {
	struct ifr_sweeps sweeps;
	if (!read_sweeps(dataset, &sweeps))
		return;
	const unsigned layouts = ifr_sweeps_layouts(&sweeps);
	double *measured = ifr_alloc((layouts + 1) * sizeof *measured);
	for (unsigned i = 0; i < layouts; i++)
		measured[i] = NAN;
	for (size_t i = 0; i < dataset->variant_count; i++) {
		const struct ifr_dataset_variant *variant = &dataset->variants[i];
		if (variant->layout && variant->layout <= layouts && !variant->refused)
			measured[variant->layout - 1] = 0;
	}
	for (size_t i = 0; i < plan->count; i++) {
		size_t neighbours[IFR_SUSPECT_NEIGHBOURS];
		if (!plan->suspects[i] || plan->suspects[i] > layouts)
			continue;
		const size_t found = ifr_spike_plan_neighbours(plan, &sweeps, measured, plan->suspects[i], neighbours);
		needed[plan->suspects[i]] = true;
		for (size_t j = 0; j < found; j++)
			needed[neighbours[j] + 1] = true;
	}
	free(measured);
}

char *ifr_spike_plan_print(const struct ifr_spike_plan *plan) {
	struct ifr_buffer text = {0};
	ifr_buffer_printf(&text, "from=%u runs=%u layouts=", plan->from, plan->runs);
	for (size_t i = 0; i < plan->count; i++)
		ifr_buffer_printf(&text, "%s%u", i ? "," : "", plan->suspects[i]);
	char *made = ifr_strdup(ifr_buffer_text(&text));
	ifr_buffer_release(&text);
	return made;
}

bool ifr_spike_plan_parse(const char *text, struct ifr_spike_plan *plan) {
	int at = 0;
	*plan = (struct ifr_spike_plan){0};
	if (sscanf(text, "from=%9u runs=%9u layouts=%n", &plan->from, &plan->runs, &at) != 2 || !at)
		return false;
	for (text += at; *text && plan->count < IFR_SUSPECTS_MAX; text += *text == ',') {
		if (sscanf(text, "%9u%n", &plan->suspects[plan->count++], &at) != 1)
			return false;
		text += at;
	}
	return !*text;
}

void ifr_spike_plan_read(const struct ifr_dataset *dataset, struct ifr_spike_plan *plan) {
	const char *fact = ifr_dataset_fact(dataset, IFR_SPIKE_PLAN_FACT);
	if (!fact || !ifr_spike_plan_parse(fact, plan) || plan->runs > INT16_MAX)
		*plan = (struct ifr_spike_plan){0};
}
