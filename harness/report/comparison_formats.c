/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons as JUnit's XML and as JSON. */
#include "harness/output/output.h"
#include "harness/report/comparison_prose.h"

/* 2: disturbed, runs_detrended, layout_effect and its interval were bursts, runs_moved, luck and luck_interval. */
enum { SCHEMA_VERSION = 2 };

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
		const struct ifr_comparison_entry alone = {
			entry->name, entry->benchmark, entry->command, *c, NULL, 0, NULL, NULL};
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

static json_t *json_interval(const struct ifr_interval *from) {
	return json_pack("{s:o,s:o,s:o}", "low", ifr_json_number(from->low), "high", ifr_json_number(from->high),
	                 "confidence", ifr_json_number(from->confidence));
}

static json_t *json_comparison(const struct ifr_comparison *c) {
	json_t *made = json_object();
	ifr_json_set(made, "metric", ifr_json_text(c->metric.name));
	ifr_json_set(made, "same_instructions", json_boolean(c->same_instructions));
	ifr_json_set(made, "unit", ifr_json_text(c->metric.unit));
	ifr_json_set(made, "source", ifr_json_text(c->metric.source));
	ifr_json_set(made, "old_mean", ifr_json_number(c->mean[0]));
	ifr_json_set(made, "new_mean", ifr_json_number(c->mean[1]));
	ifr_json_set(made, "ratio", ifr_json_number(c->ratio));
	ifr_json_set(made, "interval", json_interval(&c->interval));
	ifr_json_set(made, "sampling_error", ifr_json_number(c->sampling_error));
	ifr_json_set(made, "p", ifr_json_number(c->p));
	ifr_json_set(made, "family", ifr_json_count(c->family));
	ifr_json_set(made, "paired", json_boolean(c->paired));
	ifr_json_set(made, "pair_correlation",
	             ifr_json_number_if(c->pair_correlation == c->pair_correlation, c->pair_correlation));
	ifr_json_set(made, "pairs_above", c->paired ? ifr_json_count(c->above) : json_null());
	ifr_json_set(made, "interleaved", json_boolean(c->interleaved));
	ifr_json_set(made, "old_layouts", ifr_json_count(c->layouts[0]));
	ifr_json_set(made, "new_layouts", ifr_json_count(c->layouts[1]));
	ifr_json_set(made, "old_runs", ifr_json_count(c->runs[0]));
	ifr_json_set(made, "new_runs", ifr_json_count(c->runs[1]));
	ifr_json_set(made, "refused_layouts", ifr_json_count(c->refused_layouts));
	ifr_json_set(made, "refused_runs", ifr_json_count(c->refused_runs));
	ifr_json_set(made, "disturbed", json_boolean(c->disturbed));
	ifr_json_set(made, "runs_detrended", ifr_json_count(c->runs_detrended));
	ifr_json_set(made, "shipped_edited", json_pack("[b,b]", c->edited[0], c->edited[1]));
	ifr_json_set(made, "shipped_ratio", ifr_json_number_if(c->has_shipped, c->shipped_ratio));
	ifr_json_set(made, "shipped_interval",
	             c->has_layout_effect ? json_interval(&c->shipped_interval) : json_null());
	ifr_json_set(made, "layout_effect", ifr_json_number_if(c->has_shipped, c->layout_effect));
	ifr_json_set(made, "layout_effect_interval",
	             c->has_layout_effect ? json_interval(&c->layout_effect_interval) : json_null());
	return made;
}

/* The three lines, and the command of the third. */
static void set_headline(const struct ifr_comparison *comparison, json_t *made) {
	struct ifr_buffer lead[COMPARISON_LEAD] = {{0}}, command = {0};
	json_t *lines = json_array();
	comparison_say_lead(comparison, lead, &command);
	for (int i = 0; i < COMPARISON_LEAD; i++) {
		json_array_append_new(lines, ifr_json_text(ifr_buffer_text(&lead[i])));
		ifr_buffer_release(&lead[i]);
	}
	ifr_json_set(made, "headline", lines);
	ifr_json_set(made, "next_command", command.length ? ifr_json_text(ifr_buffer_text(&command)) : json_null());
	ifr_buffer_release(&command);
}

