/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/output/output.h"
#include "harness/store/store.h"

/* The shipped layout is measured beside given ones as often as two of them: all are told apart from it. */
enum { SHIPPED_ENTRIES = 2 };

char *stage_file(const struct stages *stages, const char *name) {
	return ifr_format("%s/%s", stages->search->campaign.file, name);
}

int64_t stages_moment(const struct stages *stages, double share) {
	const int64_t now_ns = ifr_clock_ns();
	return stages->deadline_ns == INT64_MAX ? INT64_MAX
	                                        : now_ns + (int64_t)(share * (double)(stages->deadline_ns - now_ns));
}

bool trial_is_shipped(const struct trial *trial) {
	return !ifr_plan_axes(&trial->candidate.plan) && !trial->candidate.plan.place_count;
}

/* Runs a campaign within a share of the rest of the budget, and reads its experiment. */
static int run_stage(struct stages *stages, const char *name, double share, struct ifr_campaign *campaign,
                     struct ifr_dataset *dataset, struct ifr_error *err) {
	struct ifr_campaign_result done;
	char *base = ifr_format("%s.exp", name), *file = stage_file(stages, base);
	const bool bounded = stages->deadline_ns != INT64_MAX;
	const int64_t left_ns = stages->deadline_ns - ifr_clock_ns();
	campaign->file = file;
	campaign->budget_ns = bounded ? (int64_t)(share * (double)left_ns) : 0;
	if (stages->search->announce)
		stages->search->announce(name);
	struct ifr_error why = {0};
	int result = bounded && left_ns <= 0 ? ifr_fail(&why, IFR_E_USAGE, "no time is left")
	                                     : ifr_campaign_run(campaign, &done, &why);
	if (result && bounded && why.code == IFR_E_USAGE && left_ns < stages->search->campaign.budget_ns)
		ifr_fail(err, IFR_E_USAGE,
		         "the stage \"%s\" does not fit into what is left of the budget (%s): --budget %.0fs may do", name,
		         why.message, ceil(2e-9 * (double)stages->search->campaign.budget_ns));
	else if (result)
		*err = why;
	if (!result)
		stages->interrupted |= done.interrupted;
	if (!result)
		result = ifr_experiment_load(file, dataset, err);
	free(file);
	free(base);
	return result;
}

/* Stores the logarithm of each variant's median, without serial disturbances, in times[variant_count]; NaN for a variant
 * without one. */
static int read_times(const struct stages *stages, const struct ifr_dataset *dataset, double *times,
                      struct ifr_error *err) {
	struct ifr_analysis *analysis = NULL;
	int result = ifr_analysis_make(dataset, stages->search->campaign.metric, &analysis, err);
	for (size_t i = 0; i < dataset->variant_count; i++)
		times[i] = NAN;
	for (size_t i = 0; !result && i < analysis->layout_count; i++)
		times[analysis->layouts[i].variant - dataset->variants] = log(analysis->layouts[i].median);
	ifr_analysis_free(analysis);
	return result;
}

/* --- random layouts ---------------------------------------------------------------------------------------------- */

static int take_trial(struct stages *stages, const struct ifr_dataset *dataset, size_t variant, double time,
                      struct trial *trial, struct ifr_error *err) {
	const struct ifr_dataset_variant *from = &dataset->variants[variant];
	*trial = (struct trial){.time = time};
	ifr_plan_init(&trial->candidate.plan);
	int result =
		*from->plan ? ifr_plan_parse(from->plan, strlen(from->plan), from->name, &trial->candidate.plan, err) : 0;
	return result ? result : candidate_evaluate(&stages->source, &trial->candidate, err);
}

int stage_learn(struct stages *stages, double share, struct trial **trials, size_t *count, struct ifr_error *err) {
	struct ifr_campaign campaign = stages->search->campaign;
	struct ifr_dataset dataset;
	*count = 0;
	int result = run_stage(stages, "random", share, &campaign, &dataset, err);
	if (result)
		return result;
	double *times = ifr_alloc((dataset.variant_count + 1) * sizeof *times);
	*trials = ifr_alloc((dataset.variant_count + 1) * sizeof **trials);
	result = read_times(stages, &dataset, times, err);
	/* Variant 0 is the shipped layout. */
	for (size_t i = 0; i < dataset.variant_count && !result; i++)
		if (isfinite(times[i] - times[0]))
			result = take_trial(stages, &dataset, i, times[i] - times[0], &(*trials)[(*count)++], err);
	free(times);
	ifr_dataset_release(&dataset);
	return result;
}

/* --- given layouts ----------------------------------------------------------------------------------------------- */

/* Makes the variants of trials in a folder of the stage, which stay for later calls. */
static int make_files(struct stages *stages, const char *folder, const struct trial *trials, size_t count,
                      struct ifr_strings *files, struct ifr_error *err) {
	int result = ifr_dir_make(folder, err);
	for (size_t i = 0; i < count && !result; i++) {
		struct ifr_variant made = {0};
		char *name = ifr_format("c%05zu", i);
		struct ifr_plan plan;
		ifr_plan_copy(&plan, &trials[i].candidate.plan);
		snprintf(plan.name, sizeof plan.name, "%s", name);
		result = ifr_builder_write(stages->builder, &plan, folder, true, &made, err);
		ifr_strings_take(files, ifr_format("%s/%s", folder, name));
		ifr_buffer_release(&made.facts);
		ifr_plan_release(&plan);
		free(name);
	}
	return result;
}

