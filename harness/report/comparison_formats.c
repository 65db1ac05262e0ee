/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons for programs: JUnit's XML and JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/comparison.h"
#include "harness/report/escape.h"

enum { SCHEMA_VERSION = 1 };

static const char *name_of(const struct ifr_comparison_entry *entry) {
	return *entry->name ? entry->name : entry->command;
}

static void put_case(const struct ifr_comparison_entry *entry, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	ifr_buffer_puts(out, "  <testcase classname=\"interfero.compare\" name=\"");
	ifr_escape_html(out, name_of(entry));
	ifr_buffer_puts(out, "\">\n");
	if (entry->failure) {
		ifr_buffer_puts(out, "    <error message=\"");
		ifr_escape_html(out, entry->failure);
		ifr_buffer_puts(out, "\"/>\n");
	} else {
		const struct ifr_comparison *c = &entry->main;
		if (c->regressed)
			ifr_buffer_printf(out, "    <failure message=\"%+.2f %% (%.4g %% interval %+.2f %% to %+.2f %%)\"/>\n",
			                  100 * (c->ratio - 1), 100 * c->interval.confidence, 100 * (c->interval.low - 1),
			                  100 * (c->interval.high - 1));
		const struct ifr_comparison_entry alone = {entry->name, entry->command, *c, NULL, 0, NULL};
		ifr_comparison_text(&alone, 1, false, &text);
		ifr_buffer_puts(out, "    <system-out>");
		ifr_escape_html(out, ifr_buffer_text(&text));
		ifr_buffer_puts(out, "</system-out>\n");
	}
	ifr_buffer_puts(out, "  </testcase>\n");
	ifr_buffer_release(&text);
}

void ifr_comparison_junit(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	size_t failures = 0, errors = 0;
	for (size_t i = 0; i < count; i++) {
		errors += entries[i].failure != NULL;
		failures += !entries[i].failure && entries[i].main.regressed;
	}
	ifr_buffer_printf(out,
	                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                  "<testsuite name=\"interfero compare\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
	                  count, failures, errors);
	for (size_t i = 0; i < count; i++)
		put_case(&entries[i], out);
	ifr_buffer_puts(out, "</testsuite>\n");
}

static void set(json_t *object, const char *key, json_t *value) {
	json_object_set_new(object, key, value);
}

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

static json_t *interval(const struct ifr_interval *from) {
	return json_pack("{s:o,s:o,s:o}", "low", number(from->low), "high", number(from->high), "confidence",
	                 number(from->confidence));
}

static json_t *describe(const struct ifr_comparison *c) {
	json_t *made = json_object();
	set(made, "metric", text(c->metric.name));
	set(made, "unit", text(c->metric.unit));
	set(made, "source", text(c->metric.source));
	set(made, "old_mean", number(c->mean[0]));
	set(made, "new_mean", number(c->mean[1]));
	set(made, "ratio", number(c->ratio));
	set(made, "interval", interval(&c->interval));
	set(made, "p", number(c->p));
	set(made, "paired", json_boolean(c->paired));
	set(made, "interleaved", json_boolean(c->together));
	set(made, "old_layouts", json_integer((json_int_t)c->layouts[0]));
	set(made, "new_layouts", json_integer((json_int_t)c->layouts[1]));
	set(made, "old_runs", json_integer((json_int_t)c->runs[0]));
	set(made, "new_runs", json_integer((json_int_t)c->runs[1]));
	set(made, "refused_layouts", json_integer((json_int_t)c->refused_layouts));
	set(made, "refused_runs", json_integer((json_int_t)c->refused_runs));
	set(made, "bursts", json_boolean(c->bursts));
	set(made, "runs_moved", json_integer((json_int_t)c->bursts_moved));
	set(made, "shipped_ratio", c->has_shipped ? number(c->shipped_ratio) : json_null());
	set(made, "shipped_interval", c->has_luck ? interval(&c->shipped_interval) : json_null());
	set(made, "luck", c->has_shipped ? number(c->luck) : json_null());
	set(made, "luck_interval", c->has_luck ? interval(&c->luck_interval) : json_null());
	return made;
}

static json_t *entry_of(const struct ifr_comparison_entry *entry) {
	json_t *made = json_object(), *others = json_array();
	set(made, "name", text(entry->name));
	set(made, "command", text(entry->command));
	set(made, "failure", text(entry->failure));
	if (!entry->failure) {
		set(made, "old", text(entry->main.side[0].name));
		set(made, "new", text(entry->main.side[1].name));
		set(made, "seed", text(ifr_dataset_fact(entry->main.side[1].dataset, "seed")));
		set(made, "host", text(ifr_dataset_fact(entry->main.side[1].dataset, "host")));
		set(made, "verdict", text(ifr_verdict_name(entry->main.verdict)));
		set(made, "regression", json_boolean(entry->main.regressed));
		set(made, "layouts_needed", json_integer((json_int_t)entry->main.needed));
		set(made, "layouts_recommended",
		    entry->main.recommended ? json_integer((json_int_t)entry->main.recommended) : json_null());
		set(made, "result", describe(&entry->main));
		for (size_t i = 0; i < entry->other_count; i++)
			json_array_append_new(others, describe(&entry->others[i]));
	}
	set(made, "counters", others);
	return made;
}

void ifr_comparison_json(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	json_t *root = json_object(), *comparisons = json_array();
	set(root, "schema_version", json_integer(SCHEMA_VERSION));
	set(root, "tool", text("interfero"));
	set(root, "version", text(INTERFERO_VERSION));
	for (size_t i = 0; i < count; i++)
		json_array_append_new(comparisons, entry_of(&entries[i]));
	set(root, "comparisons", comparisons);
	char *dumped = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	ifr_buffer_puts(out, dumped ? dumped : "null");
	ifr_buffer_puts(out, "\n");
	free(dumped);
	json_decref(root);
}
