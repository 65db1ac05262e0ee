/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/optimize/search.h"
#include "harness/output/output.h"

/* processor: NULL for all runs. */
static int compare_on(const struct stages *stages, const struct ifr_dataset *dataset, unsigned side,
                      const char *processor, struct ifr_comparison *comparison, struct ifr_error *err) {
	static const struct ifr_comparison_rules rules = {.margin = 0.01, .fail_above = 1000};
	const struct ifr_comparison_side shipped = {dataset, 0, "shipped", processor},
									 best = {dataset, side, "best", processor};
	return ifr_comparison_make(&shipped, &best, stages->search->campaign.metric, &rules, comparison, err);
}

int search_compare_sides(const struct stages *stages, const struct ifr_dataset *dataset, unsigned side,
                         struct ifr_comparison *comparison, struct ifr_error *err) {
	return compare_on(stages, dataset, side, NULL, comparison, err);
}

static bool is_change(const struct ifr_comparison *c) {
	return c->verdict == IFR_VERDICT_CHANGE || c->verdict == IFR_VERDICT_BOTH;
}

/* Compares on each kind of processors, where several ran the layouts. A kind of too few runs is left out. */
static void compare_kinds(const struct stages *stages, const struct ifr_dataset *dataset,
                          struct ifr_confirmed *confirmed) {
	const struct ifr_comparison_side shipped = {dataset, 0, "shipped", NULL}, best = {dataset, 1, "best", NULL};
	struct ifr_comparison_kinds kinds;
	ifr_comparison_kinds_make(&shipped, &best, stages->search->campaign.metric, &kinds);
	confirmed->kinds = ifr_alloc((kinds.names.count + 1) * sizeof *confirmed->kinds);
	for (size_t i = 0; i < kinds.names.count && kinds.names.count > 1; i++) {
		struct ifr_comparison c;
		struct ifr_confirmed_kind *kind = &confirmed->kinds[confirmed->kind_count];
		if (compare_on(stages, dataset, 1, kinds.names.items[i], &c, NULL))
			continue;
		*kind = (struct ifr_confirmed_kind){.processor = ifr_strdup(kinds.names.items[i]),
		                                    .ratio = c.ratio,
		                                    .interval = c.interval,
		                                    .faster = is_change(&c) && c.interval.high < 1,
		                                    .slower = is_change(&c) && c.interval.low > 1};
		confirmed->kind_count++;
	}
	ifr_comparison_kinds_release(&kinds);
}

void confirmed_release_kinds(struct ifr_confirmed *confirmed) {
	for (size_t i = 0; i < confirmed->kind_count; i++)
		free(confirmed->kinds[i].processor);
	free(confirmed->kinds);
	confirmed->kinds = NULL;
	confirmed->kind_count = 0;
}

/* Counts the shipped side's runs, and takes the median of their durations where these are known. */
static void describe_runs(const struct ifr_dataset *dataset, struct ifr_confirmed *confirmed) {
	const int duration = ifr_dataset_counter(dataset, "duration_time");
	double *durations = ifr_alloc((dataset->run_count + 1) * sizeof *durations);
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		if (!dataset->variants[run->variant].program && !run->refused && !run->simulated && !run->twin)
			durations[confirmed->runs++] = duration < 0 ? 0 : run->value[duration];
	}
	double median;
	if (confirmed->runs && !ifr_sample_median(durations, confirmed->runs, &median, NULL) && isfinite(median))
		confirmed->run_ns = (int64_t)median;
	free(durations);
}

static int compare(struct stages *stages, const struct ifr_dataset *dataset, struct ifr_confirmed *confirmed,
                   struct ifr_error *err) {
	struct ifr_comparison *c = &confirmed->comparison;
	int result = search_compare_sides(stages, dataset, 1, c, err);
	confirmed->faster = !result && is_change(c) && c->interval.high < 1;
	confirmed->slower = !result && is_change(c) && c->interval.low > 1;
	if (!result)
		compare_kinds(stages, dataset, confirmed);
	if (!result)
		describe_runs(dataset, confirmed);
	/* The dataset's strings go with it. */
	if (!result)
		confirmed->metric = ifr_strdup(c->metric.name);
	c->metric = (struct ifr_dataset_counter){0};
	memset(c->side, 0, sizeof c->side);
	return result;
}

int search_compare_in_contexts(struct stages *stages, const struct contexts_request *request, size_t workload,
                               struct ifr_confirmed *confirmed, struct context_table *table,
                               struct ifr_error *err) {
	struct ifr_dataset dataset;
	int result = stage_run_in_contexts(stages, request, &dataset, err);
	if (!result) {
		result = compare(stages, &dataset, confirmed, err);
		if (!result && table)
			result =
				context_table_add(table, workload, &dataset, confirmed->metric, 2, stages->search->contexts, err);
		ifr_dataset_release(&dataset);
	}
	return result;
}

