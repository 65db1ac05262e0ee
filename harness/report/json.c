/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as JSON: everything that was recorded, and the analysis. */
#include <math.h>
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/prose.h"
#include "harness/report/report_json.h"
#include "harness/report/unit_map.h"

/* 2: serial_disturbance was bursts, relative_importance was blame, with new names for their members. */
/* 3: slope, r, r2, p and spearman of regressions are without the noise of runs; p of relative_importance is of a
 * permutation test. */
enum { SCHEMA_VERSION = 3 };

static json_t *json_interval(bool known, const struct ifr_interval *from) {
	if (!known)
		return json_null();
	json_t *made = json_object();
	ifr_json_set(made, "low", ifr_json_number(from->low));
	ifr_json_set(made, "high", ifr_json_number(from->high));
	ifr_json_set(made, "confidence", ifr_json_number(from->confidence));
	return made;
}

static json_t *json_facts(const struct ifr_dataset *dataset) {
	json_t *made = json_object();
	for (size_t i = 0; i < dataset->fact_count; i++) {
		char *name = ifr_escape_utf8(dataset->facts[i].name);
		ifr_json_set(made, name, ifr_json_text(dataset->facts[i].value));
		free(name);
	}
	return made;
}

static json_t *json_counters(const struct ifr_dataset *dataset) {
	json_t *made = json_array();
	for (size_t i = 0; i < dataset->counter_count; i++) {
		json_t *counter = json_object();
		ifr_json_set(counter, "name", ifr_json_text(dataset->counters[i].name));
		ifr_json_set(counter, "unit", ifr_json_text(dataset->counters[i].unit));
		ifr_json_set(counter, "source", ifr_json_text(dataset->counters[i].source));
		json_array_append_new(made, counter);
	}
	return made;
}

static json_t *json_variants(const struct ifr_dataset *dataset) {
	json_t *made = json_array();
	for (size_t i = 0; i < dataset->variant_count; i++) {
		const struct ifr_dataset_variant *from = &dataset->variants[i];
		json_t *variant = json_object();
		ifr_json_set(variant, "index", ifr_json_count(from->layout));
		ifr_json_set(variant, "name", ifr_json_text(from->name));
		ifr_json_set(variant, "plan", ifr_json_text(from->plan));
		ifr_json_set(variant, "build_id", ifr_json_text(from->build_id));
		ifr_json_set(variant, "facts", ifr_json_text(from->facts));
		ifr_json_set(variant, "refused", ifr_json_text(from->refused));
		json_array_append_new(made, variant);
	}
	return made;
}

static json_t *json_runs(const struct ifr_dataset *dataset) {
	json_t *made = json_array();
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *from = &dataset->runs[i];
		json_t *run = json_object(), *values = json_array();
		ifr_json_set(run, "variant", ifr_json_count(dataset->variants[from->variant].layout));
		ifr_json_set(run, "repetition", ifr_json_count(from->repetition));
		ifr_json_set(run, "pass", ifr_json_count(from->pass));
		ifr_json_set(run, "copy", ifr_json_count(from->copy));
		ifr_json_set(run, "twin", json_boolean(from->twin));
		ifr_json_set(run, "simulated", json_boolean(from->simulated));
		ifr_json_set(run, "started_ns", json_integer(from->started_ns));
		ifr_json_set(run, "exit_status", json_integer(from->exit_status));
		ifr_json_set(run, "refused", ifr_json_text(from->refused));
		for (size_t j = 0; j < dataset->counter_count; j++)
			json_array_append_new(values, ifr_json_number(from->value[j]));
		ifr_json_set(run, "values", values);
		json_array_append_new(made, run);
	}
	return made;
}

