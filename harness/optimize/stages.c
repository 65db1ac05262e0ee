/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/random.h"
#include "harness/exec/exec.h"
#include "harness/store/store.h"

/* The runs of a layout in a stage last so long together at least, by more of them where they are short; and those in all
 * contexts of a confirmation. */
static const int64_t least_ns = INT64_C(100000000), least_in_contexts_ns = INT64_C(2000000000);

/* Programs that measure themselves need no long runs. parts: of a layout's runs, which have their repetitions each. */
static void raise_short_runs(struct ifr_campaign *campaign, int64_t least, unsigned parts) {
	if (parts && !campaign->metrics && !campaign->spread)
		campaign->least_ns = least / parts;
}

/* A budget that a refusal names is so many times the given one: at least, and where nothing tells how many. */
static const double least_longer = 1.2, unknown_longer = 2;

/* The shipped layout is measured beside given ones as often as two of them: all are told apart from it. */
enum { SHIPPED_ENTRIES = 2 };

char *stage_name(const char *stage, const struct ifr_optimization_workload *workload) {
	return workload->name ? ifr_format("%s-%s", stage, workload->name) : ifr_strdup(stage);
}

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

/* The end of the next of some parts of the time until end_ns. */
static int64_t end_of_part(int64_t end_ns, size_t parts) {
	const int64_t now_ns = ifr_clock_ns();
	return end_ns == INT64_MAX ? INT64_MAX : now_ns + (end_ns - now_ns) / (int64_t)parts;
}

int stages_refuse(struct stages *stages, const char *step, int64_t needed_ns, int64_t left_ns, const char *why,
                  struct ifr_error *err) {
	const double longer =
		left_ns > 0 && needed_ns > 0 ? fmax((double)needed_ns / (double)left_ns, least_longer) : unknown_longer;
	stages->no_time = true;
	return ifr_fail(
		err, IFR_E_USAGE,
		"the budget is too short for the step \"%s\": %s, and %.2g s of the budget are left for it. The same "
		"command with --budget %.0fs goes on from here",
		step, why, 1e-9 * (double)(left_ns > 0 ? left_ns : 0),
		ceil(longer * 1e-9 * (double)stages->search->campaign.budget_ns));
}

int stage_skip(struct stages *stages, const char *name, int result, struct ifr_error *err) {
	if (!result || !stages->no_time)
		return result;
	stages->no_time = false;
	ifr_strings_add(&stages->skipped, name);
	*err = (struct ifr_error){0};
	return 0;
}

static int refuse_stage(struct stages *stages, const char *name, const struct ifr_campaign_result *done,
                        int64_t left_ns, struct ifr_error *err) {
	char *why = done->two_layouts_s ? ifr_format("one run takes %.2g s, so that it needs %" PRId64 " s",
	                                             1e-9 * (double)done->run_ns, done->two_layouts_s)
	                                : ifr_strdup("it has not begun");
	const int result = stages_refuse(stages, name, done->two_layouts_s * INT64_C(1000000000), left_ns, why, err);
	free(why);
	return result;
}

/* The layouts of a stage as text; the caller releases it. */
static struct ifr_buffer describe_layouts(const struct ifr_plan *const *plans, size_t count) {
	struct ifr_buffer text = {0};
	for (size_t i = 0; i < count; i++)
		if (plans[i])
			ifr_plan_print(plans[i], &text);
		else
			ifr_buffer_puts(&text, "shipped\n");
	return text;
}

/* Chosen layouts follow from the runs of earlier stages: where these have more runs now than when a short budget ended
 * the search, the layouts are others, and the experiment of the earlier ones is set aside. The text of its layouts lies
 * beside it. */
static int keep_if_same(const char *file, const struct ifr_buffer *layouts, struct ifr_error *err) {
	char *path = ifr_format("%s.layouts", file);
	struct ifr_buffer known = {0};
	int result = 0;
	const bool same = ifr_file_exists(path) && !ifr_file_read(path, 0, &known, NULL) &&
	                  known.length == layouts->length && !memcmp(known.data, layouts->data, known.length);
	if (!same && ifr_file_exists(file))
		result = ifr_campaign_set_aside(file, err);
	if (!same && !result)
		result = ifr_file_write(path, layouts->data, layouts->length, 0644, err);
	ifr_buffer_release(&known);
	free(path);
	return result;
}

