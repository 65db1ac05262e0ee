/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report for programs: everything that was recorded, and the analysis. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/analysis_result.h"
#include "harness/report/escape.h"

enum { SCHEMA_VERSION = 1 };

static json_t *number(double value) {
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value) {
	if (!value)
		return json_null();
	char *clean = ifr_escape_utf8(value);
	json_t *made = json_string(clean);
	free(clean);
	return made;
}

static json_t *count(size_t value) {
	return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *key, json_t *value) {
	json_object_set_new(object, key, value);
}

static json_t *interval(bool known, const struct ifr_interval *from) {
	if (!known)
		return json_null();
	json_t *made = json_object();
	set(made, "low", number(from->low));
	set(made, "high", number(from->high));
	set(made, "confidence", number(from->confidence));
	return made;
}

static json_t *facts(const struct ifr_dataset *dataset) {
	json_t *made = json_object();
	for (size_t i = 0; i < dataset->fact_count; i++) {
		char *name = ifr_escape_utf8(dataset->facts[i].name);
		set(made, name, text(dataset->facts[i].value));
		free(name);
	}
	return made;
}

static json_t *counters(const struct ifr_dataset *dataset) {
	json_t *made = json_array();
	for (size_t i = 0; i < dataset->counter_count; i++) {
		json_t *counter = json_object();
		set(counter, "name", text(dataset->counters[i].name));
		set(counter, "unit", text(dataset->counters[i].unit));
		set(counter, "source", text(dataset->counters[i].source));
		json_array_append_new(made, counter);
	}
	return made;
}

static json_t *variants(const struct ifr_dataset *dataset) {
	json_t *made = json_array();
	for (size_t i = 0; i < dataset->variant_count; i++) {
		const struct ifr_dataset_variant *from = &dataset->variants[i];
		json_t *variant = json_object();
		set(variant, "index", count(from->layout));
		set(variant, "name", text(from->name));
		set(variant, "plan", text(from->plan));
		set(variant, "build_id", text(from->build_id));
		set(variant, "facts", text(from->facts));
		set(variant, "refused", text(from->refused));
		json_array_append_new(made, variant);
	}
	return made;
}

static json_t *runs(const struct ifr_dataset *dataset) {
	json_t *made = json_array();
	for (size_t i = 0; i < dataset->run_count; i++) {
		const struct ifr_dataset_run *from = &dataset->runs[i];
		json_t *run = json_object(), *values = json_array();
		set(run, "variant", count(dataset->variants[from->variant].layout));
		set(run, "repetition", count(from->repetition));
		set(run, "pass", count(from->pass));
		set(run, "started_ns", json_integer(from->started_ns));
		set(run, "exit_status", json_integer(from->exit_status));
		set(run, "refused", text(from->refused));
		for (size_t j = 0; j < dataset->counter_count; j++)
			json_array_append_new(values, number(from->value[j]));
		set(run, "values", values);
		json_array_append_new(made, run);
	}
	return made;
}

static json_t *spread(const struct ifr_analysis *report) {
	const struct ifr_components *c = &report->components;
	json_t *made = json_object();
	if (!report->has_components) {
		set(made, "unknown_because", text(report->no_components.message));
		return made;
	}
	set(made, "between_sd", number(c->between_sd));
	set(made, "between_sd_interval", interval(true, &c->between_interval));
	set(made, "within_sd", c->noise_known ? number(sqrt(c->ms_within)) : json_null());
	set(made, "mean", number(report->mean.mean));
	set(made, "mean_interval", interval(true, &report->mean.interval));
	set(made, "layouts_needed", count(report->mean.needs));
	set(made, "ms_between", number(c->ms_between));
	set(made, "df_between", number(c->df_between));
	set(made, "df_within", number(c->df_within));
	set(made, "effective_runs", number(c->n0));
	set(made, "f", c->testable ? number(c->f) : json_null());
	set(made, "p", c->testable ? number(c->p) : json_null());
	return made;
}

static json_t *bursts(const struct ifr_analysis *report) {
	json_t *made = json_object();
	set(made, "found", json_boolean(report->bursts.found));
	set(made, "serial_p", number(report->bursts.serial_p));
	set(made, "runs_moved", count(report->bursts.moved));
	set(made, "runs_pulled", count(report->bursts.winsorised));
	return made;
}

static json_t *contrast(const struct ifr_contrast *from) {
	if (!from->known)
		return json_null();
	json_t *made = json_object();
	set(made, "difference_pct", number(from->difference_pct));
	set(made, "interval_pct", interval(from->has_interval, &from->interval_pct));
	return made;
}

static json_t *pick(const struct ifr_pick *from) {
	if (!from->layout)
		return json_null();
	json_t *made = json_object(), *again = json_null();
	set(made, "variant", count(from->layout->variant->layout));
	set(made, "name", text(from->layout->variant->name));
	set(made, "median", number(from->layout->median));
	set(made, "against_shipped", contrast(&from->to_shipped));
	if (from->predicted) {
		again = json_object();
		set(again, "reliability", number(from->prediction.reliability));
		set(again, "expected", number(from->prediction.expected));
		set(again, "interval", interval(true, &from->prediction.again));
		set(again, "against_shipped", contrast(&from->again));
	}
	set(made, "measured_again", again);
	return made;
}