static json_t *json_spread(const struct ifr_analysis *analysis) {
	const struct ifr_components *c = &analysis->components;
	json_t *made = json_object();
	if (!analysis->has_components) {
		ifr_json_set(made, "unknown_because", ifr_json_text(analysis->no_components.message));
		return made;
	}
	ifr_json_set(made, "between_sd", ifr_json_number(c->between_sd));
	ifr_json_set(made, "between_sd_interval", json_interval(true, &c->between_interval));
	ifr_json_set(made, "within_sd", ifr_json_number_if(c->noise_known, sqrt(c->ms_within)));
	ifr_json_set(made, "mean", ifr_json_number(analysis->mean.mean));
	ifr_json_set(made, "mean_interval", json_interval(true, &analysis->mean.interval));
	ifr_json_set(made, "layouts_needed", ifr_json_count(analysis->mean.needs));
	ifr_json_set(made, "heavy_tails", json_boolean(analysis->tails.found));
	ifr_json_set(made, "outlying_layouts", ifr_json_count(analysis->tails.outlying));
	ifr_json_set(made, "excess_kurtosis", ifr_json_number(analysis->tails.kurtosis));
	ifr_json_set(
		made, "variance_share",
		ifr_json_number_if(analysis->components.noise_known, ifr_reliability(analysis->components.between_variance,
	                                                                         analysis->components.ms_within)));
	ifr_json_set(made, "range_pct", ifr_json_number(analysis->range_pct));
	ifr_json_set(made, "expected_range_pct", ifr_json_number(analysis->expected_range_pct));
	ifr_json_set(made, "unmet_share", ifr_json_number(analysis->tails.unmet_share));
	ifr_json_set(made, "ms_between", ifr_json_number(c->ms_between));
	ifr_json_set(made, "df_between", ifr_json_number(c->df_between));
	ifr_json_set(made, "df_within", ifr_json_number(c->df_within));
	ifr_json_set(made, "effective_runs", ifr_json_number(c->n0));
	ifr_json_set(made, "f", ifr_json_number_if(c->testable, c->f));
	ifr_json_set(made, "p", ifr_json_number_if(c->testable, c->p));
	return made;
}

/* Standard deviations and deviations are fractions of the layouts' medians. */
static json_t *json_copies(const struct ifr_copy_findings *from) {
	json_t *made = json_object();
	ifr_json_set(made, "copies", ifr_json_count(from->count));
	if (!from->known)
		ifr_json_set(made, "unknown_because", ifr_json_text(from->why_not.message));
	ifr_json_set(made, "copy_sd", ifr_json_number_if(from->known, from->effect.copy_sd));
	ifr_json_set(made, "copy_sd_interval", json_interval(from->known, &from->effect.copy_interval));
	ifr_json_set(made, "run_sd", ifr_json_number_if(from->known, from->effect.run_sd));
	ifr_json_set(made, "df_copies", ifr_json_number_if(from->known, from->effect.copies.df));
	ifr_json_set(made, "df_runs", ifr_json_number_if(from->known, from->effect.runs.df));
	ifr_json_set(made, "f", ifr_json_number_if(from->known, from->effect.f));
	ifr_json_set(made, "p", ifr_json_number_if(from->known, from->effect.p));
	ifr_json_set(made, "far", ifr_json_count(from->far));
	ifr_json_set(made, "farthest", from->far ? ifr_json_text(from->farthest->variant->name) : json_null());
	ifr_json_set(made, "farthest_copy", from->far ? ifr_json_count(from->copy) : json_null());
	ifr_json_set(made, "farthest_deviation", ifr_json_number_if(from->far, from->deviation));
	return made;
}

static json_t *json_disturbance(const struct ifr_disturbances *from) {
	json_t *made = json_object();
	ifr_json_set(made, "found", json_boolean(from->found));
	ifr_json_set(made, "serial_p", ifr_json_number(from->serial_p));
	ifr_json_set(made, "runs_detrended", ifr_json_count(from->moved));
	ifr_json_set(made, "runs_winsorised", ifr_json_count(from->winsorised));
	return made;
}

static json_t *json_contrast(const struct ifr_contrast *from) {
	if (!from->known)
		return json_null();
	json_t *made = json_object();
	ifr_json_set(made, "difference_pct", ifr_json_number(from->difference_pct));
	ifr_json_set(made, "interval_pct", json_interval(from->has_interval, &from->interval_pct));
	return made;
}

static json_t *json_pick(const struct ifr_pick *from) {
	if (!from->layout)
		return json_null();
	json_t *made = json_object(), *again = json_null();
	ifr_json_set(made, "variant", ifr_json_count(from->layout->variant->layout));
	ifr_json_set(made, "name", ifr_json_text(from->layout->variant->name));
	ifr_json_set(made, "median", ifr_json_number(from->layout->median));
	ifr_json_set(made, "against_shipped", json_contrast(&from->to_shipped));
	if (from->predicted) {
		again = json_object();
		ifr_json_set(again, "reliability", ifr_json_number(from->prediction.reliability));
		ifr_json_set(again, "expected", ifr_json_number(from->prediction.expected));
		ifr_json_set(again, "interval", json_interval(true, &from->prediction.again));
		ifr_json_set(again, "against_shipped", json_contrast(&from->again));
	}
	ifr_json_set(made, "measured_again", again);
	return made;
}

