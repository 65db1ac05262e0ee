/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text: first what to do, then the breakdown. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/icost/interaction.h"
#include "harness/icost/sites.h"
#include "harness/output/output.h"

enum { PAIRS_TOLD = 3, LAYOUT_WORTH_PCT = 5 };
enum { SHORT_RUN = 5000000, START_SHOWS = 100000000 /* instructions */ };

/* A report under way. */
struct telling {
	const struct ifr_icost *icost;
	const struct ifr_icost_run *run;
	struct ifr_icost_breakdown breakdown;
	int width, with_width; /* columns of the causes' names, and of the interactions */
	struct ifr_buffer *out;
};

/* Percent of the run's cycles; no -0.0. */
static double percent(const struct telling *telling, double cycles) {
	const double value = 100 * cycles / ifr_icost_time(telling->icost, 0);
	return fabs(value) < 0.05 ? 0 : value;
}

static void put_paragraph(const struct telling *telling, struct ifr_buffer *text, const char *first,
                          const char *rest) {
	ifr_text_wrap(telling->out, ifr_buffer_text(text), first, rest);
	ifr_buffer_clear(text);
}

static const char *name_of(const struct telling *telling, enum ifr_cause cause) {
	return ifr_icost_about(telling->icost, cause)->name;
}

static void tell_run(const struct telling *telling, struct ifr_buffer *text) {
	const double cycles = ifr_icost_time(telling->icost, 0);
	ifr_buffer_printf(text, "%s on %s: %.0f cycles, %.2f an instruction.", telling->run->name,
	                  telling->run->machine, cycles, cycles / (double)telling->run->instructions);
	if (telling->run->damage)
		ifr_buffer_printf(text, " The trace is cut (%s): this is its part before that.", telling->run->damage);
	if (telling->run->sampled)
		ifr_buffer_printf(text, " The recording has two million of each %s instructions.", telling->run->sampled);
	if (telling->run->approximate)
		ifr_buffer_printf(
			text,
			" The program's behaviour depends on addresses (record --check): where a layout moves its %s, "
			"the figures are approximate.",
			telling->run->approximate);
	put_paragraph(telling, text, "", "");
}

/* Below a hundredth, nothing is worth a sentence. */
static bool is_worth(const struct telling *telling, const struct ifr_icost_value *value) {
	return ifr_icost_kind(telling->icost, value) != IFR_ICOST_INDEPENDENT;
}

static void tell_largest(const struct telling *telling, struct ifr_buffer *text) {
	const enum ifr_cause cause = telling->breakdown.order[0];
	const struct ifr_icost_value *cost = &telling->breakdown.alone[cause];
	ifr_buffer_puts(telling->out, "\n");
	if (!is_worth(telling, cost)) {
		ifr_buffer_puts(text,
		                "No cause alone costs a hundredth of the cycles: causes hide behind one another, or the "
		                "core is at its limit. Sets of causes tell which (--all).");
		put_paragraph(telling, text, "", "");
		return;
	}
	ifr_buffer_printf(text, "Most is lost by %s (%s). Without that, the run takes %.1f %% fewer cycles.",
	                  name_of(telling, cause), ifr_icost_about(telling->icost, cause)->about,
	                  percent(telling, cost->cycles));
	put_paragraph(telling, text, "", "");
	ifr_buffer_printf(text, "To do: %s.", ifr_icost_about(telling->icost, cause)->remedy);
	if (!telling->run->profile)
		ifr_buffer_puts(text, " Where: the same with --lines names the lines that bound the run.");
	put_paragraph(telling, text, "", "");
}

/* The place in the order of the most expensive cause of those that layouts bring, if it is worth a change; else the
 * number of causes. */
static size_t find_layout(const struct telling *telling) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	size_t i = 0;
	while (i < breakdown->count && (breakdown->order[i] < IFR_CAUSE_IMISS || breakdown->order[i] >= IFR_CAUSES))
		i++;
	return i < breakdown->count &&
	               percent(telling, breakdown->alone[breakdown->order[i]].cycles) >= LAYOUT_WORTH_PCT
	           ? i
	           : breakdown->count;
}

