/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An audit as JSON. */
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/audit_code.h"
#include "harness/report/audit_cures.h"
#include "harness/report/audit_remarks.h"
#include "harness/report/format.h"

enum { SCHEMA_VERSION = 1 };

static json_t *json_train(const struct ifr_audit_row *row) {
	const struct ifr_spike_train *train = &row->train;
	json_t *made = json_object();
	ifr_json_set(made, "count", ifr_json_count(train->spikes));
	ifr_json_set(made, "first", train->spikes ? json_integer(train->first) : json_null());
	ifr_json_set(made, "width", train->width ? json_integer(train->width) : json_null());
	ifr_json_set(made, "period", train->period ? json_integer(train->period) : json_null());
	ifr_json_set(made, "height", ifr_json_number_if(train->spikes, train->height));
	return made;
}

static json_t *json_replication(const struct ifr_audit_row *row) {
	const struct ifr_audit_replication *replication = &row->replication;
	json_t *made = json_object();
	if (!replication->wanted) {
		json_decref(made);
		return json_null();
	}
	ifr_json_set(made, "experiment", ifr_json_text(replication->experiment));
	ifr_json_set(made, "not_made_because",
	             replication->made ? json_null() : ifr_json_text(replication->why_not.message));
	ifr_json_set(made, "layouts", ifr_json_count(replication->layouts));
	ifr_json_set(made, "runs", ifr_json_number_if(replication->made, replication->runs));
	ifr_json_set(made, "rank_correlation", ifr_json_number_if(replication->has_r, replication->r));
	ifr_json_set(made, "p", ifr_json_number_if(replication->made, replication->p));
	ifr_json_set(made, "p_adjusted", ifr_json_number_if(replication->made, replication->p_adjusted));
	return made;
}

/* In the order of the trigger's "values". */
static json_t *json_medians(const struct ifr_audit_row *row, const struct ifr_audit_event *event) {
	json_t *made = json_array();
	for (size_t i = 0; i < row->analysis->layout_count; i++)
		json_array_append_new(made, ifr_json_number(event->medians[i]));
	return made;
}

static json_t *json_events(const struct ifr_audit_row *row) {
	json_t *made = json_array();
	for (size_t i = 0; i < row->event_count; i++) {
		const struct ifr_audit_event *event = &row->events[i];
		json_t *one = json_object();
		ifr_json_set(one, "name", ifr_json_text(event->name));
		ifr_json_set(one, "source", ifr_json_text(event->source));
		ifr_json_set(one, "low", ifr_json_number(event->low));
		ifr_json_set(one, "high", ifr_json_number(event->high));
		ifr_json_set(one, "ruled_out", json_boolean(event->constant));
		ifr_json_set(one, "r", ifr_json_number_if(!event->constant, event->r));
		ifr_json_set(one, "medians", json_medians(row, event));
		json_array_append_new(made, one);
	}
	return made;
}

static json_t *json_layouts(const struct ifr_analysis *analysis) {
	json_t *made = json_array();
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		json_t *one = json_object(), *values = json_array();
		ifr_json_set(one, "layout", ifr_json_count(layout->variant->layout));
		ifr_json_set(one, "plan", ifr_json_text(layout->variant->plan));
		ifr_json_set(one, "median", ifr_json_number(layout->median));
		for (size_t j = 0; j < layout->count; j++)
			json_array_append_new(values, ifr_json_number(layout->values[j]));
		ifr_json_set(one, "runs", values);
		json_array_append_new(made, one);
	}
	return made;
}

static const char *name_verdict(const struct ifr_audit_row *row) {
	static const char *const names[] = {[AUDIT_NOT_TESTED] = "not tested",
	                                    [AUDIT_FOUND] = "found",
	                                    [AUDIT_NOT_FOUND] = "not found",
	                                    [AUDIT_UNDECIDED] = "undecided"};
	return names[audit_judge(row)];
}