/* Runs a campaign of a workload until a moment, and reads its experiment. The campaign takes its file and the
 * experiment's seed. layouts: the text of those that were chosen; NULL for random ones. */
static int run_stage(struct stages *stages, const char *stage, const struct ifr_optimization_workload *workload,
                     const struct ifr_buffer *layouts, int64_t until_ns, struct ifr_campaign *campaign,
                     struct ifr_dataset *dataset, struct ifr_error *err) {
	struct ifr_campaign_result done = {0};
	char *name = stage_name(stage, workload), *base = ifr_format("%s.exp", name), *file = stage_file(stages, base);
	const bool bounded = until_ns != INT64_MAX;
	const int64_t left_ns = bounded ? until_ns - ifr_clock_ns() : INT64_MAX;
	const bool late = left_ns <= 0;
	campaign->file = file;
	campaign->argv = workload->argv;
	campaign->budget_ns = bounded ? left_ns : 0;
	/* The budget of a stage is not the one that the user gave. */
	if (bounded)
		campaign->say = NULL;
	stages->no_time = false;
	if (stages->search->announce)
		stages->search->announce(name);
	int result = layouts ? keep_if_same(file, layouts, err) : 0;
	const bool kept = !result;
	if (kept && !late)
		result = ifr_campaign_run(campaign, &done, err);
	if (kept && (late || done.budget_ended))
		result = refuse_stage(stages, name, &done, left_ns, err);
	if (!result) {
		stages->interrupted |= done.interrupted;
		campaign->generator.seed = done.seed;
		campaign->seed_given = true;
		result = ifr_experiment_load(file, dataset, err);
	}
	/* A stage that was interrupted goes on without the twins that it had not made. */
	for (size_t i = 0; !result && i < dataset->run_count; i++)
		stages->runs += !dataset->runs[i].twin;
	campaign->file = NULL;
	free(file);
	free(base);
	free(name);
	return result;
}

/* The logarithm of a median, and its variance from runs. NaN: unknown. */
struct measured {
	double time, noise;
};

/* Relative to the layout's median. */
static double noise_of(const struct ifr_analysis *analysis, const struct ifr_layout *layout) {
	const struct ifr_components *c = &analysis->components;
	return analysis->no_components.code || !c->noise_known
	           ? NAN
	           : c->ms_within * ifr_median_variance(layout->count) / (layout->median * layout->median);
}

/* Stores each variant's median, without serial disturbances, in times[variant_count]. */
static int read_times(const struct stages *stages, const struct ifr_dataset *dataset, struct measured *times,
                      struct ifr_error *err) {
	struct ifr_analysis *analysis = NULL;
	int result = ifr_analysis_make(dataset, stages->search->campaign.metric, &analysis, err);
	for (size_t i = 0; i < dataset->variant_count; i++)
		times[i] = (struct measured){NAN, NAN};
	for (size_t i = 0; !result && i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		times[layout->variant - dataset->variants] =
			(struct measured){log(layout->median), noise_of(analysis, layout)};
	}
	ifr_analysis_free(analysis);
	return result;
}

/* Adds a workload's times, relative to the shipped layout's, to the weighted means by layout. A layout without a time has
 * none in the mean. */
static void add_times(const struct ifr_dataset *dataset, const struct measured *times, double shipped,
                      double weight, struct measured *means, size_t layouts) {
	struct measured *of_layout = ifr_alloc((layouts + 1) * sizeof *of_layout);
	for (size_t i = 0; i < layouts; i++)
		of_layout[i] = (struct measured){NAN, NAN};
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].layout < layouts)
			of_layout[dataset->variants[i].layout] = times[i];
	for (size_t i = 0; i < layouts; i++) {
		means[i].time += weight * (of_layout[i].time - shipped);
		means[i].noise += weight * weight * of_layout[i].noise;
	}
	free(of_layout);
}

/* --- random layouts ---------------------------------------------------------------------------------------------- */

static int take_trial(struct stages *stages, const struct ifr_dataset *dataset, size_t variant,
                      struct measured measured, struct trial *trial, struct ifr_error *err) {
	const struct ifr_dataset_variant *from = &dataset->variants[variant];
	*trial = (struct trial){.time = measured.time, .noise = measured.noise};
	ifr_plan_init(&trial->candidate.plan);
	int result =
		*from->plan ? ifr_plan_parse(from->plan, strlen(from->plan), from->name, &trial->candidate.plan, err) : 0;
	return result ? result : candidate_evaluate(&stages->source, &trial->candidate, err);
}