static void tell_further(const struct telling *telling, const char *lead, size_t place, struct ifr_buffer *text) {
	const enum ifr_cause cause = telling->breakdown.order[place];
	const struct ifr_cause_about *about = ifr_icost_about(telling->icost, cause);
	ifr_buffer_printf(text, "%s %s, %.1f %% (%s): %s.", lead, about->name,
	                  percent(telling, telling->breakdown.alone[cause].cycles), about->about, about->remedy);
	put_paragraph(telling, text, "", "");
}

/* The second cause, and the first of those that layouts bring: another layout is often the cheaper remedy. */
static void tell_next(const struct telling *telling, struct ifr_buffer *text) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	const size_t layout = find_layout(telling);
	if (!is_worth(telling, &breakdown->alone[breakdown->order[0]]))
		return;
	if (breakdown->count > 1 && is_worth(telling, &breakdown->alone[breakdown->order[1]]))
		tell_further(telling, "Next:", 1, text);
	if (layout > 1 && layout < breakdown->count)
		tell_further(telling, "Of what a layout changes, most is lost by", layout, text);
}

/* An interaction of two causes. */
struct pair {
	enum ifr_cause first, second;
	struct ifr_icost_value value;
};

static int by_size(const void *a, const void *b) {
	const double x = fabs(((const struct pair *)a)->value.cycles),
				 y = fabs(((const struct pair *)b)->value.cycles);
	return (x < y) - (x > y);
}

/* Lists all pairs, the largest interaction first. Returns their number. */
static size_t list_pairs(const struct telling *telling, struct pair *pairs) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	size_t count = 0;
	for (size_t i = 0; i < breakdown->count; i++)
		for (size_t k = i + 1; k < breakdown->count; k++) {
			struct pair *pair = &pairs[count++];
			*pair = (struct pair){.first = breakdown->order[i], .second = breakdown->order[k]};
			pair->value = ifr_icost_interaction(telling->icost, 1u << pair->first | 1u << pair->second);
		}
	qsort(pairs, count, sizeof *pairs, by_size);
	return count;
}

/* The second cause, which costs less, by itself and once the first is gone. */
static void tell_pair(const struct telling *telling, const struct pair *pair, struct ifr_buffer *text) {
	const struct ifr_icost_value *alone = telling->breakdown.alone;
	const bool parallel = pair->value.cycles > 0;
	const double shared = fabs(percent(telling, pair->value.cycles));
	const char *first = name_of(telling, pair->first), *second = name_of(telling, pair->second);
	const bool part = ifr_icost_site_is_part(first, pair->second) || ifr_icost_site_is_part(second, pair->first);
	ifr_buffer_printf(text, "%s and %s are %s: %s costs %.1f %% by itself, and %.1f %% once %s is gone: ", first,
	                  second, parallel ? "parallel" : "serial", second,
	                  percent(telling, alone[pair->second].cycles),
	                  percent(telling, alone[pair->second].cycles + pair->value.cycles), first);
	if (parallel)
		ifr_buffer_printf(text, "%.1f %% go only with both. Improve both.", shared);
	else if (part)
		ifr_buffer_puts(text, "they have cycles in common by definition, and --causes leaves one out.");
	else
		ifr_buffer_printf(
			text, "for the other %.1f %% either of the two will do. Improve the easier one, and look again.",
			shared);
	put_paragraph(telling, text, "  - ", "    ");
}

static void tell_pairs(const struct telling *telling, struct ifr_buffer *text) {
	struct pair pairs[IFR_CAUSE_LIMIT * IFR_CAUSE_LIMIT / 2];
	const size_t count = list_pairs(telling, pairs);
	size_t told = 0;
	for (size_t i = 0; i < count && told < PAIRS_TOLD && is_worth(telling, &pairs[i].value); i++) {
		if (!told++)
			ifr_buffer_puts(telling->out, "\n");
		tell_pair(telling, &pairs[i], text);
	}
	if (!told && count) {
		ifr_buffer_puts(text, "No two causes overlap by a hundredth of the cycles: improve each by itself.");
		put_paragraph(telling, text, "\n", "");
	}
}