static json_t *json_layouts(const struct ifr_analysis *analysis) {
	json_t *made = json_array();
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *from = &analysis->layouts[i];
		json_t *layout = json_object();
		ifr_json_set(layout, "rank", ifr_json_count(i + 1));
		ifr_json_set(layout, "variant", ifr_json_count(from->variant->layout));
		ifr_json_set(layout, "name", ifr_json_text(from->variant->name));
		ifr_json_set(layout, "runs", ifr_json_count(from->count));
		ifr_json_set(layout, "median", ifr_json_number(from->median));
		ifr_json_set(layout, "interval", json_interval(from->has_interval, &from->interval));
		json_array_append_new(made, layout);
	}
	return made;
}

static json_t *json_regressions(const struct ifr_analysis *analysis) {
	static const char *const crossings[] = {"none", "removed", "possible"};
	json_t *made = json_array();
	for (size_t i = 0; i < analysis->regression_count; i++) {
		const struct ifr_counter_regression *from = &analysis->regressions[i];
		json_t *line = json_object();
		ifr_json_set(line, "counter", ifr_json_text(from->counter->name));
		ifr_json_set(line, "per_1000_instructions", json_boolean(analysis->per_1000_instructions));
		ifr_json_set(line, "response",
		             ifr_json_text(analysis->response_is_cpi ? "cycles per instruction" : analysis->metric->name));
		ifr_json_set(line, "layouts", ifr_json_count(from->count));
		ifr_json_set(line, "intercept", ifr_json_number(from->line.intercept));
		ifr_json_set(line, "slope", ifr_json_number(from->line.slope));
		ifr_json_set(line, "slope_se", ifr_json_number(from->line.slope_se));
		ifr_json_set(line, "slope_interval", json_interval(true, &from->slope_interval));
		ifr_json_set(line, "r", ifr_json_number(from->line.r));
		ifr_json_set(line, "r2", ifr_json_number(from->line.r2));
		ifr_json_set(line, "r2_interval", json_interval(true, &from->r2_interval));
		ifr_json_set(line, "shared_noise", ifr_json_text(crossings[from->crossing]));
		ifr_json_set(line, "reliability", ifr_json_number_if(from->corrected, from->reliability));
		ifr_json_set(line, "p", ifr_json_number(from->line.p));
		ifr_json_set(line, "p_adjusted", ifr_json_number(from->p_adjusted));
		ifr_json_set(line, "spearman", ifr_json_number(from->rank_correlation));
		json_array_append_new(made, line);
	}
	return made;
}

static json_t *json_dropped(const struct ifr_analysis *analysis) {
	static const char *const reasons[] = {"weak", "fewer layouts", "collinear"};
	const struct ifr_counter_importance *from = &analysis->importance;
	json_t *made = json_array();
	for (size_t i = 0; i < from->dropped_count; i++) {
		json_t *counter = json_object();
		const struct ifr_dropped_counter *dropped = &from->dropped[i];
		ifr_json_set(counter, "counter", ifr_json_text(analysis->regressions[dropped->regression].counter->name));
		ifr_json_set(counter, "because", ifr_json_text(reasons[dropped->why]));
		json_array_append_new(made, counter);
	}
	return made;
}

static json_t *json_importance(const struct ifr_analysis *analysis) {
	const struct ifr_counter_importance *from = &analysis->importance;
	json_t *made = json_object(), *counters;
	ifr_json_set(made, "candidates", ifr_json_count(from->candidates));
	ifr_json_set(made, "p", ifr_json_number_if(from->tested, from->p));
	ifr_json_set(made, "dropped", json_dropped(analysis));
	if (!from->known) {
		ifr_json_set(made, "unknown_because", ifr_json_text(from->why_not.message));
		return made;
	}
	ifr_json_set(made, "r2", ifr_json_number(from->model.r2));
	ifr_json_set(made, "r2_adjusted", ifr_json_number(from->model.r2_adjusted));
	ifr_json_set(made, "f", ifr_json_number(from->model.f));
	ifr_json_set(made, "counters", counters = json_array());
	for (size_t i = 0; i < from->count; i++) {
		json_t *counter = json_object();
		ifr_json_set(counter, "counter", ifr_json_text(analysis->regressions[from->regression[i]].counter->name));
		ifr_json_set(counter, "relative_importance", ifr_json_number(from->relative[i]));
		ifr_json_set(counter, "interval", json_interval(true, &from->interval[i]));
		ifr_json_set(counter, "coefficient", ifr_json_number(from->model.coefficient[i + 1]));
		ifr_json_set(counter, "se", ifr_json_number(from->model.se[i + 1]));
		ifr_json_set(counter, "p", ifr_json_number(from->model.p[i + 1]));
		ifr_json_set(counter, "slope", ifr_json_number_if(from->has_slopes, from->partial.slope[i]));
		ifr_json_set(counter, "slope_interval", json_interval(from->has_slopes, &from->partial.interval[i]));
		ifr_json_set(counter, "variance_inflation", ifr_json_number(from->model.inflation[i]));
		json_array_append_new(counters, counter);
	}
	return made;
}

