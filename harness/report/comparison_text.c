/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons as text, and as a Markdown table for a review. */
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"

static void put_lead(const struct ifr_comparison *comparison, bool color, struct ifr_buffer *out) {
	struct ifr_buffer lead[COMPARISON_LEAD] = {{0}}, command = {0};
	comparison_say_lead(comparison, lead, &command);
	ifr_buffer_puts(out, color ? "\033[1m" : "");
	ifr_text_wrap(out, ifr_buffer_text(&lead[0]), "", "");
	ifr_buffer_puts(out, color ? "\033[0m" : "");
	for (int i = 0; i < COMPARISON_LEAD; i++) {
		if (i)
			ifr_text_wrap(out, ifr_buffer_text(&lead[i]), "  ", "  ");
		ifr_buffer_release(&lead[i]);
	}
	if (command.length)
		ifr_text_command(out, ifr_buffer_text(&command), "      ");
	ifr_buffer_release(&command);
}

static void put_detail(void *out, bool warning, const char *text) {
	ifr_text_wrap(out, text, warning ? "  ! " : "  - ", "    ");
}

/* The names' column: as wide as the longest, and the line within 80 columns. */
static int name_width(const struct ifr_comparison_entry *entry) {
	enum { LEAST = 20, MOST = 38 };
	size_t width = LEAST;
	for (size_t i = 0; i < entry->other_count; i++) {
		const size_t length = strlen(entry->others[i].metric.name);
		width = length > width ? length : width;
	}
	return (int)(width < MOST ? width : MOST);
}

static void put_others(const struct ifr_comparison_entry *entry, struct ifr_buffer *out) {
	if (!entry->other_count)
		return;
	const int width = name_width(entry);
	ifr_buffer_printf(out, "\n  %-*s %9s %9s  %s\n", width, "all counters", "ratio", "change", "interval");
	for (size_t i = 0; i < entry->other_count; i++) {
		const struct ifr_comparison *c = &entry->others[i];
		struct ifr_buffer change = {0}, range = {0}, name = {0};
		ifr_escape_plain(&name, c->metric.name);
		ifr_format_signed_pct(&change, 100 * (c->ratio - 1));
		comparison_put_counter_range(&range, c);
		ifr_buffer_printf(out, "  %-*.*s %9.4f %9s  %s\n", width, width, ifr_buffer_text(&name), c->ratio,
		                  ifr_buffer_text(&change), ifr_buffer_text(&range));
		ifr_buffer_release(&change);
		ifr_buffer_release(&range);
		ifr_buffer_release(&name);
	}
	if (entry->other_count > 1)
		ifr_buffer_printf(out, "  Each interval stands alone: not corrected for looking at %zu counters.\n",
		                  entry->other_count);
}

static void put_program(const struct ifr_comparison_entry *entry, struct ifr_buffer *out) {
	struct ifr_buffer command = {0};
	comparison_say_program(entry, put_detail, out, &command);
	if (command.length)
		ifr_text_command(out, ifr_buffer_text(&command), "        ");
	ifr_buffer_release(&command);
}

static void put_entry(const struct ifr_comparison_entry *entry, bool color, struct ifr_buffer *out) {
	char *title = ifr_format("%s: %s", entry->name, entry->command ? entry->command : "");
	if (*entry->name)
		ifr_text_wrap(out, entry->benchmark ? entry->name : title, "", "  ");
	free(title);
	if (entry->failure) {
		char *failure = ifr_format("Not compared: %s.", entry->failure);
		ifr_text_wrap(out, failure, "  ! ", "    ");
		free(failure);
		return;
	}
	put_lead(&entry->main, color, out);
	if (!entry->benchmark)
		put_program(entry, out);
	ifr_buffer_puts(out, "\n");
	comparison_say_details(&entry->main, put_detail, out);
	put_others(entry, out);
}

enum { OVERVIEW_NAME = 24 };

/* "no change *", "change (regression)", "not compared" */
static void put_verdict(const struct ifr_comparison_entry *entry, struct ifr_buffer *out) {
	ifr_buffer_puts(out, entry->failure ? "not compared" : ifr_comparison_verdict_name(entry->main.verdict));
	ifr_buffer_puts(out, !entry->failure && entry->main.regressed ? " (regression)" : "");
	ifr_buffer_puts(out, !entry->failure && comparison_is_of_start(&entry->main) ? " *" : "");
}

