/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the dataset's runs to the layouts that count, their medians and their spread. */
#include "harness/analysis/analysis_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of a variant's runs that count, of all runs' values. The caller frees. */
static double *collect(const struct ifr_analysis *report, const double *of, size_t variant, size_t *count) {
	size_t from = report->first[variant], to = report->first[variant + 1];
	double *values = ifr_alloc((to - from + 1) * sizeof *values);
	*count = 0;
	for (size_t i = from; i < to; i++)
		if (isfinite(of[report->by_variant[i]]))
			values[(*count)++] = of[report->by_variant[i]];
	return values;
}

/* Counters whose values are gathered in one pass: those of a run lie side by side, the runs all over memory. */
enum { TOGETHER = 5 };

/* The medians of some counters in all variants. */
static void find_medians(const struct ifr_analysis *report, size_t first, size_t count) {
	const struct ifr_dataset *dataset = report->dataset;
	const size_t runs = dataset->run_count, variants = dataset->variant_count;
	double *values = ifr_alloc((count * runs + 1) * sizeof *values);
	size_t *end = ifr_alloc((count * variants + 1) * sizeof *end);
	for (size_t i = 0; i < count * variants; i++)
		end[i] = i / variants * runs + report->first[i % variants];
	for (size_t i = 0; i < runs; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		bool counts = !run->refused && !dataset->variants[run->variant].refused;
		for (size_t j = 0; j < count && counts; j++) {
			double value = first + j == report->metric_index ? report->detrended[i] : run->value[first + j];
			if (isfinite(value))
				values[end[j * variants + run->variant]++] = value;
		}
	}
	for (size_t i = 0; i < count * variants; i++) {
		double *median = &report->counter_medians[first * variants + i];
		const size_t start = i / variants * runs + report->first[i % variants];
		if (ifr_sample_median(values + start, end[i] - start, median, NULL))
			*median = INFINITY;
	}
	free(end);
	free(values);
}

bool ifr_counter_median(const struct ifr_analysis *report, size_t counter, size_t variant, double *median) {
	const double *known = &report->counter_medians[counter * report->dataset->variant_count + variant];
	const size_t first = counter / TOGETHER * TOGETHER, rest = report->dataset->counter_count - first;
	if (isnan(*known))
		find_medians(report, first, rest < TOGETHER ? rest : TOGETHER);
	*median = *known;
	return isfinite(*known);
}

static int no_such_counter(const struct ifr_dataset *dataset, const char *name, struct ifr_error *err) {
	struct ifr_buffer known = {0};
	for (size_t i = 0; i < dataset->counter_count; i++)
		ifr_buffer_printf(&known, "%s%s", i ? ", " : "", dataset->counters[i].name);
	int result = ifr_fail(err, IFR_E_USAGE, "this experiment did not record \"%s\"; it has: %s", name,
	                      known.length ? ifr_buffer_text(&known) : "no counter at all");
	ifr_buffer_release(&known);
	return result;
}

/* What layouts are compared by unless the user says: what the processor spent on the program, for layout moves
 * nothing else; time on the clock also holds what other programs took away. */
static int default_metric(const struct ifr_dataset *dataset) {
	static const char *const preferred[] = {"cycles", "cpu_time", "duration_time"};
	/* Who asks for the cost of one statement (--repeat-marker) wants that. */
	for (size_t i = 0; i < dataset->counter_count; i++)
		if (!strcmp(dataset->counters[i].source, "repeat"))
			return (int)i;
	for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
		int counter = ifr_dataset_counter(dataset, preferred[i]);
		if (counter >= 0)
			return counter;
	}
	return dataset->counter_count ? 0 : -1;
}

static int choose_metric(struct ifr_analysis *report, const char *name, struct ifr_error *err) {
	const struct ifr_dataset *dataset = report->dataset;
	int chosen = name ? ifr_dataset_counter(dataset, name) : default_metric(dataset);
	if (chosen < 0)
		return no_such_counter(dataset, name ? name : "cpu_time", err);
	report->metric_index = (size_t)chosen;
	report->metric = &dataset->counters[chosen];
	report->exact = !strcmp(report->metric->source, "model");
	return 0;
}

static void count_refusal(struct ifr_analysis *report, const char *reason) {
	size_t i = 0;
	while (i < report->refusal_count && strcmp(report->refusals[i].reason, reason))
		i++;
	if (i == report->refusal_count) {
		report->refusals = ifr_realloc(report->refusals, i + 1, sizeof *report->refusals);
		report->refusals[i] = (struct ifr_refusal){reason, 0};
		report->refusal_count++;
	}
	report->refusals[i].runs++;
}

/* Every run is in exactly one of the counts. */
static int count_runs(struct ifr_analysis *report, struct ifr_error *err) {
	const struct ifr_dataset *dataset = report->dataset;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		if (run->variant >= dataset->variant_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the experiment is damaged: run %zu is of variant %u of %zu",
			                i, run->variant, dataset->variant_count);
		if (dataset->variants[run->variant].refused) {
			report->runs_of_refused++;
		} else if (run->refused) {
			report->runs_refused++;
			count_refusal(report, run->refused);
		} else if (isfinite(run->value[report->metric_index])) {
			report->runs_used++;
		} else {
			report->runs_elsewhere++;
		}
	}
	return report->runs_used ? 0
	                         : ifr_fail(err, IFR_E_ENVIRONMENT, "no run gave a value of %s: %zu were refused",
	                                    report->metric->name, report->runs_refused + report->runs_of_refused);
}