static json_t *json_benchmarks(const struct ifr_analysis *analysis) {
	static const char *const effects[] = {"untested", "unknown", "none", "not found", "found"};
	json_t *made = json_array();
	for (size_t i = 0; i < analysis->benchmark_count; i++) {
		const struct ifr_benchmark_finding *from = &analysis->benchmarks[i];
		json_t *benchmark = json_object();
		ifr_json_set(benchmark, "benchmark", ifr_json_text(from->counter->name));
		ifr_json_set(benchmark, "unit", ifr_json_text(from->counter->unit));
		ifr_json_set(benchmark, "layout_effect", ifr_json_text(effects[from->effect]));
		ifr_json_set(benchmark, "p_adjusted", ifr_json_number_if(from->tested, from->p));
		ifr_json_set(benchmark, "random_layouts", ifr_json_count(from->layouts));
		ifr_json_set(benchmark, "median_layout", ifr_json_number_if(from->layouts > 0, from->centre));
		ifr_json_set(benchmark, "range_pct", ifr_json_number_if(from->layouts > 0, from->range_pct));
		ifr_json_set(benchmark, "expected_range_pct",
		             ifr_json_number_if(from->layouts > 0, from->expected_range_pct));
		ifr_json_set(benchmark, "shipped", json_contrast(&from->shipped_to_centre));
		json_array_append_new(made, benchmark);
	}
	return made;
}

static void take_headline(void *conclusion, enum ifr_prose_kind kind, const char *text) {
	if (kind == IFR_PROSE_COMMAND)
		ifr_json_set(conclusion, "next_command", ifr_json_text(text));
	else
		json_array_append_new(json_object_get(conclusion, "headline"), ifr_json_text(text));
}

static json_t *json_conclusion(const struct ifr_analysis *analysis) {
	static const char *const effects[] = {"untested", "unknown", "none", "not found", "found"},
							 *const standings[] = {"unknown", "typical", "better", "worse"},
							 *const advice[] = {[IFR_ADVICE_NOTHING] = "nothing",
	                                            [IFR_ADVICE_MORE_LAYOUTS] = "more layouts",
	                                            [IFR_ADVICE_MORE_RUNS] = "more runs",
	                                            [IFR_ADVICE_QUIETER_MACHINE] = "quieter machine",
	                                            [IFR_ADVICE_BEST_LAYOUT] = "best layout",
	                                            [IFR_ADVICE_FIND_CODE] = "find code",
	                                            [IFR_ADVICE_OTHER_BENCHMARK] = "other benchmark",
	                                            [IFR_ADVICE_READ_SWEEP] = "read sweep",
	                                            [IFR_ADVICE_FIND_AXIS] = "find axis",
	                                            [IFR_ADVICE_FIX_WORK] = "fix iterations",
	                                            [IFR_ADVICE_COMPARE_MEANS] = "compare means"};
	const struct ifr_conclusion *from = &analysis->conclusion;
	struct ifr_prose lead = {analysis, {0}, take_headline, json_object()};
	json_t *made = lead.context;
	ifr_json_set(made, "headline", json_array());
	ifr_json_set(made, "next_command", json_null());
	ifr_prose_lead(&lead);
	ifr_buffer_release(&lead.text);
	ifr_json_set(made, "layout_effect", ifr_json_text(effects[from->effect]));
	ifr_json_set(made, "shipped", ifr_json_text(standings[from->standing]));
	ifr_json_set(made, "advice", ifr_json_text(advice[from->advice]));
	return made;
}

static json_t *json_shipped(const struct ifr_analysis *analysis) {
	if (!analysis->shipped)
		return json_null();
	json_t *made = json_object();
	ifr_json_set(made, "median", ifr_json_number(analysis->shipped->median));
	ifr_json_set(made, "faster_layouts", ifr_json_count(analysis->faster));
	ifr_json_set(made, "faster_share_interval",
	             json_interval(analysis->has_faster_share, &analysis->faster_share));
	ifr_json_set(made, "against_median_layout", json_contrast(&analysis->shipped_to_centre));
	return made;
}

