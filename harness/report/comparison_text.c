/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons in words, and as a table for a review. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/analysis/comparison.h"
#include "harness/report/escape.h"
#include "harness/report/format.h"
#include "harness/report/wrap.h"

static bool is_time(const struct ifr_dataset_counter *metric) {
	return !strcmp(metric->unit, "ns") || !strcmp(metric->unit, "cycles") || !strcmp(metric->name, "cycles");
}

/* "4.1 % slower", "equal" */
static void put_ratio(struct ifr_buffer *out, const struct ifr_comparison *c, double ratio) {
	if (fabs(ratio - 1) < 5e-5) {
		ifr_buffer_puts(out, "equal (under 0.01 %)");
		return;
	}
	ifr_format_pct(out, 100 * (ratio - 1));
	ifr_buffer_puts(out, is_time(&c->metric) ? ratio > 1 ? " slower" : " faster"
	                     : ratio > 1         ? " higher"
	                                         : " lower");
}

/* "+1.2 % to +3.4 %" */
static void put_range(struct ifr_buffer *out, const struct ifr_interval *interval) {
	if (isinf(interval->high)) {
		ifr_buffer_puts(out, "unbounded");
		return;
	}
	ifr_format_signed_pct(out, 100 * (interval->low - 1));
	ifr_buffer_puts(out, " to ");
	ifr_format_signed_pct(out, 100 * (interval->high - 1));
}

static void put_interval(struct ifr_buffer *out, const struct ifr_interval *interval) {
	ifr_buffer_printf(out, "%.4g %% interval ", 100 * interval->confidence);
	put_range(out, interval);
}

static void say(struct ifr_buffer *out, struct ifr_buffer *sentence, const char *first) {
	ifr_text_wrap(out, ifr_buffer_text(sentence), first, strcmp(first, "  ") ? "    " : "  ");
	ifr_buffer_clear(sentence);
}

static void say_verdict(const struct ifr_comparison *c, struct ifr_buffer *s) {
	switch (c->verdict) {
	case IFR_VERDICT_CHANGE:
		ifr_buffer_puts(s, "The programs differ, whatever the layout.");
		break;
	case IFR_VERDICT_BOTH:
		ifr_buffer_puts(s, "The programs differ, and the files that ship differ by luck beside it.");
		break;
	case IFR_VERDICT_LAYOUT:
		ifr_buffer_puts(
			s, "The files that ship differ by the luck of their layouts; the programs cannot be told apart.");
		break;
	case IFR_VERDICT_NO_CHANGE:
		ifr_buffer_puts(s, "A change of ");
		ifr_format_pct(s, 100 * c->margin);
		ifr_buffer_puts(s, " or more can be ruled out.");
		break;
	case IFR_VERDICT_INCONCLUSIVE:
		ifr_buffer_puts(s, "These runs show no difference, and are too few to rule one of ");
		ifr_format_pct(s, 100 * c->margin);
		ifr_buffer_puts(s, " out.");
		break;
	}
	if (c->verdict == IFR_VERDICT_INCONCLUSIVE && c->recommended > c->layouts[1])
		ifr_buffer_printf(s, " About %zu layouts (-n) would find it nine times in ten.", c->recommended);
	else if (c->verdict == IFR_VERDICT_INCONCLUSIVE && !c->recommended)
		ifr_buffer_puts(
			s, " Layouts and runs vary too much for that on this machine: make it quieter, or the program "
			   "run longer.");
}

static void say_change(const struct ifr_comparison *c, struct ifr_buffer *s) {
	ifr_buffer_printf(s, "Over all layouts %s is ", c->side[1].name);
	put_ratio(s, c, c->ratio);
	if (fabs(c->ratio - 1) >= 5e-5)
		ifr_buffer_printf(s, " than %s", c->side[0].name);
	ifr_buffer_puts(s, " (");
	put_interval(s, &c->interval);
	ifr_buffer_puts(s, ", ");
	ifr_format_p(s, c->p);
	ifr_buffer_puts(s, ").");
}

