/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's own benchmarks in the report of one experiment: a table of them, and notes on a program that chooses
 * its own iterations. */
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/comparison_prose.h"
#include "harness/report/prose.h"

enum { NAME_COLUMNS = 30 };

static const char *name_effect(const struct ifr_benchmark_finding *benchmark) {
	switch (benchmark->effect) {
	case IFR_EFFECT_FOUND:
		return "layout matters";
	case IFR_EFFECT_NONE:
		return "no layout effect";
	case IFR_EFFECT_NOT_FOUND:
		return "no effect found";
	default:
		return "unknown";
	}
}

static void put_row(struct ifr_buffer *out, const struct ifr_benchmark_finding *b) {
	struct ifr_buffer name = {0}, value = {0}, range = {0}, shipped = {0};
	ifr_buffer_puts(&name, b->counter->name);
	if (b->layouts)
		ifr_format_value(&value, &b->scale, b->centre);
	if (b->layouts)
		ifr_format_pct(&range, b->expected_range_pct);
	if (b->has_shipped && b->shipped_to_centre.known)
		ifr_format_signed_pct(&shipped, b->shipped_to_centre.difference_pct);
	if (name.length > NAME_COLUMNS)
		ifr_buffer_printf(out, "%s\n%*s", ifr_buffer_text(&name), NAME_COLUMNS, "");
	else
		ifr_buffer_printf(out, "%-*s", NAME_COLUMNS, ifr_buffer_text(&name));
	ifr_buffer_printf(out, " %-16s %10s %8s %8s\n", name_effect(b), ifr_buffer_text(&value),
	                  ifr_buffer_text(&range), ifr_buffer_text(&shipped));
	ifr_buffer_release(&name);
	ifr_buffer_release(&value);
	ifr_buffer_release(&range);
	ifr_buffer_release(&shipped);
}

/* A command in lines that still fit behind the indentation of code. */
static void put_command(struct ifr_buffer *out, const char *command) {
	static const char indent[] = "    ";
	enum { COLUMNS = 80 };
	struct ifr_buffer wrapped = {0};
	struct ifr_strings lines = {0};
	if (strlen(indent) + ifr_text_width(command, strlen(command)) <= COLUMNS) {
		ifr_buffer_printf(out, "%s\n\n", command);
		return;
	}
	ifr_text_command(&wrapped, command, indent);
	ifr_strings_split(&lines, ifr_buffer_text(&wrapped), "\n");
	for (size_t i = 0; i < lines.count; i++)
		ifr_buffer_printf(out, "%s\n", lines.items[i] + strlen(indent));
	ifr_buffer_puts(out, "\n");
	ifr_strings_release(&lines);
	ifr_buffer_release(&wrapped);
}

void ifr_prose_adaptation(struct ifr_prose *prose) {
	const struct ifr_dataset *dataset = prose->analysis->dataset;
	const char *iterations = ifr_dataset_fact(dataset, "own iterations");
	const char *command = ifr_dataset_fact(dataset, "own figures");
	if (!iterations) {
		comparison_say_unequal(dataset, &prose->text);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
		return;
	}
	ifr_prose_say(prose, IFR_PROSE_WARNING, iterations);
	if (!command)
		return;
	put_command(&prose->text, command);
	ifr_prose_end(prose, IFR_PROSE_CODE);
}

/* Whether layout matters for the reported benchmark, and for no other more clearly. */
static bool is_clearest(const struct ifr_analysis *analysis) {
	const struct ifr_benchmark_finding *own = NULL;
	for (size_t i = 0; i < analysis->benchmark_count; i++)
		if (analysis->benchmarks[i].counter == analysis->metric)
			own = &analysis->benchmarks[i];
	if (!own || own->effect != IFR_EFFECT_FOUND)
		return false;
	for (size_t i = 0; i < analysis->benchmark_count; i++)
		if (ifr_benchmark_is_clearer(&analysis->benchmarks[i], own))
			return false;
	return true;
}

void ifr_prose_benchmarks(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	size_t found = 0;
	if (analysis->benchmark_count < 2)
		return;
	for (size_t i = 0; i < analysis->benchmark_count; i++)
		found += analysis->benchmarks[i].effect == IFR_EFFECT_FOUND;
	ifr_prose_say(prose, IFR_PROSE_HEADING, "The program's benchmarks");
	ifr_buffer_printf(
		&prose->text,
		"Layout matters for %zu of %zu benchmarks (F tests of layouts against runs; their p-values are "
		"adjusted for all of them by Holm's method, so that the chance of any false one is 5 %%). The "
		"range is what to expect when all layouts are measured again. The "
		"rest of this report is about %s%s; --metric NAME reports another.",
		found, analysis->benchmark_count, analysis->metric->name,
		is_clearest(analysis) ? ", which has the smallest p-value" : "");
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	ifr_buffer_printf(&prose->text, "%-*s %-16s %10s %8s %8s\n", NAME_COLUMNS, "benchmark", "verdict", "median",
	                  "range", "shipped");
	for (size_t i = 0; i < analysis->benchmark_count; i++)
		put_row(&prose->text, &analysis->benchmarks[i]);
	ifr_prose_end(prose, IFR_PROSE_CODE);
}