static json_t *json_counted(const struct ifr_analysis *analysis) {
	json_t *made = json_object();
	ifr_json_set(made, "random_layouts", ifr_json_count(analysis->random_count));
	ifr_json_set(made, "runs_used", ifr_json_count(analysis->runs_used));
	ifr_json_set(made, "runs_of_twins", ifr_json_count(analysis->runs_twin));
	ifr_json_set(made, "runs_of_suspects", ifr_json_count(analysis->runs_held_out));
	ifr_json_set(made, "runs_of_other_passes", ifr_json_count(analysis->runs_elsewhere));
	ifr_json_set(made, "runs_refused", ifr_json_count(analysis->runs_refused));
	ifr_json_set(made, "runs_of_edited_file", ifr_json_count(analysis->runs_of_edited));
	ifr_json_set(made, "runs_of_refused_layouts", ifr_json_count(analysis->runs_of_refused));
	ifr_json_set(made, "layouts_refused", ifr_json_count(analysis->variants_refused));
	ifr_json_set(made, "layouts_without_values", ifr_json_count(analysis->variants_empty));
	return made;
}

static json_t *json_analysis(const struct ifr_analysis *analysis) {
	json_t *made = json_object(), *normality = json_object();
	ifr_json_set(made, "conclusion", json_conclusion(analysis));
	ifr_json_set(made, "metric", ifr_json_text(analysis->metric->name));
	ifr_json_set(made, "unit", ifr_json_text(analysis->metric->unit));
	ifr_json_set(made, "source", ifr_json_text(analysis->metric->source));
	ifr_json_set(made, "counted", json_counted(analysis));
	ifr_json_set(made, "median_layout", ifr_json_number(analysis->centre));
	ifr_json_set(made, "median_layout_interval",
	             json_interval(analysis->has_centre_interval, &analysis->centre_interval));
	ifr_json_set(made, "spread", json_spread(analysis));
	ifr_json_set(made, "copies", json_copies(&analysis->copies));
	ifr_json_set(made, "serial_disturbance", json_disturbance(&analysis->disturbances));
	if (analysis->has_normality) {
		ifr_json_set(normality, "anderson_darling", ifr_json_number(analysis->normality.a2_adjusted));
		ifr_json_set(normality, "p", ifr_json_number(analysis->normality.p));
	} else {
		ifr_json_set(normality, "unknown_because", ifr_json_text(analysis->no_normality.message));
	}
	ifr_json_set(made, "normality", normality);
	ifr_json_set(made, "shipped", json_shipped(analysis));
	ifr_json_set(made, "best", json_pick(&analysis->best));
	ifr_json_set(made, "worst", json_pick(&analysis->worst));
	ifr_json_set(made, "sweep", ifr_json_sweep(analysis));
	ifr_json_set(made, "layouts", json_layouts(analysis));
	ifr_json_set(made, "unit_map", map_json(analysis, analysis->units));
	ifr_json_set(made, "regressions", json_regressions(analysis));
	ifr_json_set(made, "relative_importance", json_importance(analysis));
	ifr_json_set(made, "benchmarks", json_benchmarks(analysis));
	ifr_json_set(made, "machines", ifr_json_machines(&analysis->machines));
	return made;
}

void ifr_report_json(const struct ifr_analysis *analysis, struct ifr_buffer *out) {
	const struct ifr_dataset *dataset = analysis->dataset;
	const char *version = ifr_dataset_fact(dataset, "tool version"), *host = ifr_dataset_fact(dataset, "host");
	json_t *root = ifr_json_document(SCHEMA_VERSION, version, host), *warnings = json_array();
	ifr_json_set(root, "seed", ifr_json_text(ifr_dataset_fact(dataset, "seed")));
	ifr_json_set(root, "facts", json_facts(dataset));
	for (size_t i = 0; i < dataset->warnings.count; i++)
		json_array_append_new(warnings, ifr_json_text(dataset->warnings.items[i]));
	ifr_json_set(root, "warnings", warnings);
	ifr_json_set(root, "counters", json_counters(dataset));
	ifr_json_set(root, "variants", json_variants(dataset));
	ifr_json_set(root, "runs", json_runs(dataset));
	ifr_json_set(root, "analysis", json_analysis(analysis));
	ifr_json_print(root, out);
}