static json_t *json_kinds(const struct ifr_comparison_kinds *kinds) {
	json_t *made = json_object();
	ifr_json_set(made, "count", json_integer((json_int_t)kinds->names.count));
	ifr_json_set(made, "layouts", json_integer((json_int_t)kinds->layouts));
	if (kinds->layouts > 1) {
		ifr_json_set(made, "ratio", ifr_json_number(kinds->ratio));
		ifr_json_set(made, "low", ifr_json_number(kinds->interval.low));
		ifr_json_set(made, "high", ifr_json_number(kinds->interval.high));
		ifr_json_set(made, "f", ifr_json_number(kinds->f));
		ifr_json_set(made, "p", ifr_json_number(kinds->p));
	}
	return made;
}

static json_t *json_entry(const struct ifr_comparison_entry *entry) {
	json_t *made = json_object(), *others = json_array();
	ifr_json_set(made, "name", ifr_json_text(entry->name));
	ifr_json_set(made, "command", ifr_json_text(entry->command));
	ifr_json_set(made, "benchmark", ifr_json_text(entry->benchmark));
	ifr_json_set(made, "processors", entry->kinds ? json_kinds(entry->kinds) : json_null());
	ifr_json_set(made, "failure", ifr_json_text(entry->failure));
	if (!entry->failure) {
		ifr_json_set(made, "old", ifr_json_text(entry->main.side[0].name));
		ifr_json_set(made, "new", ifr_json_text(entry->main.side[1].name));
		ifr_json_set(made, "seed", ifr_json_text(ifr_dataset_fact(entry->main.side[1].dataset, "seed")));
		ifr_json_set(made, "host", ifr_json_text(ifr_dataset_fact(entry->main.side[1].dataset, "host")));
		set_headline(&entry->main, made);
		ifr_json_set(made, "verdict", ifr_json_text(ifr_comparison_verdict_name(entry->main.verdict)));
		ifr_json_set(made, "regression", json_boolean(entry->main.regressed));
		ifr_json_set(made, "layouts_needed", ifr_json_count(entry->main.needed));
		ifr_json_set(made, "layouts_recommended",
		             entry->main.recommended ? ifr_json_count(entry->main.recommended) : json_null());
		ifr_json_set(made, "result", json_comparison(&entry->main));
		for (size_t i = 0; i < entry->other_count; i++)
			json_array_append_new(others, json_comparison(&entry->others[i]));
	}
	ifr_json_set(made, "counters", others);
	return made;
}

/* A row for each command: what a reader of the whole suite needs first. */
static json_t *json_overview(const struct ifr_comparison_entry *entries, size_t count) {
	json_t *made = json_array();
	for (size_t i = 0; i < count; i++) {
		const struct ifr_comparison *c = &entries[i].main;
		const bool known = !entries[i].failure;
		json_t *row = json_object();
		ifr_json_set(row, "name", ifr_json_text(name_of(&entries[i])));
		ifr_json_set(row, "verdict", known ? ifr_json_text(ifr_comparison_verdict_name(c->verdict)) : json_null());
		ifr_json_set(row, "regression", known ? json_boolean(c->regressed) : json_null());
		ifr_json_set(row, "ratio", ifr_json_number_if(known, c->ratio));
		ifr_json_set(row, "interval", known ? json_interval(&c->interval) : json_null());
		ifr_json_set(row, "failure", ifr_json_text(entries[i].failure));
		json_array_append_new(made, row);
	}
	return made;
}

void ifr_comparison_json(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *comparisons = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(comparisons, json_entry(&entries[i]));
	ifr_json_set(root, "overview", json_overview(entries, count));
	ifr_json_set(root, "comparisons", comparisons);
	ifr_json_print(root, out);
}