static void put_overview_row(const struct ifr_comparison_entry *entry, bool color, struct ifr_buffer *out) {
	struct ifr_buffer name = {0}, verdict = {0}, change = {0}, range = {0};
	bool bold = color && (entry->failure || entry->main.regressed);
	ifr_escape_plain(&name, *entry->name ? entry->name : entry->command);
	put_verdict(entry, &verdict);
	if (!entry->failure) {
		ifr_format_signed_pct(&change, 100 * (entry->main.ratio - 1));
		comparison_put_counter_range(&range, &entry->main);
	}
	ifr_buffer_printf(out, "  %s%-*.*s %-21s %9s  %s%s\n", bold ? "\033[1m" : "", OVERVIEW_NAME, OVERVIEW_NAME,
	                  ifr_buffer_text(&name), ifr_buffer_text(&verdict), ifr_buffer_text(&change),
	                  ifr_buffer_text(&range), bold ? "\033[0m" : "");
	ifr_buffer_release(&name);
	ifr_buffer_release(&verdict);
	ifr_buffer_release(&change);
	ifr_buffer_release(&range);
}

static void put_overview(const struct ifr_comparison_entry *entries, size_t count, bool color,
                         struct ifr_buffer *out) {
	struct ifr_buffer summary = {0};
	comparison_put_summary(entries, count, &summary);
	ifr_text_wrap(out, ifr_buffer_text(&summary), "", "");
	double confidence = 0;
	for (size_t i = 0; i < count && !confidence; i++)
		confidence = entries[i].failure ? 0 : entries[i].main.confidence;
	ifr_buffer_printf(out, "  %-*s %-21s %9s  ", OVERVIEW_NAME, "command", "verdict", "change");
	ifr_buffer_printf(out, confidence ? "%.4g %% interval\n" : "interval\n", 100 * confidence);
	bool marked = false;
	for (size_t i = 0; i < count; i++) {
		put_overview_row(&entries[i], color, out);
		marked |= !entries[i].failure && comparison_is_of_start(&entries[i].main);
	}
	ifr_buffer_puts(
		out, marked ? "  * of the whole run, a fifth or more of which is the dynamic loader's start\n\n" : "\n");
	ifr_buffer_release(&summary);
}

static void put_open(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	struct ifr_buffer text = {0}, command = {0};
	comparison_say_open(entries, count, &text, &command);
	if (text.length)
		ifr_text_wrap(out, ifr_buffer_text(&text), "  ", "  ");
	if (command.length)
		ifr_text_command(out, ifr_buffer_text(&command), "      ");
	ifr_buffer_release(&text);
	ifr_buffer_release(&command);
}

/* The table and what to do about inconclusive ones, then the reasons for each benchmark that differs. */
static void put_benchmarks(const struct ifr_comparison_entry *entries, size_t count, bool color,
                           struct ifr_buffer *out) {
	struct ifr_buffer lead = {0};
	bool first = true;
	comparison_say_benchmarks(entries, count, &lead);
	ifr_buffer_puts(out, color ? "\033[1m" : "");
	ifr_text_wrap(out, ifr_buffer_text(&lead), "", "  ");
	ifr_buffer_puts(out, color ? "\033[0m\n" : "\n");
	ifr_buffer_release(&lead);
	comparison_put_table(entries, count, out);
	put_open(entries, count, out);
	for (size_t i = 0; i < count; i++) {
		if (!entries[i].failure && first)
			put_program(&entries[i], out);
		if (entries[i].failure)
			continue;
		first = false;
		if (entries[i].main.verdict != IFR_VERDICT_NO_CHANGE &&
		    entries[i].main.verdict != IFR_VERDICT_INCONCLUSIVE) {
			ifr_buffer_puts(out, "\n");
			put_entry(&entries[i], color, out);
		}
	}
}

/* Whether all kinds of processors have one ratio of the programs, behind the last kind's entry. */
static void put_kinds(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	for (size_t i = 0; i < count; i++) {
		const struct ifr_comparison_kinds *kinds = entries[i].kinds;
		struct ifr_buffer text = {0};
		if (!kinds || (i + 1 < count && entries[i + 1].kinds == kinds))
			continue;
		if (kinds->layouts < 2)
			ifr_buffer_puts(&text, "Too few layouts were measured on all processors to tell whether they agree.");
		else if (kinds->p < 1 - IFR_REPORT_CONFIDENCE)
			ifr_buffer_printf(
				&text,
				"The change is not the same on all %zu processors (F test p = %.2g over %zu layouts): each "
				"has its own, above, and there is no common one.",
				kinds->names.count, kinds->p, kinds->layouts);
		else {
			ifr_buffer_printf(
				&text,
				"No difference of the change between the %zu processors is found (F test p = %.2g over %zu "
				"layouts). Common to all: ",
				kinds->names.count, kinds->p, kinds->layouts);
			ifr_format_pct(&text, 100 * (kinds->ratio - 1));
			ifr_buffer_puts(&text, " (95 % interval ");
			comparison_put_range(&text, &kinds->interval, kinds->ratio);
			ifr_buffer_puts(&text, ").");
		}
		ifr_buffer_puts(out, "\n");
		ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
		ifr_buffer_release(&text);
	}
}