/* Runs the random layouts in one workload. */
static int learn_workload(struct stages *stages, size_t index, int64_t until_ns, struct ifr_campaign *campaign,
                          struct ifr_dataset *dataset, struct measured *means, struct ifr_error *err) {
	const struct ifr_optimization_workload *workload = &stages->search->workloads[index];
	int result = run_stage(stages, "random", workload, NULL, until_ns, campaign, dataset, err);
	if (result)
		return result;
	struct measured *times = ifr_alloc((dataset->variant_count + 1) * sizeof *times);
	result = read_times(stages, dataset, times, err);
	/* Variant 0 is the shipped layout. */
	if (!result)
		add_times(dataset, times, times[0].time, workload->weight, means,
		          (size_t)stages->search->campaign.variants + 1);
	free(times);
	return result;
}

int stage_learn(struct stages *stages, double share, struct trial **trials, size_t *count, struct ifr_error *err) {
	struct ifr_campaign campaign = stages->search->campaign;
	const size_t workloads = stages->search->workload_count, layouts = (size_t)campaign.variants + 1;
	const int64_t end_ns = stages_moment(stages, share);
	struct ifr_dataset dataset;
	struct measured *means = ifr_alloc(layouts * sizeof *means);
	int result = 0;
	raise_short_runs(&campaign, least_ns, 1);
	ifr_dataset_init(&dataset);
	*count = 0;
	*trials = ifr_alloc(layouts * sizeof **trials);
	for (size_t i = 0; i < workloads && !result && !stages->interrupted; i++) {
		ifr_dataset_release(&dataset);
		ifr_dataset_init(&dataset);
		result = learn_workload(stages, i, end_of_part(end_ns, workloads - i), &campaign, &dataset, means, err);
	}
	/* All workloads have the same layouts. */
	for (size_t i = 0; i < dataset.variant_count && !result; i++) {
		const unsigned layout = dataset.variants[i].layout;
		if (layout < layouts && isfinite(means[layout].time))
			result = take_trial(stages, &dataset, i, means[layout], &(*trials)[(*count)++], err);
	}
	ifr_dataset_release(&dataset);
	free(means);
	return result;
}

/* --- given layouts ----------------------------------------------------------------------------------------------- */

/* Makes the variants of plans in a folder of the search, which stay for later calls; the file of no plan is the
 * shipped one. */
static int make_files(struct stages *stages, const char *name, const struct ifr_plan *const *plans, size_t count,
                      struct ifr_strings *files, struct ifr_error *err) {
	char *folder = stage_file(stages, name);
	int result = ifr_dir_make(folder, err);
	for (size_t i = 0; i < count && !result; i++) {
		struct ifr_variant made = {0};
		struct ifr_plan plan;
		if (!plans[i]) {
			ifr_strings_add(files, stages->search->campaign.programs->path);
			continue;
		}
		ifr_plan_copy(&plan, plans[i]);
		snprintf(plan.name, sizeof plan.name, "c%05zu", i);
		result = ifr_builder_write(stages->builder, &plan, folder, true, &made, err);
		ifr_strings_take(files, ifr_format("%s/%s", folder, plan.name));
		ifr_buffer_release(&made.facts);
		ifr_plan_release(&plan);
	}
	free(folder);
	return result;
}

/* The mean time of the shipped layout, which has the last numbers. */
static double shipped_time(const struct ifr_dataset *dataset, const struct measured *times, size_t count) {
	double sum = 0;
	size_t found = 0;
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].layout > count && isfinite(times[i].time)) {
			sum += times[i].time;
			found++;
		}
	return sum / (double)found;
}

static int measure_workload(struct stages *stages, const char *name, size_t index,
                            const struct ifr_buffer *layouts, int64_t until_ns, struct ifr_campaign *campaign,
                            struct measured *means, size_t count, struct ifr_error *err) {
	const struct ifr_optimization_workload *workload = &stages->search->workloads[index];
	struct ifr_dataset dataset;
	int result = run_stage(stages, name, workload, layouts, until_ns, campaign, &dataset, err);
	if (result)
		return result;
	struct measured *times = ifr_alloc((dataset.variant_count + 1) * sizeof *times);
	result = read_times(stages, &dataset, times, err);
	if (!result)
		add_times(&dataset, times, shipped_time(&dataset, times, count), workload->weight, means, count + 1);
	free(times);
	ifr_dataset_release(&dataset);
	return result;
}

