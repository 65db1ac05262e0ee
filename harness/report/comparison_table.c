/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a program's benchmarks, a row each, and the line that sums it up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/output/output.h"
#include "harness/report/comparison_prose.h"
#include "harness/report/format.h"

enum { NAME_COLUMNS = 32 };

bool comparison_is_benchmarks(const struct ifr_comparison_entry *entries, size_t count) {
	return count && entries[0].benchmark;
}

static bool is_change(const struct ifr_comparison_entry *entry) {
	return !entry->failure &&
	       (entry->main.verdict == IFR_VERDICT_CHANGE || entry->main.verdict == IFR_VERDICT_BOTH);
}

/* "3.5 times" from a factor of two on, else "12 %". */
static void put_size(struct ifr_buffer *out, double ratio) {
	const double factor = ratio > 1 ? ratio : 1 / ratio;
	if (factor >= 2 && isfinite(factor))
		ifr_buffer_printf(out, "%.*f times", factor < 10 ? 2 : 0, factor);
	else
		ifr_format_pct(out, 100 * (ratio - 1));
}

/* ", most of all NAME (3.5 times)" */
static void put_largest(struct ifr_buffer *out, const struct ifr_comparison_entry *entries, size_t count,
                        bool slower) {
	const struct ifr_comparison_entry *largest = NULL;
	for (size_t i = 0; i < count; i++)
		if (is_change(&entries[i]) && (entries[i].main.ratio > 1) == slower &&
		    (!largest || fabs(log(entries[i].main.ratio)) > fabs(log(largest->main.ratio))))
			largest = &entries[i];
	if (!largest)
		return;
	ifr_buffer_printf(out, " (%s: ", largest->name);
	put_size(out, largest->main.ratio);
	ifr_buffer_puts(out, ")");
}

static void put_count(struct ifr_buffer *out, size_t count, const char *what) {
	if (count)
		ifr_buffer_printf(out, ", %zu %s", count, what);
}

void comparison_say_benchmarks(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	size_t found[5] = {0}, slower = 0, faster = 0, failed = 0;
	bool time = true;
	for (size_t i = 0; i < count; i++) {
		failed += entries[i].failure != NULL;
		if (entries[i].failure)
			continue;
		found[entries[i].main.verdict]++;
		time &= ifr_counter_is_time(&entries[i].main.metric);
		slower += is_change(&entries[i]) && entries[i].main.ratio > 1;
		faster += is_change(&entries[i]) && entries[i].main.ratio <= 1;
	}
	ifr_buffer_printf(out, "Verdict: of %zu benchmark%s %zu %s %s", count, count == 1 ? "" : "s", slower,
	                  slower == 1 ? "is" : "are", time ? "slower" : "higher");
	put_largest(out, entries, count, true);
	ifr_buffer_printf(out, ", %zu %s", faster, time ? "faster" : "lower");
	put_largest(out, entries, count, false);
	put_count(out, found[IFR_VERDICT_NO_CHANGE], "unchanged");
	put_count(out, found[IFR_VERDICT_LAYOUT],
	          found[IFR_VERDICT_LAYOUT] == 1 ? "differs by layout alone" : "differ by layout alone");
	put_count(out, found[IFR_VERDICT_INCONCLUSIVE], "inconclusive");
	put_count(out, failed, "not compared");
	ifr_buffer_puts(out, ".");
}

static void put_row(struct ifr_buffer *out, const struct ifr_comparison_entry *entry) {
	const struct ifr_comparison *c = &entry->main;
	struct ifr_buffer name = {0}, range = {0};
	ifr_escape_plain(&name, entry->name);
	if (name.length > NAME_COLUMNS)
		ifr_buffer_printf(out, "  %s\n  %*s", ifr_buffer_text(&name), NAME_COLUMNS, "");
	else
		ifr_buffer_printf(out, "  %-*s", NAME_COLUMNS, ifr_buffer_text(&name));
	if (entry->failure) {
		ifr_buffer_printf(out, " %s\n", "not compared");
	} else {
		comparison_put_counter_range(&range, c);
		ifr_buffer_printf(out, " %-12s %7.*f  %s%s\n", ifr_comparison_verdict_name(c->verdict),
		                  c->ratio < 100 ? 3 : 0, c->ratio, ifr_buffer_text(&range), c->regressed ? " !" : "");
	}
	ifr_buffer_release(&range);
	ifr_buffer_release(&name);
}

void comparison_put_family(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	for (size_t i = 0; i < count; i++)
		if (!entries[i].failure && entries[i].main.family > 1) {
			ifr_buffer_printf(out,
			                  "Intervals and verdicts hold for all %zu benchmarks together: the chance that any "
			                  "unchanged one is called changed is 5 %% at most (Bonferroni; each interval has "
			                  "%.4g %%).",
			                  entries[i].main.family, 100 * entries[i].main.confidence);
			return;
		}
}

/* Each reason once, with all benchmarks that it holds for. */
static void put_failures(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *sentence,
                         struct ifr_buffer *out) {
	for (size_t i = 0; i < count; i++) {
		const char *reason = entries[i].failure;
		bool told = !reason;
		for (size_t j = 0; j < i && !told; j++)
			told = entries[j].failure && !strcmp(entries[j].failure, reason);
		if (told)
			continue;
		ifr_buffer_clear(sentence);
		for (size_t j = i; j < count; j++)
			if (entries[j].failure && !strcmp(entries[j].failure, reason))
				ifr_buffer_printf(sentence, "%s%s", j > i ? ", " : "", entries[j].name);
		ifr_buffer_printf(sentence, ": not compared: %s.", reason);
		ifr_text_wrap(out, ifr_buffer_text(sentence), "  ! ", "    ");
	}
}

void comparison_put_table(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	bool regressed = false;
	struct ifr_buffer sentence = {0};
	ifr_buffer_printf(out, "  %-*s %-12s %7s  %s\n", NAME_COLUMNS, "benchmark", "verdict", "new/old",
	                  "change, interval");
	for (size_t i = 0; i < count; i++) {
		put_row(out, &entries[i]);
		regressed |= !entries[i].failure && entries[i].main.regressed;
	}
	if (regressed)
		ifr_buffer_puts(out, "  ! a regression\n");
	comparison_put_family(entries, count, &sentence);
	if (sentence.length)
		ifr_text_wrap(out, ifr_buffer_text(&sentence), "  ", "  ");
	put_failures(entries, count, &sentence, out);
	ifr_buffer_release(&sentence);
}