static json_t *layouts(const struct ifr_analysis *report) {
	json_t *made = json_array();
	for (size_t i = 0; i < report->layout_count; i++) {
		const struct ifr_layout *from = &report->layouts[i];
		json_t *layout = json_object();
		set(layout, "rank", count(i + 1));
		set(layout, "variant", count(from->variant->layout));
		set(layout, "name", text(from->variant->name));
		set(layout, "runs", count(from->count));
		set(layout, "median", number(from->median));
		set(layout, "interval", interval(from->has_interval, &from->interval));
		json_array_append_new(made, layout);
	}
	return made;
}

static json_t *regressions(const struct ifr_analysis *report) {
	json_t *made = json_array();
	for (size_t i = 0; i < report->regression_count; i++) {
		const struct ifr_counter_regression *from = &report->regressions[i];
		json_t *line = json_object();
		set(line, "counter", text(from->counter->name));
		set(line, "per_1000_instructions", json_boolean(report->per_1000_instructions));
		set(line, "response", text(report->response_is_cpi ? "cycles per instruction" : report->metric->name));
		set(line, "layouts", count(from->count));
		set(line, "intercept", number(from->line.intercept));
		set(line, "slope", number(from->line.slope));
		set(line, "slope_se", number(from->line.slope_se));
		set(line, "r", number(from->line.r));
		set(line, "r2", number(from->line.r2));
		set(line, "p", number(from->line.p));
		set(line, "p_adjusted", number(from->p_adjusted));
		set(line, "spearman", number(from->spearman.r));
		json_array_append_new(made, line);
	}
	return made;
}

static json_t *blame(const struct ifr_analysis *report) {
	const struct ifr_blame *from = &report->blame;
	json_t *made = json_object(), *parts = json_array();
	if (!from->known) {
		set(made, "unknown_because", text(from->why_not.message));
		json_decref(parts);
		return made;
	}
	set(made, "r2", number(from->model.r2));
	set(made, "r2_adjusted", number(from->model.r2_adjusted));
	set(made, "f", number(from->model.f));
	set(made, "p", number(from->model.f_p));
	for (size_t i = 0; i < from->count; i++) {
		json_t *part = json_object();
		set(part, "counter", text(report->regressions[from->regression[i]].counter->name));
		set(part, "share", number(from->share[i]));
		set(part, "interval", interval(true, &from->interval[i]));
		set(part, "coefficient", number(from->model.coefficient[i + 1]));
		set(part, "se", number(from->model.se[i + 1]));
		set(part, "p", number(from->model.p[i + 1]));
		set(part, "variance_inflation", number(from->model.inflation[i]));
		json_array_append_new(parts, part);
	}
	set(made, "shares", parts);
	return made;
}

static json_t *shipped(const struct ifr_analysis *report) {
	if (!report->shipped)
		return json_null();
	json_t *made = json_object();
	set(made, "median", number(report->shipped->median));
	set(made, "faster_layouts", count(report->faster));
	set(made, "faster_share_interval", interval(report->has_share, &report->share));
	set(made, "against_median_layout", contrast(&report->shipped_to_centre));
	return made;
}

static json_t *counted(const struct ifr_analysis *report) {
	json_t *made = json_object();
	set(made, "random_layouts", count(report->random_count));
	set(made, "runs_used", count(report->runs_used));
	set(made, "runs_of_other_passes", count(report->runs_elsewhere));
	set(made, "runs_refused", count(report->runs_refused));
	set(made, "runs_of_refused_layouts", count(report->runs_of_refused));
	set(made, "layouts_refused", count(report->variants_refused));
	set(made, "layouts_without_values", count(report->variants_empty));
	return made;
}

static json_t *analysis(const struct ifr_analysis *report) {
	json_t *made = json_object(), *normality = json_object();
	set(made, "metric", text(report->metric->name));
	set(made, "unit", text(report->metric->unit));
	set(made, "source", text(report->metric->source));
	set(made, "counted", counted(report));
	set(made, "median_layout", number(report->centre));
	set(made, "median_layout_interval", interval(report->has_centre_interval, &report->centre_interval));
	set(made, "spread", spread(report));
	set(made, "bursts", bursts(report));
	if (report->has_normality) {
		set(normality, "anderson_darling", number(report->normality.a2_adjusted));
		set(normality, "p", number(report->normality.p));
	} else {
		set(normality, "unknown_because", text(report->no_normality.message));
	}
	set(made, "normality", normality);
	set(made, "shipped", shipped(report));
	set(made, "best", pick(&report->best));
	set(made, "worst", pick(&report->worst));
	set(made, "layouts", layouts(report));
	set(made, "regressions", regressions(report));
	set(made, "blame", blame(report));
	return made;
}

void ifr_report_json(const struct ifr_analysis *report, struct ifr_buffer *out) {
	const struct ifr_dataset *dataset = report->dataset;
	json_t *root = json_object(), *warnings = json_array();
	set(root, "schema_version", json_integer(SCHEMA_VERSION));
	set(root, "tool", text("interfero"));
	set(root, "version", text(ifr_dataset_fact(dataset, "tool version")));
	set(root, "host", text(ifr_dataset_fact(dataset, "host")));
	set(root, "seed", text(ifr_dataset_fact(dataset, "seed")));
	set(root, "facts", facts(dataset));
	for (size_t i = 0; i < dataset->warnings.count; i++)
		json_array_append_new(warnings, text(dataset->warnings.items[i]));
	set(root, "warnings", warnings);
	set(root, "counters", counters(dataset));
	set(root, "variants", variants(dataset));
	set(root, "runs", runs(dataset));
	set(root, "analysis", analysis(report));
	char *dumped = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	ifr_buffer_puts(out, dumped ? dumped : "null");
	ifr_buffer_puts(out, "\n");
	free(dumped);
	json_decref(root);
}