void ifr_comparison_text(const struct ifr_comparison_entry *entries, size_t count, bool color,
                         struct ifr_buffer *out) {
	size_t compared = 0;
	if (comparison_is_benchmarks(entries, count) && count > 1) {
		put_benchmarks(entries, count, color, out);
		return;
	}
	if (count > 1)
		put_overview(entries, count, color, out);
	for (size_t i = 0; i < count; i++) {
		if (i)
			ifr_buffer_puts(out, "\n");
		put_entry(&entries[i], color, out);
		compared += !entries[i].failure;
	}
	put_kinds(entries, count, out);
	if (compared > 1 && !entries->kinds)
		ifr_text_wrap(
			out,
			"The p-values are adjusted for all commands of the suite (false discovery rate, Benjamini and Hochberg "
			"1995); the intervals are those of each command alone.",
			"\n", "");
}

/* A cell of a Markdown table; escapes Markdown in the text. */
static void put_cell(struct ifr_buffer *out, const char *text) {
	struct ifr_buffer clean = {0};
	ifr_escape_plain(&clean, text);
	ifr_buffer_puts(out, " ");
	for (const char *c = ifr_buffer_text(&clean); *c; c++)
		ifr_buffer_printf(out, strchr("|\\`*_<>[]", *c) ? "\\%c" : "%c", *c);
	ifr_buffer_puts(out, " |");
	ifr_buffer_release(&clean);
}

static void put_change_cell(struct ifr_buffer *out, double ratio, const struct ifr_interval *interval) {
	struct ifr_buffer cell = {0};
	ifr_format_signed_pct(&cell, 100 * (ratio - 1));
	if (interval) {
		ifr_buffer_puts(&cell, " (");
		comparison_put_range(&cell, interval, ratio);
		ifr_buffer_puts(&cell, ")");
	}
	put_cell(out, ifr_buffer_text(&cell));
	ifr_buffer_release(&cell);
}

void ifr_comparison_markdown(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	ifr_buffer_puts(out, "| command | verdict | change over all layouts | as shipped | layout effect |\n"
	                     "|---|---|---:|---:|---:|\n");
	for (size_t i = 0; i < count; i++) {
		const struct ifr_comparison *c = &entries[i].main;
		ifr_buffer_puts(out, "|");
		put_cell(out, *entries[i].name ? entries[i].name : entries[i].command);
		if (entries[i].failure) {
			put_cell(out, "not compared");
			put_cell(out, entries[i].failure);
			ifr_buffer_puts(out, " | |\n");
			continue;
		}
		struct ifr_buffer verdict = {0};
		ifr_buffer_printf(&verdict, "%s%s%s", ifr_comparison_verdict_name(c->verdict),
		                  comparison_is_of_start(c) ? " of the whole run" : "",
		                  c->regressed ? ", a regression" : "");
		put_cell(out, ifr_buffer_text(&verdict));
		ifr_buffer_release(&verdict);
		put_change_cell(out, c->ratio, &c->interval);
		if (c->has_shipped) {
			put_change_cell(out, c->shipped_ratio, c->has_layout_effect ? &c->shipped_interval : NULL);
			put_change_cell(out, c->layout_effect, NULL);
		} else {
			ifr_buffer_puts(out, " | |");
		}
		ifr_buffer_puts(out, "\n");
	}
	if (comparison_is_benchmarks(entries, count)) {
		ifr_buffer_puts(out, "\nA plus is more, and so worse. ");
		comparison_put_family(entries, count, out);
		ifr_buffer_puts(out, "\n");
	} else if (count && !entries[0].failure) {
		ifr_buffer_printf(out, "\n%s, %.4g %% intervals; a plus is more, and so worse.\n",
		                  entries[0].main.metric.name, 100 * entries[0].main.confidence);
	}
}
