/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/optimize/search.h"

/* Parts of the budget: random layouts, of what the recording leaves; finalists and confirmation, of the whole. */
static const double random_share = 0.5, reserved_share = 0.3;
/* Random layouts that the surrogate is fitted to, at least. */
enum { LAYOUTS_LEAST = 6 };

const char *const ifr_goal_names[] = {"mean", "worst", "robust", NULL};

static void find_fastest_random(struct search *search) {
	search->optimum->fastest_random = INFINITY;
	for (size_t i = 0; i < search->count; i++)
		if (!trial_is_shipped(&search->trials[i]))
			search->optimum->fastest_random = fmin(search->optimum->fastest_random, exp(search->trials[i].time));
}

/* Whether a stage may begin: it leaves what is reserved for finalists and confirmation. Else it is skipped, and so are
 * those behind it. */
static bool may_begin(struct stages *stages, const char *name) {
	const double reserved_ns = reserved_share * (double)stages->search->campaign.budget_ns;
	if (stages->interrupted)
		return false;
	const bool begins =
		stages->deadline_ns == INT64_MAX ||
		(!stages->skipped.count && (double)(stages->deadline_ns - ifr_clock_ns()) > 1.5 * reserved_ns);
	if (!begins)
		ifr_strings_add(&stages->skipped, name);
	return begins;
}

size_t search_best_trials(const struct search *search, size_t most, const struct trial **best) {
	bool *taken = ifr_alloc(search->count + 1);
	size_t count = 0, inexact = 0;
	const size_t inexact_most = (most + 3) / 4;
	while (count < most) {
		const struct trial *least = NULL;
		for (size_t i = 0; i < search->count; i++) {
			const struct trial *trial = &search->trials[i];
			if (trial->candidate.inexact && inexact == inexact_most)
				continue;
			if (!taken[i] && isfinite(trial->time) && !trial_is_shipped(trial) &&
			    (!least || search_shrunk_time(search, trial) < search_shrunk_time(search, least)))
				least = trial;
		}
		if (!least)
			break;
		taken[least - search->trials] = true;
		inexact += least->candidate.inexact;
		best[count++] = least;
	}
	free(taken);
	return count;
}

int search_attribute(struct search *search, struct ifr_error *err) {
	const struct ifr_optimization *plan = search->stages.search;
	int result = 0;
	for (size_t i = 0; i < plan->workload_count && !result; i++) {
		struct ifr_dataset dataset;
		char *name = stage_name("random", &plan->workloads[i]), *base = ifr_format("%s.exp", name),
			 *file = stage_file(&search->stages, base);
		result = ifr_experiment_load(file, &dataset, err);
		if (!result) {
			result = blamed_add(&search->stages.source, &dataset, plan->campaign.metric, &search->blamed, err);
			ifr_dataset_release(&dataset);
		}
		free(file);
		free(base);
		free(name);
	}
	return result;
}

/* Measures the random layouts. Of fewer than a search asks for, the budget is to be longer. */
static int learn(struct search *search, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	const int64_t until_ns = stages_moment(stages, random_share), begun_ns = ifr_clock_ns();
	int result = stage_learn(stages, random_share, &search->trials, &search->count, err);
	if (result)
		return result;
	find_fastest_random(search);
	if (until_ns == INT64_MAX || stages->interrupted || search->count > LAYOUTS_LEAST)
		return 0;
	const int64_t left_ns = until_ns - begun_ns;
	char *why =
		ifr_format("%zu of its layouts could be compared with the shipped one, and a search begins with %d",
	               search->count ? search->count - 1 : 0, LAYOUTS_LEAST);
	result = stages_refuse(stages, "random", left_ns * (LAYOUTS_LEAST + 1) / (int64_t)(search->count + 1), left_ns,
	                       why, err);
	free(why);
	return result;
}

static int run_round(struct search *search, unsigned round, struct ifr_error *err) {
	char *name = ifr_format("round-%u", round + 1);
	const int result = may_begin(&search->stages, name)
	                       ? stage_skip(&search->stages, name, search_run_round(search, round, err), err)
	                       : 0;
	free(name);
	return result;
}

static int run_stages(struct search *search, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	int result = search_read_code(search, err);
	stages->source.code = &search->code;
	if (!result)
		result = learn(search, err);
	search->learned = search->count;
	if (!result && !stages->interrupted && stages->search->rounds)
		result = search_attribute(search, err);
	for (unsigned i = 0; i < stages->search->rounds && !result; i++)
		result = run_round(search, i, err);
	if (!result && may_begin(stages, "aligned"))
		result = stage_skip(stages, "aligned", search_align_loops(search, err), err);
	if (!result && may_begin(stages, "axes"))
		result = stage_skip(stages, "axes", search_try_axes(search, err), err);
	if (!result && !stages->interrupted)
		result = search_run_final(search, err);
	for (size_t i = 0; i < search->count; i++)
		search->optimum->measured += isfinite(search->trials[i].time) && !trial_is_shipped(&search->trials[i]);
	search->optimum->predicted += search->drawn_count;
	search_name_features(search);
	return result;
}

