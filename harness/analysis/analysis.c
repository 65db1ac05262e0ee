/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the dataset's runs to the layouts that count, their medians and the variance between them. */
#include "harness/analysis/analysis.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/axis.h"

#include "harness/analysis/shipped_edit.h"
#include "harness/analysis/steps.h"

/* Whether a run is one of its layout's sample: twins and the runs of a second look serve another question. */
static bool serves_layout(const struct ifr_analysis *analysis, size_t run) {
	const struct ifr_dataset_run *own = &analysis->dataset->runs[run];
	return !own->twin && own->repetition < analysis->held_out;
}

/* Picks the finite values of a variant's runs that serve it out of an array over all runs. The caller frees. */
static double *collect_values(const struct ifr_analysis *analysis, const double *of, size_t variant,
                              size_t *count) {
	size_t from = analysis->first[variant], to = analysis->first[variant + 1];
	double *values = ifr_alloc((to - from + 1) * sizeof *values);
	*count = 0;
	for (size_t i = from; i < to; i++)
		if (isfinite(of[analysis->by_variant[i]]) && serves_layout(analysis, analysis->by_variant[i]))
			values[(*count)++] = of[analysis->by_variant[i]];
	return values;
}

static void count_refusal(struct ifr_analysis *analysis, const char *reason) {
	size_t i = 0;
	while (i < analysis->refusal_count && strcmp(analysis->refusals[i].reason, reason))
		i++;
	if (i == analysis->refusal_count) {
		analysis->refusals = ifr_realloc(analysis->refusals, i + 1, sizeof *analysis->refusals);
		analysis->refusals[i] = (struct ifr_refusal){reason, 0};
		analysis->refusal_count++;
	}
	analysis->refusals[i].runs++;
}

static bool is_edited(const struct ifr_analysis *analysis, size_t variant) {
	return ifr_variant_is_edited(analysis->dataset, &analysis->dataset->variants[variant], analysis->metric);
}

/* Counts every run exactly once: as used, twin, refused, of a refused variant, of an edited file, or of another pass. */
static int count_runs(struct ifr_analysis *analysis, struct ifr_error *err) {
	const struct ifr_dataset *dataset = analysis->dataset;
	struct ifr_spike_plan plan;
	ifr_spike_plan_read(dataset, &plan);
	analysis->held_out = plan.runs ? plan.from : UINT_MAX;
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *run = &dataset->runs[i];
		if (run->variant >= dataset->variant_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT, "the experiment is damaged: run %zu is of variant %u of %zu",
			                i, run->variant, dataset->variant_count);
		if (dataset->variants[run->variant].refused) {
			analysis->runs_of_refused++;
		} else if (run->refused) {
			analysis->runs_refused++;
			count_refusal(analysis, run->refused);
		} else if (is_edited(analysis, run->variant)) {
			analysis->runs_of_edited++;
		} else if (isfinite(run->value[analysis->metric_index])) {
			const bool held_out = run->repetition >= analysis->held_out;
			analysis->runs_used += !run->twin && !held_out;
			analysis->runs_twin += run->twin;
			analysis->runs_held_out += held_out;
		} else {
			analysis->runs_elsewhere++;
		}
	}
	return analysis->runs_used
	           ? 0
	           : ifr_fail(err, IFR_E_ENVIRONMENT, "no run gave a value of %s: %zu were refused",
	                      analysis->metric->name, analysis->runs_refused + analysis->runs_of_refused);
}

static int by_median(const void *a, const void *b) {
	const struct ifr_layout *first = a, *second = b;
	if (first->median != second->median)
		return first->median < second->median ? -1 : 1;
	return first->variant->layout < second->variant->layout ? -1
	                                                        : first->variant->layout > second->variant->layout;
}

static void add_layout(struct ifr_analysis *analysis, size_t variant) {
	struct ifr_layout layout = {.variant = &analysis->dataset->variants[variant]};
	if (layout.variant->refused) {
		analysis->variants_refused++;
		return;
	}
	if (is_edited(analysis, variant)) {
		analysis->shipped_edited = true;
		return;
	}
	layout.values = collect_values(analysis, analysis->detrended, variant, &layout.count);
	layout.winsorised = collect_values(analysis, analysis->winsorised, variant, &layout.count);
	if (ifr_sample_median(layout.values, layout.count, &layout.median, NULL)) {
		analysis->variants_empty++;
		free(layout.values);
		free(layout.winsorised);
		return;
	}
	layout.has_interval =
		!ifr_median_interval(layout.values, layout.count, IFR_REPORT_CONFIDENCE, &layout.interval, NULL);
	analysis->layouts[analysis->layout_count++] = layout;
}

static void order_layouts(struct ifr_analysis *analysis) {
	const struct ifr_dataset *dataset = analysis->dataset;
	analysis->layouts = ifr_alloc((dataset->variant_count + 1) * sizeof *analysis->layouts);
	for (size_t i = 0; i < dataset->variant_count; i++)
		add_layout(analysis, i);
	qsort(analysis->layouts, analysis->layout_count, sizeof *analysis->layouts, by_median);
	analysis->medians = ifr_alloc((analysis->layout_count + 1) * sizeof *analysis->medians);
	for (size_t i = 0; i < analysis->layout_count; i++) {
		if (analysis->layouts[i].variant->layout == 0)
			analysis->shipped = &analysis->layouts[i];
		else
			analysis->medians[analysis->random_count++] = analysis->layouts[i].median;
	}
}