int stage_measure(struct stages *stages, const char *name, unsigned repetitions, double share,
                  struct trial *trials, size_t count, struct ifr_error *err) {
	struct ifr_campaign campaign = stages->search->campaign;
	const size_t workloads = stages->search->workload_count;
	const int64_t end_ns = stages_moment(stages, share);
	const struct ifr_plan **plans = ifr_alloc((count + SHIPPED_ENTRIES) * sizeof *plans);
	struct measured *means = ifr_alloc((count + 1) * sizeof *means);
	struct ifr_strings files = {0};
	for (size_t i = 0; i < count; i++)
		plans[i] = &trials[i].candidate.plan;
	struct ifr_buffer layouts = describe_layouts(plans, count + SHIPPED_ENTRIES);
	int result = make_files(stages, name, plans, count + SHIPPED_ENTRIES, &files, err);
	const struct ifr_campaign_program program = {.path = stages->search->campaign.programs->path, .files = &files};
	campaign.programs = &program;
	campaign.variants = (unsigned)files.count;
	campaign.repetitions = repetitions;
	raise_short_runs(&campaign, least_ns, 1);
	campaign.generator.axes = 0;
	campaign.no_profile = true;
	for (size_t i = 0; i < workloads && !result && !stages->interrupted; i++)
		result = measure_workload(stages, name, i, &layouts, end_of_part(end_ns, workloads - i), &campaign, means,
		                          count, err);
	for (size_t i = 0; i < count; i++) {
		trials[i].time = result ? NAN : means[i + 1].time;
		trials[i].noise = result ? NAN : means[i + 1].noise;
	}
	ifr_strings_release(&files);
	ifr_buffer_release(&layouts);
	free(means);
	free(plans);
	return result;
}

/* --- contexts ---------------------------------------------------------------------------------------------------- */

unsigned stage_context_axes(const struct stages *stages) {
	const struct ifr_optimization *search = stages->search;
	const bool heap = search->goal != IFR_GOAL_MEAN && ifr_loads_libraries(search->campaign.programs->path);
	return 1u << IFR_AXIS_STACK | (heap ? 1u << IFR_AXIS_HEAP : 0);
}

/* Other contexts for each stage, so that none chooses what another confirms. */
static uint64_t context_seed(const struct stages *stages, const char *name) {
	const struct ifr_random_key key = ifr_random_key_of(stages->search->campaign.generator.seed, "contexts");
	return ifr_random_named(key, name) & UINT32_MAX;
}

int stage_run_in_contexts(struct stages *stages, const struct contexts_request *request,
                          struct ifr_dataset *dataset, struct ifr_error *err) {
	struct ifr_campaign campaign = stages->search->campaign;
	const unsigned contexts = stages->search->contexts;
	struct ifr_strings made = {0}, *files = ifr_alloc(request->count * sizeof *files);
	struct ifr_campaign_program *sides = ifr_alloc(request->count * sizeof *sides);
	char *name = stage_name(request->name, request->workload);
	struct ifr_buffer layouts = describe_layouts(request->plans, request->count);
	int result = make_files(stages, request->folder, request->plans, request->count, &made, err);
	for (size_t i = 0; i < request->count && !result; i++) {
		sides[i] = (struct ifr_campaign_program){.path = campaign.programs->path, .files = &files[i]};
		for (unsigned c = 0; c < contexts; c++)
			ifr_strings_add(&files[i], made.items[i]);
	}
	campaign.programs = sides;
	campaign.program_count = (unsigned)request->count;
	campaign.variants = contexts;
	campaign.generator.axes = stage_context_axes(stages);
	campaign.generator.seed = context_seed(stages, name);
	campaign.files_in_contexts = true;
	if (request->repetitions)
		campaign.repetitions = request->repetitions;
	raise_short_runs(&campaign, request->repetitions ? least_ns : least_in_contexts_ns, contexts);
	campaign.no_profile = true;
	if (!result)
		result = run_stage(stages, request->name, request->workload, &layouts,
		                   stages_moment(stages, request->share), &campaign, dataset, err);
	for (size_t i = 0; i < request->count; i++)
		ifr_strings_release(&files[i]);
	ifr_strings_release(&made);
	ifr_buffer_release(&layouts);
	free(files);
	free(sides);
	free(name);
	return result;
}