static void say_shipped(const struct ifr_comparison *c, struct ifr_buffer *s) {
	if (!c->has_shipped) {
		ifr_buffer_puts(s, "The layouts that ship were not both measured: nothing can be said of their luck.");
		return;
	}
	ifr_buffer_puts(s, "As shipped: ");
	ifr_format_signed_pct(s, 100 * (c->shipped_ratio - 1));
	if (c->has_luck) {
		ifr_buffer_puts(s, " (");
		put_interval(s, &c->shipped_interval);
		ifr_buffer_puts(s, ")");
	}
	ifr_buffer_puts(s, ", of which ");
	ifr_format_signed_pct(s, 100 * (c->luck - 1));
	ifr_buffer_puts(s, " is the luck of these two files");
	if (c->has_luck) {
		bool clear = c->luck_interval.low > 1 || c->luck_interval.high < 1;
		ifr_buffer_puts(s, " (");
		put_interval(s, &c->luck_interval);
		ifr_buffer_puts(s, clear ? ")." : ": it may be none).");
	} else {
		ifr_buffer_puts(s, "; with one run of each there is no interval for that.");
	}
}

static void say_basis(const struct ifr_comparison *c, struct ifr_buffer *s) {
	ifr_buffer_printf(s, "Measured: %s (from %s), less is better; ", c->metric.name, c->metric.source);
	if (c->paired)
		ifr_buffer_printf(s, "%zu random layouts of both, in pairs that lie alike", c->layouts[1]);
	else
		ifr_buffer_printf(s, "%zu and %zu random layouts, not in pairs", c->layouts[0], c->layouts[1]);
	ifr_buffer_printf(s, "; %zu and %zu runs, %s.", c->runs[0], c->runs[1],
	                  c->together ? "all interleaved" : "each program at its own time");
	if (c->confidence != 0.95)
		ifr_buffer_puts(
			s, " The intervals are wider than usual because the data were looked at while they grew (planned "
			   "looks, Lan and DeMets 1983).");
	if (c->refused_runs || c->refused_layouts)
		ifr_buffer_printf(s, " Refused, and left out: layouts: %zu; single runs: %zu.", c->refused_layouts,
		                  c->refused_runs);
	if (c->bursts)
		ifr_buffer_printf(
			s,
			" The machine was slower or faster for some runs in a row: what a run has in common with "
			"those around it was taken off, which brought %zu back; none was left out.",
			c->bursts_moved);
}

static void warn_few(const struct ifr_comparison *c, struct ifr_buffer *out, struct ifr_buffer *s) {
	size_t layouts = c->layouts[0] < c->layouts[1] ? c->layouts[0] : c->layouts[1];
	if (layouts >= c->needed)
		return;
	ifr_buffer_printf(
		s,
		"%zu layouts are too few to be sure of 95 %% intervals: where layouts are lopsided, or some of "
		"a rare kind, they miss more often than they say. Take %zu (-n).",
		layouts, c->needed);
	say(out, s, "  ! ");
}

static void warn_apart(const struct ifr_comparison *c, struct ifr_buffer *out, struct ifr_buffer *s) {
	const struct ifr_dataset *a = c->side[0].dataset, *b = c->side[1].dataset;
	if (c->together)
		return;
	ifr_buffer_puts(s,
	                "The programs did not run interleaved: whatever changed on the machine in between counts as a "
	                "change of the program.");
	say(out, s, "  ! ");
	static const char *const facts[] = {"kernel", "pinned to", "aslr"};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *x = ifr_dataset_fact(a, facts[i]), *y = ifr_dataset_fact(b, facts[i]);
		if (!x || !y || !strcmp(x, y))
			continue;
		ifr_buffer_printf(s, "Their %s differs: \"%s\" and \"%s\".", facts[i], x, y);
		say(out, s, "  ! ");
	}
}