static void measure_spread(struct ifr_analysis *analysis) {
	struct ifr_group *groups = ifr_alloc((analysis->random_count + 1) * sizeof *groups);
	size_t count = 0;
	for (size_t i = 0; i < analysis->layout_count; i++)
		if (&analysis->layouts[i] != analysis->shipped)
			groups[count++] = (struct ifr_group){analysis->layouts[i].winsorised, analysis->layouts[i].count};
	analysis->has_components = !ifr_components_estimate(groups, count, IFR_REPORT_CONFIDENCE,
	                                                    &analysis->components, &analysis->no_components);
	if (analysis->has_components)
		ifr_mean_estimate(groups, count, IFR_REPORT_CONFIDENCE, &analysis->mean, NULL);
	free(groups);
	analysis->tails = ifr_sample_tails(analysis->medians, analysis->random_count);
	analysis->has_normality = !ifr_normality_check(analysis->medians, analysis->random_count, &analysis->normality,
	                                               &analysis->no_normality);
	if (ifr_sample_median(analysis->medians, analysis->random_count, &analysis->centre, NULL))
		analysis->centre = analysis->layouts[0].median;
	analysis->has_centre_interval = !ifr_median_interval(analysis->medians, analysis->random_count,
	                                                     IFR_REPORT_CONFIDENCE, &analysis->centre_interval, NULL);
	analysis->has_moments = analysis->random_count >= 3 &&
	                        !ifr_sample_moments(analysis->medians, analysis->random_count, &analysis->medians_mean,
	                                            &analysis->medians_sd, NULL) &&
	                        analysis->medians_sd > 0;
	analysis->has_density =
		!ifr_density_bandwidth(analysis->medians, analysis->random_count, &analysis->bandwidth, NULL);
}

/* Layouts by their medians, and the variance between them. */
static void analyse_layouts(struct ifr_analysis *made) {
	ifr_runs_sort(made);
	ifr_runs_detrend(made);
	order_layouts(made);
	measure_spread(made);
}

int ifr_analysis_make_brief(const struct ifr_dataset *dataset, size_t counter, struct ifr_analysis **analysis) {
	struct ifr_analysis *made = ifr_alloc(sizeof *made);
	made->dataset = dataset;
	made->metric_index = counter;
	made->metric = &dataset->counters[counter];
	int result = count_runs(made, NULL);
	if (!result) {
		analyse_layouts(made);
		ifr_scale_choose(made);
		ifr_contrasts_find(made);
		*analysis = made;
	} else {
		ifr_analysis_free(made);
	}
	return result;
}

int ifr_analysis_make(const struct ifr_dataset *dataset, const char *metric, struct ifr_analysis **analysis,
                      struct ifr_error *err) {
	struct ifr_analysis *made = ifr_alloc(sizeof *made);
	const char *axes = ifr_dataset_fact(dataset, "axes");
	made->dataset = dataset;
	if (!axes || ifr_axes_parse(axes, &made->axes, NULL))
		made->axes = 0;
	int result = ifr_metric_choose(made, metric, err);
	if (!result)
		result = count_runs(made, err);
	if (result) {
		ifr_analysis_free(made);
		return result;
	}
	analyse_layouts(made);
	ifr_copies_find(made);
	ifr_scale_choose(made);
	ifr_sweep_find(made);
	ifr_contrasts_find(made);
	ifr_regressions_find(made);
	ifr_importance_find(made);
	ifr_benchmarks_find(made);
	ifr_conclusion_draw(made);
	made->units = ifr_alloc(sizeof *made->units);
	ifr_unit_map_make(made, made->units);
	*analysis = made;
	return 0;
}

bool ifr_analysis_varies_process_alone(const struct ifr_analysis *analysis) {
	return analysis->axes && !(analysis->axes & ~ifr_axes_of(IFR_OWNER_LAUNCHER));
}

void ifr_analysis_weigh(const struct ifr_analysis *analysis, struct ifr_evidence *evidence) {
	*evidence = (struct ifr_evidence){.p = 1};
	snprintf(evidence->what, sizeof evidence->what, "the difference between layouts");
	if (analysis->regression_count) {
		evidence->p = analysis->regressions[0].p_adjusted;
		snprintf(evidence->what, sizeof evidence->what, "the line against %s",
		         analysis->regressions[0].counter->name);
	} else if (analysis->has_components && analysis->components.testable) {
		evidence->p = analysis->components.p;
	} else if (analysis->has_components && analysis->components.noise_known &&
	           analysis->components.between_sd > 0) {
		evidence->p = 0; /* without any noise */
	}
	evidence->has_width = analysis->has_components && analysis->mean.mean > 0;
	if (!evidence->has_width)
		return;
	evidence->width_needs = analysis->mean.needs;
	evidence->width = (analysis->mean.interval.high - analysis->mean.interval.low) / analysis->mean.mean;
}

void ifr_analysis_free(struct ifr_analysis *analysis) {
	if (!analysis)
		return;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		free(analysis->layouts[i].values);
		free(analysis->layouts[i].winsorised);
	}
	for (size_t i = 0; i < analysis->regression_count; i++) {
		free(analysis->regressions[i].x);
		free(analysis->regressions[i].y);
		for (int j = 0; j < 4; j++)
			free(analysis->regressions[i].halves[j / 2][j % 2]);
	}
	ifr_sweep_release(analysis);
	ifr_machines_release(&analysis->machines);
	if (analysis->importance.known)
		ifr_multiple_regression_release(&analysis->importance.model);
	if (analysis->units)
		ifr_unit_map_release(analysis->units);
	free(analysis->units);
	free(analysis->importance.dropped);
	free(analysis->counter_medians);
	free(analysis->by_variant);
	free(analysis->first);
	free(analysis->detrended);
	free(analysis->winsorised);
	free(analysis->layouts);
	free(analysis->medians);
	free(analysis->refusals);
	free(analysis->benchmarks);
	free(analysis->regressions);
	free(analysis);
}