static int set_times(const struct stages *stages, const struct ifr_dataset *dataset, struct trial *trials,
                     size_t count, struct ifr_error *err) {
	double shipped = 0, *times = ifr_alloc((dataset->variant_count + 1) * sizeof *times);
	size_t shipped_count = 0;
	int result = read_times(stages, dataset, times, err);
	for (size_t i = 0; i < count; i++)
		trials[i].time = NAN;
	for (size_t i = 0; i < dataset->variant_count && !result; i++)
		if (dataset->variants[i].layout > count && isfinite(times[i])) {
			shipped += times[i];
			shipped_count++;
		}
	for (size_t i = 0; i < dataset->variant_count && shipped_count; i++)
		if (dataset->variants[i].layout && dataset->variants[i].layout <= count)
			trials[dataset->variants[i].layout - 1].time = times[i] - shipped / (double)shipped_count;
	free(times);
	return result;
}

int stage_measure(struct stages *stages, const char *name, unsigned repetitions, double share,
                  struct trial *trials, size_t count, struct ifr_error *err) {
	struct ifr_campaign campaign = stages->search->campaign;
	struct ifr_strings files = {0};
	struct ifr_dataset dataset;
	char *folder = stage_file(stages, name);
	int result = make_files(stages, folder, trials, count, &files, err);
	for (int i = 0; i < SHIPPED_ENTRIES; i++)
		ifr_strings_add(&files, stages->search->campaign.programs->path);
	const struct ifr_campaign_program program = {.path = stages->search->campaign.programs->path, .files = &files};
	campaign.programs = &program;
	campaign.variants = (unsigned)files.count;
	campaign.repetitions = repetitions;
	campaign.generator.axes = 0;
	campaign.no_profile = true;
	if (!result)
		result = run_stage(stages, name, share, &campaign, &dataset, err);
	if (!result) {
		result = set_times(stages, &dataset, trials, count, err);
		ifr_dataset_release(&dataset);
	}
	ifr_strings_release(&files);
	free(folder);
	return result;
}

/* --- the confirmation -------------------------------------------------------------------------------------------- */

static int compare(struct stages *stages, const struct ifr_dataset *dataset, struct ifr_confirmed *confirmed,
                   struct ifr_error *err) {
	static const struct ifr_comparison_rules rules = {.margin = 0.01, .fail_above = 1000};
	const struct ifr_comparison_side shipped = {dataset, 0, "shipped"}, best = {dataset, 1, "best"};
	struct ifr_comparison *c = &confirmed->comparison;
	int result = ifr_comparison_make(&shipped, &best, stages->search->campaign.metric, &rules, c, err);
	const bool changed = !result && (c->verdict == IFR_VERDICT_CHANGE || c->verdict == IFR_VERDICT_BOTH);
	confirmed->faster = changed && c->interval.high < 1;
	confirmed->slower = changed && c->interval.low > 1;
	/* The dataset's strings go with it. */
	if (!result)
		confirmed->metric = ifr_strdup(c->metric.name);
	c->metric = (struct ifr_dataset_counter){0};
	memset(c->side, 0, sizeof c->side);
	return result;
}

/* The words of a run: the search's, or others behind the program's name. */
static int list_words(const struct stages *stages, const struct ifr_confirmed *confirmed,
                      struct ifr_strings *words, struct ifr_error *err) {
	char *const *argv = stages->search->campaign.argv;
	ifr_strings_add(words, argv[0]);
	if (confirmed->arguments)
		return ifr_unquote_shell(confirmed->arguments, words)
		           ? 0
		           : ifr_fail(err, IFR_E_USAGE, "a quote stays open in \"%s\"", confirmed->arguments);
	for (int i = 1; argv[i]; i++)
		ifr_strings_add(words, argv[i]);
	return 0;
}

/* The shipped file and the best layout's, as many of each as there are stack positions. */
static int list_files(struct stages *stages, const struct candidate *best, struct ifr_strings files[2],
                      struct ifr_error *err) {
	const struct trial trial = {.candidate = *best};
	struct ifr_strings made = {0};
	char *folder = stage_file(stages, "best");
	int result = make_files(stages, folder, &trial, 1, &made, err);
	for (unsigned i = 0; i < stages->search->contexts && !result; i++) {
		ifr_strings_add(&files[0], stages->search->campaign.programs->path);
		ifr_strings_add(&files[1], made.items[0]);
	}
	ifr_strings_release(&made);
	free(folder);
	return result;
}

int stage_confirm(struct stages *stages, const char *name, double share, const struct candidate *best,
                  struct ifr_confirmed *confirmed, struct ifr_error *err) {
	struct ifr_campaign campaign = stages->search->campaign;
	struct ifr_strings files[2] = {{0}}, words = {0};
	struct ifr_dataset dataset;
	int result = list_words(stages, confirmed, &words, err);
	if (!result)
		result = list_files(stages, best, files, err);
	const struct ifr_campaign_program sides[2] = {
		{.path = stages->search->campaign.programs->path, .files = &files[0]},
		{.path = stages->search->campaign.programs->path, .files = &files[1]}};
	campaign.programs = sides;
	campaign.program_count = 2;
	campaign.argv = words.items;
	campaign.variants = stages->search->contexts;
	campaign.generator.axes = 1u << IFR_AXIS_STACK;
	campaign.files_in_contexts = true;
	campaign.no_profile = true;
	if (!result)
		result = run_stage(stages, name, share, &campaign, &dataset, err);
	if (!result) {
		result = compare(stages, &dataset, confirmed, err);
		ifr_dataset_release(&dataset);
	}
	ifr_strings_release(&files[0]);
	ifr_strings_release(&files[1]);
	ifr_strings_release(&words);
	return result;
}