/* Held-out arguments stand behind the program's name. */
static int confirm_held_out(struct stages *stages, size_t index, struct contexts_request *request,
                            struct ifr_confirmed *confirmed, struct ifr_error *err) {
	const char *arguments = stages->search->held_out->items[index];
	struct ifr_strings words = {0};
	char *name = ifr_format("held-out-%zu", index + 1);
	ifr_strings_add(&words, stages->search->campaign.argv[0]);
	confirmed->arguments = ifr_strdup(arguments);
	int result = ifr_unquote_shell(arguments, &words)
	                 ? 0
	                 : ifr_fail(err, IFR_E_USAGE, "a quote stays open in \"%s\"", arguments);
	const struct ifr_optimization_workload workload = {.argv = words.items};
	request->name = name;
	request->workload = &workload;
	if (!result)
		result = search_compare_in_contexts(stages, request, 0, confirmed, NULL, err);
	request->workload = NULL;
	request->name = NULL;
	ifr_strings_release(&words);
	free(name);
	return result;
}

static int confirm_workload(struct stages *stages, size_t index, struct contexts_request *request,
                            struct ifr_confirmed *confirmed, struct context_table *table, struct ifr_error *err) {
	const struct ifr_optimization_workload *workload = &stages->search->workloads[index];
	confirmed->name = workload->name ? ifr_strdup(workload->name) : NULL;
	confirmed->weight = workload->weight;
	request->name = "confirmation";
	request->workload = workload;
	return search_compare_in_contexts(stages, request, index, confirmed, table, err);
}

struct weighted_ratio confirmed_mean(const struct ifr_confirmed *confirmed, size_t count) {
	struct ifr_interval sum = {0, 0, 1};
	struct weighted_ratio mean = {0};
	double log_ratio = 0;
	bool faster = false, slower = false;
	for (size_t i = 0; i < count; i++) {
		const struct ifr_comparison *c = &confirmed[i].comparison;
		const double weight = confirmed[i].weight, change = weight * log(c->ratio);
		const struct ifr_interval less = {-weight * log(c->interval.high), -weight * log(c->interval.low),
		                                  c->interval.confidence};
		sum = ifr_difference_interval(log_ratio, sum, -change, less);
		log_ratio += change;
		faster |= confirmed[i].faster;
		slower |= confirmed[i].slower;
	}
	mean.ratio = exp(log_ratio);
	mean.interval = (struct ifr_interval){exp(sum.low), exp(sum.high), sum.confidence};
	mean.faster = faster && mean.interval.high < 1;
	mean.slower = slower && mean.interval.low > 1;
	return mean;
}

/* Fills what the confirmed workloads say together. */
static void judge(struct search *search, const struct context_table *table) {
	struct ifr_optimum *optimum = search->optimum;
	const struct weighted_ratio mean = confirmed_mean(optimum->confirmed, optimum->workload_count);
	optimum->ratio = mean.ratio;
	optimum->interval = mean.interval;
	optimum->faster = mean.faster;
	optimum->slower = mean.slower;
	optimum->worst = worst_case_compare(table, 1);
	/* The table's strings go with it. */
	optimum->worst_processor = optimum->worst.processor ? ifr_strdup(optimum->worst.processor) : NULL;
	optimum->worst.processor = optimum->worst_processor;
	optimum->found = optimum->goal == IFR_GOAL_WORST ? optimum->worst.better : mean.faster;
}

int search_confirm(struct search *search, const struct trial *best, struct ifr_error *err) {
	struct stages *stages = &search->stages;
	const struct ifr_strings *held_out = stages->search->held_out;
	struct ifr_optimum *optimum = search->optimum;
	const struct ifr_plan *const plans[2] = {NULL, &best->candidate.plan};
	const size_t workloads = stages->search->workload_count, count = workloads + (held_out ? held_out->count : 0);
	struct context_table table = {0};
	int result = 0;
	optimum->best = exp(best->time);
	optimum->origin = candidate_origin_names[best->candidate.origin];
	optimum->workload_count = workloads;
	optimum->confirmed = ifr_alloc(count * sizeof *optimum->confirmed);
	for (size_t i = 0; i < count && !result && !stages->interrupted; i++) {
		struct ifr_confirmed *confirmed = &optimum->confirmed[i];
		struct contexts_request request = {
			.folder = "best", .share = 1 / (double)(count - i + 1), .plans = plans, .count = 2};
		result = i < workloads ? confirm_workload(stages, i, &request, confirmed, &table, err)
		                       : confirm_held_out(stages, i - workloads, &request, confirmed, err);
		optimum->confirmed_count++;
	}
	if (!result && optimum->confirmed_count >= workloads)
		judge(search, &table);
	context_table_release(&table);
	return result;
}
