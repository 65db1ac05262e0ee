/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A probe's findings as a table of 80 columns and as JSON. */
#include "harness/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1, KEY_COLUMNS = 23, VALUE_COLUMNS = 22 };

char *ifr_probe_value(const struct ifr_probe_finding *finding) {
	const char *space = *finding->unit ? " " : "";
	if (!finding->told)
		return ifr_strdup("not told");
	if (finding->word)
		return ifr_strdup(finding->word);
	if (finding->low >= finding->high)
		return ifr_format("%.*g%s%s",
		                  finding->value < rint(finding->value) || finding->value > rint(finding->value) ? 4 : 12,
		                  finding->value, space, finding->unit);
	if (finding->low >= 100 && finding->low < 1e9)
		return ifr_format("%.0f (%.0f-%.0f)%s%s", finding->value, finding->low, finding->high, space,
		                  finding->unit);
	return ifr_format("%.3g (%.3g-%.3g)%s%s", finding->value, finding->low, finding->high, space, finding->unit);
}

const char *ifr_probe_sources(const struct ifr_probe_result *result) {
	return result->is_described ? "in the model" : result->has_events ? "by events and the clock" : "by the clock";
}

char *ifr_probe_experiment(const struct ifr_probe_result *result, const struct ifr_probe_finding *finding) {
	const bool by_events = finding->source == IFR_PROBE_BY_EVENTS;
	if (!result->has_events)
		return ifr_strdup(finding->experiment);
	return ifr_format("%s%s: %s", finding->told ? "measured " : "", by_events ? "by events" : "by the clock",
	                  finding->experiment);
}

static void print_finding(const struct ifr_probe_result *result, const struct ifr_probe_finding *finding,
                          struct ifr_buffer *out) {
	char *value = ifr_probe_value(finding), *experiment = ifr_probe_experiment(result, finding);
	char *first = ifr_format("  %-*s %-*s ", KEY_COLUMNS, finding->key, VALUE_COLUMNS, value);
	const bool is_long = strlen(value) > VALUE_COLUMNS;
	if (is_long)
		ifr_buffer_printf(out, "%s\n", first);
	char *rest = ifr_format("%*s", KEY_COLUMNS + VALUE_COLUMNS + 4, "");
	ifr_text_wrap(out, experiment, is_long ? rest : first, rest);
	free(rest);
	free(experiment);
	free(first);
	free(value);
}

/* A row without mispredictions, and another one of its step follows. */
static bool is_dull(const struct ifr_probe_result *result, size_t i) {
	const struct ifr_probe_step *step = &result->steps[i];
	return i + 1 < result->steps_count && step->missed < 0.0001 && step[1].missed < 0.0001 &&
	       step[1].step == step->step;
}

/* Ref: Milenković et al. 2004, tables IV and V. */
static void print_steps(const struct ifr_probe_result *result, struct ifr_buffer *out) {
	if (!result->steps_count)
		return;
	ifr_buffer_puts(out, "\nsteps for the outcome predictor (Milenkovic et al. 2004, figure 10)\n"
	                     "  step  pattern or dummies  mispredicted branches in a round\n");
	for (size_t i = 0; i < result->steps_count; i++)
		if (!is_dull(result, i))
			ifr_buffer_printf(out, "  %4u  %18u  %.4f\n", result->steps[i].step, result->steps[i].parameter,
			                  result->steps[i].missed);
}

void ifr_probe_text(const struct ifr_probe_result *result, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "%s, %s, seed %llu\n", result->machine, ifr_probe_sources(result),
	                  (unsigned long long)result->seed);
	if (result->why_no_events)
		ifr_text_wrap(out, result->why_no_events, "no events: ", "  ");
	for (unsigned part = 0; part < IFR_PROBE_PARTS; part++) {
		bool headed = false;
		for (size_t i = 0; i < result->findings_count; i++) {
			if (result->findings[i].part != part)
				continue;
			if (!headed)
				ifr_buffer_printf(out, "\n%s\n", ifr_probe_part_names[part]);
			headed = true;
			print_finding(result, &result->findings[i], out);
		}
	}
	print_steps(result, out);
}

static json_t *json_finding(const struct ifr_probe_finding *finding) {
	json_t *object = json_object();
	const bool is_number = finding->told && !finding->word;
	ifr_json_set(object, "part", ifr_json_text(ifr_probe_part_names[finding->part]));
	ifr_json_set(object, "key", ifr_json_text(finding->key));
	ifr_json_set(object, "setting", json_boolean(finding->is_setting));
	ifr_json_set(object, "told", json_boolean(finding->told));
	ifr_json_set(object, "value",
	             finding->told && finding->word ? ifr_json_text(finding->word)
	                                            : ifr_json_number_if(is_number, finding->value));
	ifr_json_set(object, "low", ifr_json_number_if(is_number, finding->low));
	ifr_json_set(object, "high", ifr_json_number_if(is_number, finding->high));
	ifr_json_set(object, "unit", ifr_json_text(finding->unit));
	ifr_json_set(object, "source", ifr_json_text(ifr_probe_source_names[finding->source]));
	ifr_json_set(object, "experiment", ifr_json_text(finding->experiment));
	return object;
}

static json_t *json_curves(const struct ifr_probe_result *result) {
	json_t *curves = json_array();
	for (size_t i = 0; i < result->curves_count; i++) {
		const struct ifr_probe_curve *curve = &result->curves[i];
		json_t *object = json_object(), *points = json_array();
		for (size_t j = 0; j < curve->count; j++) {
			json_t *point = json_array();
			for (unsigned k = 0; k < 4; k++)
				json_array_append_new(point, ifr_json_number(curve->points[j][k]));
			json_array_append_new(points, point);
		}
		ifr_json_set(object, "part", ifr_json_text(ifr_probe_part_names[curve->part]));
		ifr_json_set(object, "title", ifr_json_text(curve->title));
		ifr_json_set(object, "x", ifr_json_text(curve->x_label));
		ifr_json_set(object, "points", points);
		json_array_append_new(curves, object);
	}
	return curves;
}

void ifr_probe_json(const struct ifr_probe_result *result, struct ifr_buffer *out) {
	json_t *document = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *findings = json_array(),
		   *steps = json_array();
	ifr_json_set(document, "machine", ifr_json_text(result->machine));
	ifr_json_set(document, "source",
	             ifr_json_text(ifr_probe_source_names[result->has_events ? IFR_PROBE_BY_EVENTS : result->source]));
	ifr_json_set(document, "why_no_events",
	             result->why_no_events ? ifr_json_text(result->why_no_events) : json_null());
	ifr_json_set(document, "seed", json_integer((json_int_t)result->seed));
	for (size_t i = 0; i < result->findings_count; i++)
		json_array_append_new(findings, json_finding(&result->findings[i]));
	for (size_t i = 0; i < result->steps_count; i++)
		json_array_append_new(steps, json_pack("{s:i,s:i,s:o}", "step", (int)result->steps[i].step, "parameter",
		                                       (int)result->steps[i].parameter, "missed",
		                                       ifr_json_number(result->steps[i].missed)));
	ifr_json_set(document, "findings", findings);
	ifr_json_set(document, "curves", json_curves(result));
	ifr_json_set(document, "steps", steps);
	ifr_json_print(document, out);
}