/* Stages of given layouts have no kit, by which the model would lay them out. */
static bool asks_for_model(const char *counters) {
	struct ifr_strings names = {0};
	ifr_strings_split(&names, counters ? counters : "", ",");
	const bool asks = ifr_strings_contain(&names, "model") || ifr_strings_contain(&names, "auto");
	ifr_strings_release(&names);
	return asks;
}

static int check_request(const struct ifr_optimization *search, struct ifr_error *err) {
	const unsigned others = search->campaign.generator.axes & ~ifr_axes_of(IFR_OWNER_RELINKER);
	if (!search->campaign.programs->kit)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s has no kit, so that its code cannot be moved: build it with CC=interfero-gcc",
		                search->campaign.programs->path);
	if (asks_for_model(search->campaign.counters))
		return ifr_fail(
			err, IFR_E_USAGE,
			"a search measures by the clock or by perf, and its features are the model's part: leave model and auto "
			"out of --counters");
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (others & 1u << i)
			return ifr_fail(err, IFR_E_USAGE,
			                "a search moves what the relinker can, and %s is not of it: leave it out of --axes",
			                ifr_axes[i].name);
	return search->campaign.generator.axes
	           ? 0
	           : ifr_fail(err, IFR_E_USAGE,
	                      "a search needs an axis that moves code, such as functions: name one in --axes");
}

int search_open(struct search *search, const struct ifr_optimization *plan, struct ifr_optimum *optimum,
                struct ifr_error *err) {
	const int64_t budget_ns = plan->campaign.budget_ns;
	*search = (struct search){.stages = {.search = plan,
	                                     .source = {.generator = &plan->campaign.generator},
	                                     .deadline_ns = budget_ns ? ifr_clock_ns() + budget_ns : INT64_MAX},
	                          .optimum = optimum};
	*optimum =
		(struct ifr_optimum){.r = NAN, .best = NAN, .fastest_random = NAN, .ratio = NAN, .goal = plan->goal};
	int result = check_request(plan, err);
	if (result)
		return result;
	search->stages.source.kit_key = plan->campaign.programs->kit->key;
	result = ifr_dir_make(plan->campaign.file, err);
	if (!result)
		result = ifr_builder_open(plan->campaign.programs->kit, &search->stages.builder, err);
	if (!result)
		search->stages.source.relinker = ifr_builder_relinker(search->stages.builder);
	return result;
}

void search_close(struct search *search) {
	search->optimum->interrupted = search->stages.interrupted;
	ifr_strings_add_all(&search->optimum->skipped, &search->stages.skipped);
	for (size_t i = 0; i < search->count; i++)
		candidate_release(&search->trials[i].candidate);
	free(search->trials);
	free(search->drawn);
	blamed_release(&search->blamed);
	if (search->fitted)
		surrogate_release(&search->surrogate);
	hot_code_release(&search->code);
	ifr_strings_release(&search->stages.skipped);
	ifr_builder_close(search->stages.builder);
}

int ifr_optimize(const struct ifr_optimization *plan, struct ifr_optimum *optimum, struct ifr_error *err) {
	struct search search;
	int result = search_open(&search, plan, optimum, err);
	if (!result)
		result = run_stages(&search, err);
	search_close(&search);
	return result;
}

void ifr_optimum_release(struct ifr_optimum *optimum) {
	for (int i = 0; i < IFR_OPTIMUM_FEATURES; i++)
		free(optimum->feature[i].name);
	for (size_t i = 0; i < optimum->confirmed_count; i++) {
		free(optimum->confirmed[i].name);
		free(optimum->confirmed[i].arguments);
		free(optimum->confirmed[i].metric);
		confirmed_release_kinds(&optimum->confirmed[i]);
	}
	ifr_strings_release(&optimum->skipped);
	free(optimum->worst_processor);
	free(optimum->confirmed);
	free(optimum->again.skipped);
	free(optimum->edit.what);
	free(optimum->edit.skipped);
	for (size_t i = 0; i < optimum->machine_count; i++) {
		free(optimum->machines[i].what);
		free(optimum->machines[i].skipped);
	}
	free(optimum->machines);
	free(optimum->plan_file);
	free(optimum->order_file);
	free(optimum->sections_file);
	*optimum = (struct ifr_optimum){0};
}