static void put_others(const struct ifr_comparison_entry *entry, struct ifr_buffer *out) {
	if (!entry->other_count)
		return;
	ifr_buffer_printf(out, "\n  %-28s %9s %9s  %s\n", "all counters", "ratio", "change", "interval");
	for (size_t i = 0; i < entry->other_count; i++) {
		const struct ifr_comparison *c = &entry->others[i];
		struct ifr_buffer change = {0}, range = {0}, name = {0};
		ifr_escape_plain(&name, c->metric.name);
		ifr_format_signed_pct(&change, 100 * (c->ratio - 1));
		put_range(&range, &c->interval);
		ifr_buffer_printf(out, "  %-28.28s %9.4f %9s  %s\n", ifr_buffer_text(&name), c->ratio,
		                  ifr_buffer_text(&change), ifr_buffer_text(&range));
		ifr_buffer_release(&change);
		ifr_buffer_release(&range);
		ifr_buffer_release(&name);
	}
}

static void put_entry(const struct ifr_comparison_entry *entry, bool color, struct ifr_buffer *out) {
	const struct ifr_comparison *c = &entry->main;
	struct ifr_buffer s = {0};
	if (*entry->name) {
		ifr_buffer_printf(&s, "%s: %s", entry->name, entry->command);
		ifr_text_wrap(out, ifr_buffer_text(&s), "", "  ");
		ifr_buffer_clear(&s);
	}
	if (entry->failure) {
		ifr_buffer_printf(&s, "Not compared: %s.", entry->failure);
		say(out, &s, "  ! ");
		ifr_buffer_release(&s);
		return;
	}
	ifr_buffer_printf(out, "%sVerdict: %s%s\n", color ? "\033[1m" : "", ifr_verdict_name(c->verdict),
	                  color ? "\033[0m" : "");
	say_verdict(c, &s);
	say(out, &s, "  ");
	say_change(c, &s);
	say(out, &s, "  - ");
	say_shipped(c, &s);
	say(out, &s, "  - ");
	say_basis(c, &s);
	say(out, &s, "  - ");
	warn_few(c, out, &s);
	warn_apart(c, out, &s);
	put_others(entry, out);
	ifr_buffer_release(&s);
}

void ifr_comparison_text(const struct ifr_comparison_entry *entries, size_t count, bool color,
                         struct ifr_buffer *out) {
	for (size_t i = 0; i < count; i++) {
		if (i)
			ifr_buffer_puts(out, "\n");
		put_entry(&entries[i], color, out);
	}
	if (count > 1)
		ifr_text_wrap(
			out,
			"The p-values allow for all commands of the suite (false discovery rate, Benjamini and Hochberg "
			"1995); the intervals are those of each command alone.",
			"\n", "");
}

/* A cell of a Markdown table: no bars, no markup of the reader's. */
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
		put_range(&cell, interval);
		ifr_buffer_puts(&cell, ")");
	}
	put_cell(out, ifr_buffer_text(&cell));
	ifr_buffer_release(&cell);
}

void ifr_comparison_markdown(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	ifr_buffer_puts(out, "| command | verdict | change over all layouts | as shipped | of which luck |\n"
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
		ifr_buffer_printf(&verdict, "%s%s", ifr_verdict_name(c->verdict), c->regressed ? ", a regression" : "");
		put_cell(out, ifr_buffer_text(&verdict));
		ifr_buffer_release(&verdict);
		put_change_cell(out, c->ratio, &c->interval);
		if (c->has_shipped) {
			put_change_cell(out, c->shipped_ratio, c->has_luck ? &c->shipped_interval : NULL);
			put_change_cell(out, c->luck, NULL);
		} else {
			ifr_buffer_puts(out, " | |");
		}
		ifr_buffer_puts(out, "\n");
	}
	if (count && !entries[0].failure)
		ifr_buffer_printf(out, "\n%s, 95 %% intervals; a plus is more, and so worse.\n",
		                  entries[0].main.metric.name);
}
