/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes beside order, padding and base of the code: data, and compile-time sites where the kit has templates or
 * sources. Features do not know what they change. So the best layout runs with one more axis at a time, and the clock
 * alone judges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "harness/optimize/search.h"

/* The layouts to try of an axis: so many seeds, for all code or for each of the most executed functions. */
struct variation {
	enum ifr_axis axis;
	unsigned seeds, functions; /* functions 0: all code or data */
};
static const struct variation variations[] = {{IFR_AXIS_DATA, 3, 0},       {IFR_AXIS_NOPS, 2, 2},
                                              {IFR_AXIS_UNIT_ORDER, 1, 0}, {IFR_AXIS_GLOBALS, 2, 0},
                                              {IFR_AXIS_FRAMES, 1, 1},     {IFR_AXIS_ALIAS_CHECK, 1, 1}};
enum { VARIATIONS = sizeof variations / sizeof *variations, FUNCTIONS_MOST = 2, TRIALS_MOST = 24 };

/* Parts of the rest of the budget: for one compilation of all units, for making the layouts, and for the runs. */
static const double compiling_share = 0.05, making_share = 0.15, axes_share = 0.25;

struct trying {
	struct search *search;
	const struct candidate *best;
	const char *symbols[FUNCTIONS_MOST];
	size_t symbol_count;
	struct trial trials[TRIALS_MOST];
	size_t count;
};

/* Whether the kit gives variants under an axis, and the budget has time for its compilations. */
static bool is_possible(struct search *search, enum ifr_axis axis) {
	struct ifr_builder *builder = search->stages.builder;
	struct ifr_error ignored = {0};
	if (axis == IFR_AXIS_DATA) {
		struct ifr_relinker_info info;
		ifr_relinker_describe(ifr_builder_relinker(builder), &info);
		return info.data_movable;
	}
	if (ifr_builder_check(builder, 1u << axis, &ignored))
		return false;
	if (!ifr_axes_recompile(1u << axis))
		return true;
	struct ifr_rebuild_trial trial = {0};
	const int64_t deadline_ns = stages_moment(&search->stages, compiling_share);
	return !ifr_builder_try_recipes(builder, 1u << axis, deadline_ns, &trial, &ignored) && !trial.left;
}

/* Adds the best layout with an axis of the search's own seed, for one function or (NULL) for all. */
static void add_trial(struct trying *trying, enum ifr_axis axis, unsigned number, const char *function) {
	const struct ifr_layout_generator *generator = trying->search->stages.source.generator;
	const struct ifr_axis_setting *parameters = &generator->parameters.axis[axis];
	struct trial *trial = &trying->trials[trying->count];
	if (trying->count == TRIALS_MOST || trying->best->plan.axis[axis].on)
		return;
	*trial = (struct trial){.candidate = *trying->best};
	trial->candidate.origin = CANDIDATE_VARIED;
	trial->candidate.inexact = true;
	ifr_plan_copy(&trial->candidate.plan, &trying->best->plan);
	struct ifr_axis_setting *setting = &trial->candidate.plan.axis[axis];
	memcpy(setting->value, parameters->value, sizeof setting->value);
	memcpy(setting->given, parameters->given, sizeof setting->given);
	ifr_plan_enable(&trial->candidate.plan, axis, ifr_plan_seed(generator->seed, axis, number));
	const char *only = parameters->only ? parameters->only : function;
	free(setting->only);
	free(setting->except);
	setting->only = only ? ifr_strdup(only) : NULL;
	setting->except = parameters->except ? ifr_strdup(parameters->except) : NULL;
	trying->count++;
}

static void add_variation(struct trying *trying, const struct variation *variation) {
	const size_t functions =
		variation->functions < trying->symbol_count ? variation->functions : trying->symbol_count;
	for (unsigned seed = 1; seed <= variation->seeds; seed++) {
		if (!variation->functions)
			add_trial(trying, variation->axis, seed, NULL);
		for (size_t i = 0; i < functions; i++)
			add_trial(trying, variation->axis, seed, trying->symbols[i]);
	}
}

/* The number of layouts that the budget has time to make, by the last one, which costs most. */
static size_t count_affordable(struct trying *trying) {
	struct stages *stages = &trying->search->stages;
	struct ifr_variant made = {0};
	struct ifr_error ignored = {0};
	if (stages->deadline_ns == INT64_MAX || !trying->count)
		return trying->count;
	char *path = stage_file(stages, "axes.trial");
	const int64_t begun_ns = ifr_clock_ns();
	const int result = ifr_builder_make(stages->builder, &trying->trials[trying->count - 1].candidate.plan, path,
	                                    &made, &ignored);
	const double each_ns = (double)(ifr_clock_ns() - begun_ns),
				 share_ns = making_share * (double)(stages->deadline_ns - ifr_clock_ns());
	const size_t affordable = result || share_ns < each_ns ? 0 : (size_t)(share_ns / each_ns);
	unlink(path);
	ifr_buffer_release(&made.facts);
	free(path);
	return affordable < trying->count ? affordable : trying->count;
}

/* Keeps the first trials, so many at most, and notes their axes. */
static void keep_trials(struct trying *trying, size_t most) {
	while (trying->count > most)
		candidate_release(&trying->trials[--trying->count].candidate);
	for (size_t i = 0; i < trying->count; i++)
		for (size_t v = 0; v < VARIATIONS; v++) {
			const enum ifr_axis axis = variations[v].axis;
			if (trying->trials[i].candidate.plan.axis[axis].on && !trying->best->plan.axis[axis].on)
				trying->search->optimum->axes_tried |= 1u << axis;
		}
}

int search_try_axes(struct search *search, struct ifr_error *err) {
	struct trying trying = {.search = search};
	const struct trial *best;
	int result = search_fit(search, true, err);
	if (result || !search_best_trials(search, 1, &best))
		return result;
	trying.best = &best->candidate;
	trying.symbol_count = search_list_symbols(&search->code, trying.symbols, FUNCTIONS_MOST);
	for (size_t i = 0; i < VARIATIONS; i++) {
		const enum ifr_axis axis = variations[i].axis;
		if (search->stages.search->axes & 1u << axis && is_possible(search, axis))
			add_variation(&trying, &variations[i]);
	}
	keep_trials(&trying, count_affordable(&trying));
	if (trying.count)
		result = stage_measure(&search->stages, "axes", search->stages.search->campaign.repetitions, axes_share,
		                       trying.trials, trying.count, err);
	search_add_trials(search, trying.trials, trying.count);
	return result;
}