/* Sites have longer names than other causes. */
static void choose_widths(struct telling *telling) {
	enum { WIDTH_LEAST = 8, WITH_LEAST = 9, WIDTH_MOST = 30, WITH_MOST = 24 };
	const int with = (int)strlen(name_of(telling, telling->breakdown.focus)) + 1;
	telling->width = WIDTH_LEAST;
	for (size_t i = 0; i < telling->breakdown.count; i++) {
		const int width = (int)strlen(name_of(telling, telling->breakdown.order[i]));
		telling->width = width > telling->width ? width : telling->width;
	}
	telling->width = telling->width < WIDTH_MOST ? telling->width : WIDTH_MOST;
	telling->with_width = with < WITH_LEAST ? WITH_LEAST : with < WITH_MOST ? with : WITH_MOST;
}

/* --- the breakdown -------------------------------------------------------------------------------------------- */

static void put_row(const struct telling *telling, enum ifr_cause cause) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	const struct ifr_icost_value *with = &breakdown->with_focus[cause];
	const enum ifr_icost_kind kind = ifr_icost_kind(telling->icost, with);
	char *first = ifr_format("%-*s %7.1f", telling->width, name_of(telling, cause),
	                         percent(telling, breakdown->alone[cause].cycles));
	char *line = cause == breakdown->focus
	                 ? ifr_format("%s %*s  %-9s ", first, telling->with_width, "", "")
	                 : ifr_format("%s %*.1f  %-9s ", first, telling->with_width, percent(telling, with->cycles),
	                              kind == IFR_ICOST_INDEPENDENT ? "" : ifr_icost_kinds[kind]);
	char *rest = ifr_format("%*s", (int)strlen(line), "");
	ifr_text_wrap(telling->out, ifr_icost_about(telling->icost, cause)->about, line, rest);
	free(rest);
	free(line);
	free(first);
}

/* Whether a row has anything to tell: alone or with the focus, the cause is not 0.0. */
static bool is_shown(const struct telling *telling, enum ifr_cause cause) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	return cause == breakdown->focus || percent(telling, breakdown->alone[cause].cycles) != 0 ||
	       percent(telling, breakdown->with_focus[cause].cycles) != 0;
}

/* One row for all causes that are not shown, so that the table still adds up. */
static void put_smaller(const struct telling *telling) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	struct ifr_buffer names = {0};
	double alone = 0, with = 0;
	for (size_t i = 0; i < breakdown->count; i++) {
		const enum ifr_cause cause = breakdown->order[i];
		if (is_shown(telling, cause))
			continue;
		ifr_buffer_printf(&names, "%s%s", names.length ? ", " : "below 0.05 each: ", name_of(telling, cause));
		alone += breakdown->alone[cause].cycles;
		with += breakdown->with_focus[cause].cycles;
	}
	if (names.length) {
		char *line = ifr_format("%-*s %7.1f %*.1f  %-9s ", telling->width, "smaller", percent(telling, alone),
		                        telling->with_width, percent(telling, with), "");
		char *rest = ifr_format("%*s", (int)strlen(line), "");
		ifr_text_wrap(telling->out, ifr_buffer_text(&names), line, rest);
		free(rest);
		free(line);
	}
	ifr_buffer_release(&names);
}

/* A row of what is no cause. */
static void put_sum(const struct telling *telling, const char *name, double cycles, const char *about) {
	char *line = ifr_format("%-*s %7.1f %*s ", telling->width, name, percent(telling, cycles),
	                        telling->with_width + 11, "");
	char *rest = ifr_format("%*s", (int)strlen(line), "");
	ifr_text_wrap(telling->out, about, line, rest);
	free(rest);
	free(line);
}

static void put_breakdown(const struct telling *telling) {
	const struct ifr_icost_breakdown *breakdown = &telling->breakdown;
	struct ifr_buffer *out = telling->out;
	char *with = ifr_format("+%s", name_of(telling, breakdown->focus));
	ifr_buffer_printf(out, "\n%-*s %7s %*s  (per cent of the cycles)\n", telling->width, "cause", "alone",
	                  telling->with_width, with);
	for (size_t i = 0; i < breakdown->count; i++) {
		const enum ifr_cause cause = breakdown->order[i];
		if (is_shown(telling, cause))
			put_row(telling, cause);
	}
	put_smaller(telling);
	put_sum(telling, "other", breakdown->other, "all other interactions");
	put_sum(telling, "rest", breakdown->rest, "left with all these causes idealised");
	ifr_buffer_printf(out, "%-*s %7.1f\n", telling->width, "total", 100.0);
	char *legend = ifr_format(
		"alone: cycles saved if only this cause is idealised. %s: cycles saved with both beyond what each "
		"saves alone, their interaction cost (parallel: > 0, serial: < 0). other: interactions without "
		"%s, or of three causes and more; below 0, costs above have cycles in common.",
		with, name_of(telling, breakdown->focus));
	ifr_text_wrap(out, legend, "\n", "");
	free(legend);
	if (breakdown->error > 0)
		ifr_buffer_printf(out, "From samples of the run: each is +- %.1f at most (twice the standard error).\n",
		                  200 * breakdown->error / ifr_icost_time(telling->icost, 0));
	free(with);
}