static int by_median(const void *a, const void *b) {
	const struct ifr_layout *first = a, *second = b;
	if (first->median != second->median)
		return first->median < second->median ? -1 : 1;
	return first->variant->layout < second->variant->layout ? -1
	                                                        : first->variant->layout > second->variant->layout;
}

static void add_layout(struct ifr_analysis *report, size_t variant) {
	struct ifr_layout layout = {.variant = &report->dataset->variants[variant]};
	if (layout.variant->refused) {
		report->variants_refused++;
		return;
	}
	layout.values = collect(report, report->detrended, variant, &layout.count);
	layout.winsorised = collect(report, report->winsorised, variant, &layout.count);
	if (ifr_sample_median(layout.values, layout.count, &layout.median, NULL)) {
		report->variants_empty++;
		free(layout.values);
		free(layout.winsorised);
		return;
	}
	layout.has_interval =
		!ifr_median_interval(layout.values, layout.count, IFR_REPORT_CONFIDENCE, &layout.interval, NULL);
	report->layouts[report->layout_count++] = layout;
}

static void order_layouts(struct ifr_analysis *report) {
	const struct ifr_dataset *dataset = report->dataset;
	report->layouts = ifr_alloc((dataset->variant_count + 1) * sizeof *report->layouts);
	for (size_t i = 0; i < dataset->variant_count; i++)
		add_layout(report, i);
	qsort(report->layouts, report->layout_count, sizeof *report->layouts, by_median);
	report->medians = ifr_alloc((report->layout_count + 1) * sizeof *report->medians);
	for (size_t i = 0; i < report->layout_count; i++) {
		if (report->layouts[i].variant->layout == 0)
			report->shipped = &report->layouts[i];
		else
			report->medians[report->random_count++] = report->layouts[i].median;
	}
}

static void measure_spread(struct ifr_analysis *report) {
	struct ifr_group *groups = ifr_alloc((report->random_count + 1) * sizeof *groups);
	size_t count = 0;
	for (size_t i = 0; i < report->layout_count; i++)
		if (&report->layouts[i] != report->shipped)
			groups[count++] = (struct ifr_group){report->layouts[i].winsorised, report->layouts[i].count};
	report->has_components = !ifr_components_estimate(groups, count, IFR_REPORT_CONFIDENCE, &report->components,
	                                                  &report->no_components);
	if (report->has_components)
		ifr_mean_estimate(groups, count, IFR_REPORT_CONFIDENCE, &report->mean, NULL);
	free(groups);
	report->has_normality =
		!ifr_normality_check(report->medians, report->random_count, &report->normality, &report->no_normality);
	if (ifr_sample_median(report->medians, report->random_count, &report->centre, NULL))
		report->centre = report->layouts[0].median;
	report->has_centre_interval = !ifr_median_interval(report->medians, report->random_count,
	                                                   IFR_REPORT_CONFIDENCE, &report->centre_interval, NULL);
}

int ifr_analysis_make(const struct ifr_dataset *dataset, const char *metric, struct ifr_analysis **report,
                      struct ifr_error *err) {
	struct ifr_analysis *made = ifr_alloc(sizeof *made);
	made->dataset = dataset;
	int result = choose_metric(made, metric, err);
	if (!result)
		result = count_runs(made, err);
	if (result) {
		ifr_analysis_free(made);
		return result;
	}
	ifr_runs_sort(made);
	ifr_runs_calm(made);
	order_layouts(made);
	measure_spread(made);
	ifr_contrasts_find(made);
	ifr_regressions_find(made);
	ifr_blame_find(made);
	*report = made;
	return 0;
}

void ifr_analysis_weigh(const struct ifr_analysis *report, struct ifr_evidence *evidence) {
	*evidence = (struct ifr_evidence){.p = 1};
	snprintf(evidence->what, sizeof evidence->what, "the difference between layouts");
	if (report->regression_count) {
		evidence->p = report->regressions[0].p_adjusted;
		snprintf(evidence->what, sizeof evidence->what, "the line against %s",
		         report->regressions[0].counter->name);
	} else if (report->has_components && report->components.testable) {
		evidence->p = report->components.p;
	} else if (report->has_components && report->components.noise_known && report->components.between_sd > 0) {
		evidence->p = 0; /* without any noise */
	}
	evidence->has_width = report->has_components && report->mean.mean > 0;
	if (evidence->has_width)
		evidence->width = (report->mean.interval.high - report->mean.interval.low) / report->mean.mean;
}

void ifr_analysis_free(struct ifr_analysis *report) {
	if (!report)
		return;
	for (size_t i = 0; i < report->layout_count; i++) {
		free(report->layouts[i].values);
		free(report->layouts[i].winsorised);
	}
	for (size_t i = 0; i < report->regression_count; i++) {
		free(report->regressions[i].x);
		free(report->regressions[i].y);
	}
	if (report->blame.known)
		ifr_multiple_regression_release(&report->blame.model);
	free(report->counter_medians);
	free(report->by_variant);
	free(report->first);
	free(report->detrended);
	free(report->winsorised);
	free(report->layouts);
	free(report->medians);
	free(report->refusals);
	free(report->regressions);
	free(report);
}
