/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons as one self-contained page. */
#include <string.h>

#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/comparison_figures.h"
#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"
#include "harness/report/html.h"

static void put_escaped(struct ifr_buffer *out, const char *tag, const char *text) {
	ifr_buffer_printf(out, "<%s>", tag);
	ifr_escape_html(out, text);
	ifr_buffer_printf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

static void put_lead(struct ifr_buffer *out, const struct ifr_comparison *comparison) {
	struct ifr_buffer lead[COMPARISON_LEAD] = {{0}}, command = {0};
	comparison_say_lead(comparison, lead, &command);
	ifr_buffer_puts(out, "<div class=\"lead\">\n");
	for (int i = 0; i < COMPARISON_LEAD; i++) {
		put_escaped(out, "p", ifr_buffer_text(&lead[i]));
		ifr_buffer_release(&lead[i]);
	}
	if (command.length)
		put_escaped(out, "pre", ifr_buffer_text(&command));
	ifr_buffer_release(&command);
	ifr_buffer_puts(out, "</div>\n");
}

static void put_detail(void *out, bool warning, const char *text) {
	ifr_buffer_puts(out, warning ? "<li class=\"warning\">" : "<li>");
	ifr_escape_html(out, text);
	ifr_buffer_puts(out, "</li>\n");
}

/* A cell of a change with its interval, two columns. */
static void put_change(struct ifr_buffer *out, const struct ifr_comparison *c) {
	ifr_buffer_puts(out, "<td>");
	ifr_format_signed_pct(out, 100 * (c->ratio - 1));
	ifr_buffer_puts(out, "</td><td>");
	comparison_put_counter_range(out, c);
	ifr_buffer_puts(out, "</td>");
}

static void put_counters(struct ifr_buffer *out, const struct ifr_comparison_entry *entry) {
	if (!entry->other_count)
		return;
	ifr_buffer_puts(out, "<h3>All counters</h3>\n<div class=\"wide\"><table><tr><th class=\"name\">counter</th>"
	                     "<th>change over layouts</th><th>interval</th></tr>\n");
	for (size_t i = 0; i < entry->other_count; i++) {
		const struct ifr_comparison *c = &entry->others[i];
		ifr_buffer_puts(out, "<tr><td class=\"name\">");
		ifr_escape_html(out, c->metric.name);
		ifr_buffer_puts(out, "</td>");
		put_change(out, c);
		ifr_buffer_puts(out, "</tr>\n");
	}
	ifr_buffer_puts(out, "</table></div>\n");
	if (entry->other_count > 1)
		ifr_buffer_puts(out, "<p class=\"note\">Each interval stands alone: not corrected for the number of "
		                     "counters.</p>\n");
}

static void put_basis(struct ifr_buffer *out, const struct ifr_comparison_entry *entry) {
	ifr_buffer_puts(out, "<details><summary>What does this rest on?</summary>\n<ul>\n");
	comparison_say_details(&entry->main, put_detail, out);
	ifr_buffer_puts(out, "</ul>\n</details>\n");
}

static void put_program(struct ifr_buffer *out, const struct ifr_comparison_entry *entry) {
	struct ifr_buffer warnings = {0}, command = {0};
	comparison_say_program(entry, put_detail, &warnings, &command);
	if (warnings.length)
		ifr_buffer_printf(out, "<ul>\n%s</ul>\n", ifr_buffer_text(&warnings));
	if (command.length)
		put_escaped(out, "pre class=\"command\"", ifr_buffer_text(&command));
	ifr_buffer_release(&warnings);
	ifr_buffer_release(&command);
}

/* The name of a command or benchmark; where there is one comparison alone, both programs. */
static void put_name(struct ifr_buffer *out, const struct ifr_comparison_entry *entry) {
	const char *programs[2];
	if (*entry->name || entry->failure) {
		ifr_escape_html(out, *entry->name ? entry->name : entry->command ? entry->command : "");
		return;
	}
	comparison_find_names(&entry->main, programs);
	ifr_escape_html(out, programs[1]);
	ifr_buffer_puts(out, " against ");
	ifr_escape_html(out, programs[0]);
}

static void put_verdict(struct ifr_buffer *out, const struct ifr_comparison *c) {
	ifr_buffer_printf(out, "%s%s%s", ifr_comparison_verdict_name(c->verdict),
	                  comparison_is_of_start(c) ? " of the whole run" : "", c->regressed ? ", a regression" : "");
}

static void put_overview_row(struct ifr_buffer *out, const struct ifr_comparison_entry *entry, size_t number) {
	const struct ifr_comparison *c = &entry->main;
	ifr_buffer_printf(out, "<tr%s><td class=\"name\"><a href=\"#c%zu\">",
	                  !entry->failure && c->regressed ? " class=\"shipped\"" : "", number);
	put_name(out, entry);
	ifr_buffer_puts(out, "</a></td><td class=\"name\">");
	if (entry->failure) {
		ifr_buffer_puts(out, "not compared</td><td></td><td></td><td></td></tr>\n");
		return;
	}
	put_verdict(out, c);
	ifr_buffer_puts(out, "</td>");
	put_change(out, c);
	ifr_buffer_puts(out, "<td>");
	if (c->has_shipped)
		ifr_format_signed_pct(out, 100 * (c->shipped_ratio - 1));
	ifr_buffer_puts(out, "</td></tr>\n");
}

static void put_overview(struct ifr_buffer *out, const struct ifr_comparison_entry *entries, size_t count) {
	struct ifr_buffer summary = {0};
	comparison_put_summary(entries, count, &summary);
	ifr_buffer_puts(out, "<div class=\"lead\">\n");
	put_escaped(out, "p", ifr_buffer_text(&summary));
	ifr_buffer_puts(out, "</div>\n<div class=\"wide\"><table class=\"overview\"><tr><th class=\"name\">name</th>"
	                     "<th class=\"name\">verdict</th><th>change over layouts</th><th>interval</th>"
	                     "<th>as shipped</th></tr>\n");
	for (size_t i = 0; i < count; i++)
		put_overview_row(out, &entries[i], i);
	ifr_buffer_puts(out, "</table></div>\n");
	ifr_buffer_clear(&summary);
	comparison_put_family(entries, count, &summary);
	if (summary.length)
		put_escaped(out, "p", ifr_buffer_text(&summary));
	for (size_t i = 0; i < count && comparison_is_benchmarks(entries, count); i++)
		if (!entries[i].failure) {
			put_program(out, &entries[i]);
			break;
		}
	ifr_buffer_release(&summary);
}

static void put_entry(struct ifr_buffer *out, const struct ifr_comparison_entry *entry, size_t number) {
	ifr_buffer_printf(out, "<h2 id=\"c%zu\">", number);
	put_name(out, entry);
	if (!entry->failure) {
		ifr_buffer_puts(out, ": ");
		put_verdict(out, &entry->main);
	}
	ifr_buffer_puts(out, "</h2>\n");
	if (entry->failure) {
		char *failure = ifr_format("Not compared: %s.", entry->failure);
		put_escaped(out, "p", failure);
		free(failure);
		return;
	}
	put_lead(out, &entry->main);
	if (!entry->benchmark)
		put_program(out, entry);
	if (entry->command && *entry->command) {
		char *command = ifr_format("Command: %s", entry->command);
		put_escaped(out, "p", command);
		free(command);
	}
	comparison_draw_ratios(&entry->main, out);
	comparison_draw_sides(&entry->main, out);
	comparison_draw_pairs(&entry->main, out);
	put_counters(out, entry);
	put_basis(out, entry);
}

void ifr_comparison_html(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	ifr_buffer_printf(out,
	                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	                  "<meta name=\"generator\" content=\"interfero\">\n<title>interfero compare</title>\n"
	                  "<style>\n%s</style></head><body>\n<h1>A change, or a layout effect?</h1>\n",
	                  ifr_html_style);
	if (count > 1)
		put_overview(out, entries, count);
	for (size_t i = 0; i < count; i++)
		put_entry(out, &entries[i], i);
	ifr_buffer_puts(out, "</body></html>\n");
}