static json_t *json_row(const char *folder, const struct ifr_audit_row *row) {
	json_t *made = json_object();
	const struct ifr_analysis *analysis = row->analysis;
	char *file = ifr_format("%s/%s.exp", folder, row->trigger);
	ifr_json_set(made, "trigger", ifr_json_text(row->trigger));
	ifr_json_set(made, "left_out_because", row->why_not.code ? ifr_json_text(row->why_not.message) : json_null());
	ifr_json_set(made, "verdict", ifr_json_text(analysis ? name_verdict(row) : "left out"));
	char *untested = audit_explain_not_tested(row);
	ifr_json_set(made, "not_tested_because", ifr_json_text(untested));
	free(untested);
	ifr_json_set(made, "lacks", row->note && *row->note ? ifr_json_text(row->note) : json_null());
	ifr_json_set(made, "model_left_out_because",
	             row->model_left_out && *row->model_left_out ? ifr_json_text(row->model_left_out) : json_null());
	if (analysis) {
		const char *seed = ifr_dataset_fact(analysis->dataset, "seed"),
				   *sweep = ifr_dataset_fact(analysis->dataset, "sweep");
		ifr_json_set(made, "experiment", ifr_json_text(file));
		ifr_json_set(made, "seed", ifr_json_text(seed));
		ifr_json_set(made, "sweep", ifr_json_text(sweep));
		ifr_json_set(made, "step", row->step ? json_integer(row->step) : json_null());
		ifr_json_set(made, "finest_step", row->finest_step ? json_integer(row->finest_step) : json_null());
		ifr_json_set(made, "layouts", ifr_json_count(row->layouts));
		ifr_json_set(made, "refused", ifr_json_count(row->refused));
		ifr_json_set(made, "runs", ifr_json_number(row->runs));
		ifr_json_set(made, "beyond_screen", json_boolean(row->full));
		ifr_json_set(made, "range_pct", ifr_json_number(row->range_pct));
		ifr_json_set(made, "sd_pct", ifr_json_number_if(row->has_sd, row->sd_pct));
		ifr_json_set(made, "sd_low_pct", ifr_json_number_if(row->has_sd, row->sd_interval_pct.low));
		ifr_json_set(made, "sd_high_pct", ifr_json_number_if(row->has_sd, row->sd_interval_pct.high));
		ifr_json_set(made, "detectable_pct", ifr_json_number_if(row->detectable_pct > 0, row->detectable_pct));
		ifr_json_set(made, "exact", json_boolean(analysis->exact));
		ifr_json_set(made, "shipped",
		             ifr_json_number_if(analysis->shipped, analysis->shipped ? analysis->shipped->median : 0));
		ifr_json_set(made, "shipped_outside", json_boolean(row->shipped_outside));
		ifr_json_set(made, "noise_pct", ifr_json_number_if(row->has_noise, row->noise_pct));
		ifr_json_set(made, "p", ifr_json_number_if(row->tested, row->p));
		ifr_json_set(made, "p_adjusted", ifr_json_number_if(row->tested, row->p_adjusted));
		ifr_json_set(made, "replication", json_replication(row));
		ifr_json_set(made, "found", json_boolean(row->found));
		ifr_json_set(made, "spikes", analysis->sweep ? json_train(row) : json_null());
		ifr_json_set(made, "period", row->has_period ? json_integer(row->period) : json_null());
		ifr_json_set(made, "events", json_events(row));
		ifr_json_set(made, "model_experiment", ifr_json_text(row->model_experiment));
		ifr_json_set(made, "model_machine", ifr_json_text(row->model_machine));
		ifr_json_set(made, "no_model_because",
		             row->no_model.code ? ifr_json_text(row->no_model.message) : json_null());
		ifr_json_set(made, "code", audit_code_json(row));
		ifr_json_set(made, "mechanism", ifr_json_text(row->mechanism));
		ifr_json_set(made, "names", row->names ? json_loads(row->names, 0, NULL) : json_null());
		ifr_json_set(made, "values", json_layouts(analysis));
	}
	free(file);
	return made;
}

void ifr_audit_json(const struct ifr_audit_report *audit, struct ifr_buffer *out) {
	const struct ifr_audit_row *rows = audit->rows;
	const size_t count = audit->count;
	const struct ifr_analysis *analysis = NULL;
	for (size_t i = 0; i < count && !analysis; i++)
		analysis = rows[i].analysis;
	json_t *root =
		ifr_json_document(SCHEMA_VERSION, NULL, analysis ? ifr_dataset_fact(analysis->dataset, "host") : NULL);
	json_t *triggers = json_array();
	struct ifr_buffer sentence = {0};
	for (size_t i = 0; i < count; i++)
		json_array_append_new(triggers, json_row(audit->folder, &rows[i]));
	ifr_audit_sentence(rows, count, &sentence);
	ifr_json_set(root, "command", ifr_json_text(analysis ? ifr_dataset_fact(analysis->dataset, "command") : NULL));
	static const char *const facts[] = {"processor", "kernel", "options", "started"};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		ifr_json_set(root, facts[i],
		             ifr_json_text(analysis ? ifr_dataset_fact(analysis->dataset, facts[i]) : NULL));
	ifr_json_set(root, "metric", ifr_json_text(analysis ? analysis->metric->name : NULL));
	ifr_json_set(root, "sentence", ifr_json_text(ifr_buffer_text(&sentence)));
	ifr_json_set(root, "warnings", analysis ? ifr_format_json_warnings(analysis->dataset) : json_array());
	ifr_json_set(root, "triggers", triggers);
	ifr_json_set(root, "cures", audit_cures_json(audit));
	ifr_json_print(root, out);
	ifr_buffer_release(&sentence);
}