/* How much of the run the fragments have, and why others were dropped. */
static void put_coverage(const struct telling *telling, struct ifr_buffer *text) {
	const struct ifr_shotgun_coverage *profile = telling->run->profile;
	const double instructions = profile->instructions ? (double)profile->instructions / 100 : 1;
	ifr_buffer_printf(
		text,
		"From fragments of the shotgun profiler: %" PRIu64 " of %" PRIu64 " signature samples could be put "
		"together, with %" PRIu64 " detailed samples. %.1f %% of their instructions have a sample with all "
		"bits of the signature, %.1f %% one with the most of them, %.1f %% none (they take defaults).",
		profile->fragments, profile->signatures, profile->details, (double)profile->exact / instructions,
		(double)(profile->instructions - profile->exact - profile->missing) / instructions,
		(double)profile->missing / instructions);
	if (profile->shortened)
		ifr_buffer_printf(text, " %" PRIu64 " of the fragments end where samples no longer tell the path.",
		                  profile->shortened);
	if (profile->fragments < profile->signatures)
		ifr_buffer_printf(text,
		                  " Dropped: %" PRIu64 " for bits that cannot be, %" PRIu64
		                  " for code without samples, %" PRIu64 " for unknown targets, %" PRIu64 " as too short.",
		                  profile->impossible, profile->unknown, profile->lost, profile->cut);
	/* Measured: a mean error of 69 % at 0.26 million instructions, 15 at 1.4, below 5 from 35 on. */
	if (telling->run->instructions < SHORT_RUN)
		ifr_buffer_puts(
			text, " The run is short for a profile: code that is executed once is in no other sample, and its "
				  "fragments are dropped. Leave out --profile, or take a run of 5 million instructions or more.");
	else if (telling->run->instructions < START_SHOWS)
		ifr_buffer_puts(text,
		                " Code that is executed once, at the start, is in no other sample: in a run below 100 "
		                "million instructions, imiss comes out too small.");
	put_paragraph(telling, text, "\n", "");
}

static void put_all(const struct telling *telling) {
	ifr_buffer_puts(telling->out, "\n   cost   icost  (per cent of the cycles) of each set\n");
	for (size_t i = 1; i < telling->icost->count; i++) {
		const uint32_t set = telling->icost->sets[i];
		ifr_buffer_printf(telling->out, "%7.1f %7.1f  ",
		                  percent(telling, ifr_icost_cost(telling->icost, set).cycles),
		                  percent(telling, ifr_icost_interaction(telling->icost, set).cycles));
		ifr_icost_print_set(telling->icost, set, telling->out);
		ifr_buffer_puts(telling->out, "\n");
	}
}

void ifr_icost_text(const struct ifr_icost *icost, const struct ifr_icost_run *run, enum ifr_cause focus,
                    struct ifr_buffer *out) {
	struct telling telling = {.icost = icost, .run = run, .out = out};
	struct ifr_buffer text = {0};
	ifr_icost_break_down(icost, focus, &telling.breakdown);
	choose_widths(&telling);
	tell_run(&telling, &text);
	tell_largest(&telling, &text);
	tell_next(&telling, &text);
	tell_pairs(&telling, &text);
	put_breakdown(&telling);
	if (run->profile)
		put_coverage(&telling, &text);
	if (icost->all_subsets)
		put_all(&telling);
	ifr_buffer_release(&text);
}

void ifr_icost_print_causes(struct ifr_buffer *out) {
	for (unsigned i = 0; i < IFR_CAUSES; i++)
		ifr_buffer_printf(out, "%s%s: %s. Idealised: %s.", i ? "\n" : "", ifr_causes[i].name, ifr_causes[i].about,
		                  ifr_causes[i].ideal);
}
