/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trial as a table and as JSON, and the list of experiments: from the table that runs them. */
#include "harness/probe/trial.h"

#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"

enum { SCHEMA_VERSION = 1, NAME_COLUMNS = 11 };

void ifr_probe_experiments_print(struct ifr_buffer *out) {
	for (const struct probe_experiment *experiment = probe_experiments; experiment->name; experiment++) {
		ifr_buffer_printf(out, "%s\n", experiment->name);
		ifr_text_wrap(out, experiment->about, "  ", "  ");
		for (const struct probe_parameter *parameter = experiment->parameters; parameter->name; parameter++) {
			char *range = ifr_format("%llu to %llu", (unsigned long long)parameter->least,
			                         (unsigned long long)parameter->most),
				 *first = ifr_format("  %*s=%-5llu %-17s ", NAME_COLUMNS, parameter->name,
			                         (unsigned long long)parameter->initial, range),
				 *rest = ifr_format("%*s", (int)strlen(first), "");
			ifr_text_wrap(out, parameter->about, first, rest);
			free(rest);
			free(first);
			free(range);
		}
	}
}

/* Whether a parameter has more than one value. */
static bool varies(const struct ifr_probe_trial *trial, size_t parameter) {
	for (size_t i = 1; i < trial->count; i++)
		if (trial->points[i].values[parameter] != trial->points[0].values[parameter])
			return true;
	return false;
}

static void print_fixed(const struct ifr_probe_trial *trial, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	for (size_t i = 0; trial->experiment->parameters[i].name; i++)
		if (!varies(trial, i))
			ifr_buffer_printf(&text, "%s%s=%llu", text.length ? " " : "", trial->experiment->parameters[i].name,
			                  (unsigned long long)trial->points[0].values[i]);
	if (text.length)
		ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	ifr_buffer_release(&text);
}

static void print_head(const struct ifr_probe_trial *trial, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "\nof a%s %s:\n", strchr("aeiou", *trial->experiment->element) ? "n" : "",
	                  trial->experiment->element);
	for (size_t i = 0; trial->experiment->parameters[i].name; i++)
		if (varies(trial, i))
			ifr_buffer_printf(out, "%*s ", NAME_COLUMNS, trial->experiment->parameters[i].name);
	ifr_buffer_puts(out, "     cycles");
	if (!trial->is_described)
		ifr_buffer_puts(out, "  from        to");
	for (size_t i = 0; trial->is_described && i < PROBE_SHOWN_EVENTS; i++)
		if (trial->experiment->events[i] < IFR_EVENT_COUNT)
			ifr_buffer_printf(out, "  %s", ifr_event_name(trial->experiment->events[i]));
	ifr_buffer_puts(out, "\n");
}

static void print_point(const struct ifr_probe_trial *trial, const struct probe_trial_point *point,
                        struct ifr_buffer *out) {
	for (size_t i = 0; trial->experiment->parameters[i].name; i++)
		if (varies(trial, i))
			ifr_buffer_printf(out, "%*llu ", NAME_COLUMNS, (unsigned long long)point->values[i]);
	if (point->cycles.told)
		ifr_buffer_printf(out, "%11.4g", point->cycles.value);
	else
		ifr_buffer_puts(out, "   not told");
	if (!trial->is_described && point->cycles.told)
		ifr_buffer_printf(out, "  %-10.4g  %.4g", point->cycles.low, point->cycles.high);
	for (size_t i = 0; trial->is_described && i < PROBE_SHOWN_EVENTS; i++)
		if (trial->experiment->events[i] < IFR_EVENT_COUNT)
			ifr_buffer_printf(out, "  %*.4f", (int)strlen(ifr_event_name(trial->experiment->events[i])),
			                  point->events[trial->experiment->events[i]]);
	ifr_buffer_puts(out, "\n");
}

void ifr_probe_trial_text(const struct ifr_probe_trial *trial, struct ifr_buffer *out) {
	char *head =
		ifr_format("%s, %s, seed %llu: %s", trial->machine, trial->is_described ? "in the model" : "by the clock",
	               (unsigned long long)trial->seed, trial->experiment->about);
	ifr_text_wrap(out, head, "", "");
	free(head);
	print_fixed(trial, out);
	print_head(trial, out);
	for (size_t i = 0; i < trial->count; i++)
		print_point(trial, &trial->points[i], out);
}

static json_t *json_point(const struct ifr_probe_trial *trial, const struct probe_trial_point *point) {
	json_t *object = json_object(), *values = json_object(), *events = json_object(), *samples = json_array();
	const bool told = point->cycles.told;
	for (size_t i = 0; trial->experiment->parameters[i].name; i++)
		ifr_json_set(values, trial->experiment->parameters[i].name, json_integer((json_int_t)point->values[i]));
	for (unsigned i = 0; trial->is_described && i < IFR_EVENT_COUNT; i++)
		if (i != IFR_EVENT_CYCLES && !ifr_event_needs_core(i))
			ifr_json_set(events, ifr_event_name(i), ifr_json_number(point->events[i]));
	for (size_t i = 0; i < point->samples_count; i++)
		json_array_append_new(samples, ifr_json_number(point->samples[i]));
	ifr_json_set(object, "parameters", values);
	ifr_json_set(object, "cycles", ifr_json_number_if(told, point->cycles.value));
	ifr_json_set(object, "low", ifr_json_number_if(told, point->cycles.low));
	ifr_json_set(object, "high", ifr_json_number_if(told, point->cycles.high));
	ifr_json_set(object, "events", events);
	ifr_json_set(object, "samples", samples);
	return object;
}

void ifr_probe_trial_json(const struct ifr_probe_trial *trial, struct ifr_buffer *out) {
	json_t *document = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *points = json_array();
	ifr_json_set(document, "machine", ifr_json_text(trial->machine));
	ifr_json_set(document, "source", ifr_json_text(trial->is_described ? "model" : "clock"));
	ifr_json_set(document, "seed", json_integer((json_int_t)trial->seed));
	ifr_json_set(document, "experiment", ifr_json_text(trial->experiment->name));
	ifr_json_set(document, "element", ifr_json_text(trial->experiment->element));
	for (size_t i = 0; i < trial->count; i++)
		json_array_append_new(points, json_point(trial, &trial->points[i]));
	ifr_json_set(document, "points", points);
	ifr_json_print(document, out);
}
