/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of `interfero misses`, in 80 columns: a headline, the loads by misses, each profiled load in its contexts, and
 * all of them together under each scheme. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/commands/misses_against.h"
#include "harness/output/output.h"

static double percent(double part, double whole) {
	return whole > 0 ? 100 * part / whole : 0;
}

static double per_load(double cycles, uint64_t references) {
	return references ? cycles / (double)references : 0;
}

/* --- headline ---------------------------------------------------------------------------------------------------- */

static void put_saving(const struct misses_result *result, struct ifr_buffer *text) {
	const struct ifr_judged_loads *judged = &result->judged;
	const double summary =
		ifr_miss_prediction_cycles(&judged->schemes[IFR_SCHEME_SUMMARY].predicted, judged->latency);
	const double best = ifr_miss_prediction_cycles(&judged->schemes[IFR_SCHEME_BEST].predicted, judged->latency);
	const double ideal = (double)judged->misses * judged->latency.overhead;
	ifr_buffer_printf(text,
	                  "%zu load%s %s now and then, with %.0f%% of all misses of loads. Where %s context tells "
	                  "which reference misses, tolerating costs %.2f cycles a reference, by the miss ratio alone "
	                  "%.2f, ideally %.2f.",
	                  judged->count, judged->count == 1 ? "" : "s", judged->count == 1 ? "misses" : "miss",
	                  percent((double)judged->misses, (double)result->profile.misses),
	                  judged->count == 1 ? "its" : "their", per_load(best, judged->references),
	                  per_load(summary, judged->references), per_load(ideal, judged->references));
}

void misses_say_headline(const struct misses_result *result, struct ifr_buffer *text) {
	if (!result->profile.misses)
		ifr_buffer_printf(text, "No load misses the %s.", misses_level_name(result->level));
	else if (!result->judged.count)
		ifr_buffer_printf(
			text,
			"Of the loads with the most misses of the %s, none misses now and then (%.0f to %.0f%%): their "
			"miss ratios tell all.",
			misses_level_name(result->level), 100 * result->least, 100 * result->most);
	else
		put_saving(result, text);
}

void misses_say_conditions(const struct misses_result *result, struct ifr_buffer *text) {
	const unsigned *cache = &result->machine->values[misses_level_setting(result->level)];
	ifr_buffer_printf(
		text,
		"%s of %s: %u bytes, %u way%s, lines of %u. A miss stalls L = %.1f cycles (%s), tolerating a "
		"reference costs V = %.1f.",
		misses_level_name(result->level), result->machine_name, cache[0], cache[1], cache[1] == 1 ? "" : "s",
		cache[2], result->latency.miss, result->latency_given ? "as given" : "mean of the machine's penalties",
		result->latency.overhead);
}

/* --- the summary profile ----------------------------------------------------------------------------------------- */

static void put_load(const struct misses_result *result, size_t rank, struct ifr_buffer *out) {
	const struct ifr_load_summary *summary = &result->profile.summary;
	const struct ifr_load_count *load = &summary->loads[result->profile.order[rank]];
	const struct ifr_load_name *name = &result->profile.names[rank];
	struct ifr_buffer line = {0}, text = {0};
	ifr_buffer_printf(&line, "%12" PRIu64 " %5.1f%%", load->misses[result->level],
	                  percent((double)load->misses[result->level], (double)result->profile.misses));
	for (unsigned i = 0; i < summary->levels; i++)
		ifr_buffer_printf(&line, " %5.1f%%", percent((double)load->misses[i], (double)load->references));
	if (result->core)
		ifr_buffer_printf(&line, " %11.0f", load->stalls);
	ifr_buffer_puts(&line, "  ");
	char *rest = ifr_format("%*s  ", (int)line.length - 2, "");
	ifr_buffer_printf(&text, "%s%s%s", name->code, *name->data ? ": " : "", name->data);
	ifr_text_wrap(out, ifr_buffer_text(&text), ifr_buffer_text(&line), rest);
	free(rest);
	ifr_buffer_release(&line);
	ifr_buffer_release(&text);
}

static void put_summary(const struct misses_result *result, struct ifr_buffer *out) {
	if (!result->profile.named)
		return;
	ifr_buffer_printf(out, "\n%12s %6s", "misses", "share");
	for (unsigned i = 0; i < result->profile.summary.levels; i++)
		ifr_buffer_printf(out, " %6s", misses_level_name(i));
	ifr_buffer_printf(out, "%s  load: data it missed\n", result->core ? "      stalls" : "");
	for (size_t i = 0; i < result->profile.named; i++)
		put_load(result, i, out);
	if (result->profile.count > result->profile.named) {
		uint64_t rest = 0;
		for (size_t i = result->profile.named; i < result->profile.count; i++)
			rest += result->profile.summary.loads[result->profile.order[i]].misses[result->level];
		ifr_buffer_printf(out, "%12" PRIu64 " %5.1f%%  %zu other load%s\n", rest,
		                  percent((double)rest, (double)result->profile.misses),
		                  result->profile.count - result->profile.named,
		                  result->profile.count - result->profile.named == 1 ? "" : "s");
	}
}

/* Cycles and lines with the program's prefetches, and without what they bring. */
static void say_modelled(const struct misses_result *result, struct ifr_buffer *text) {
	const struct ifr_load_prefetches *prefetches = &result->profile.prefetches;
	const uint64_t *with = prefetches->counters.value, *without = result->profile.summary.counts.value;
	const double lines = (double)without[IFR_EVENT_LLC_MISSES];
	if (!prefetches->in_core)
		return;
	ifr_buffer_printf(text,
	                  " By the core the run takes %+.1f%% cycles with what they bring; %" PRIu64
	                  " loads wait for a line that one has under way; lines from memory: %+.1f%%.",
	                  percent((double)with[IFR_EVENT_CYCLES], (double)without[IFR_EVENT_CYCLES]) - 100,
	                  with[IFR_EVENT_PREFETCHES_LATE],
	                  lines > 0 ? percent((double)with[IFR_EVENT_LLC_MISSES], lines) - 100 : 0);
}

void misses_say_prefetches(const struct misses_result *result, struct ifr_buffer *text) {
	const struct ifr_load_prefetches *prefetches = &result->profile.prefetches;
	if (!prefetches->executed)
		return;
	ifr_buffer_printf(text,
	                  "Prefetches of the program: %" PRIu64
	                  " executed. %.1f%% find the line there already, %.1f%% are "
	                  "of use, %.1f%% fetch a line in vain. With them loads miss %" PRIu64
	                  " times rather than %" PRIu64 ", if each came in time; all other figures are without them.",
	                  prefetches->executed, percent((double)prefetches->present, (double)prefetches->executed),
	                  percent((double)prefetches->used, (double)prefetches->executed),
	                  percent((double)prefetches->unused, (double)prefetches->executed), prefetches->misses,
	                  result->profile.misses);
	say_modelled(result, text);
}

/* --- contexts ---------------------------------------------------------------------------------------------------- */

static void put_judged_head(const char *first, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "  %-18s %4s %9s %12s %12s %12s\n", first, "N", "contexts", "hit as miss",
	                  "miss as hit", "cycles each");
}

static void put_judged(const char *name, unsigned length, const struct ifr_judged *judged, uint64_t references,
                       struct ifr_latency latency, struct ifr_buffer *out) {
	char *n = length ? ifr_format("%u", length) : ifr_strdup("");
	ifr_buffer_printf(out, "  %-18s %4s %9zu %12" PRIu64 " %12" PRIu64 " %12.3f\n", name, n, judged->groups,
	                  judged->predicted.hit_as_miss, judged->predicted.miss_as_hit,
	                  per_load(ifr_miss_prediction_cycles(&judged->predicted, latency), references));
	free(n);
}

/* The path, or the outcomes, before the load. */
static void say_after(const struct ifr_described_context *described, struct ifr_buffer *text) {
	const char *after = described->text;
	if (!after)
		ifr_buffer_printf(text, "the outcomes %016" PRIx64, described->context->key);
	else if (described->kind == IFR_LOAD_CONTEXT_CONTROL_FLOW)
		ifr_buffer_puts(text, *after ? after : "the start of the trace");
	else if (described->length == 1)
		ifr_buffer_puts(text, *after == 'm' ? "a miss" : "a hit");
	else
		ifr_buffer_printf(text, "%s (hits and misses, the last one at the end)", after);
}

bool misses_say_context(const struct misses_result *result, size_t i, unsigned k, const char *percent_sign,
                        struct ifr_buffer *text) {
	if (k >= MISSES_DESCRIBED || !result->described[i][k].context)
		return false;
	const struct ifr_described_context *described = &result->described[i][k];
	const struct ifr_load_context *context = described->context;
	if (context->references * 100 < result->judged.items[i].references)
		return false;
	ifr_buffer_printf(text, "%.1f%s of %" PRIu64 " miss after ",
	                  percent((double)context->misses, (double)context->references), percent_sign,
	                  context->references);
	say_after(described, text);
	return true;
}

static void put_described(const struct misses_result *result, size_t i, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	for (unsigned k = 0; misses_say_context(result, i, k, "%", &text); k++) {
		ifr_text_wrap(out, ifr_buffer_text(&text), "    - ", "      ");
		ifr_buffer_clear(&text);
	}
	ifr_buffer_release(&text);
}

static void put_contexts(const struct misses_result *result, size_t i, struct ifr_buffer *out) {
	const struct ifr_judged_load *load = &result->judged.items[i];
	const struct ifr_latency latency = result->latency;
	const char *best =
		load->kind < 0 ? "no context tells more than the ratio" : ifr_load_context_kind_names[load->kind];
	struct ifr_buffer text = {0};
	ifr_buffer_printf(&text, "%s: %.1f%% of %" PRIu64 " references miss. Best: %s",
	                  result->profile.names[misses_rank(result, i)].code,
	                  percent((double)load->misses, (double)load->references), load->references, best);
	if (load->kind >= 0)
		ifr_buffer_printf(&text, ", N = %u", result->lengths[load->lengths[load->kind]]);
	ifr_buffer_puts(&text, ".");
	ifr_buffer_puts(out, "\n");
	ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	ifr_buffer_release(&text);
	put_judged_head("context", out);
	put_judged("summary", 0, &load->summary, load->references, latency, out);
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++)
		if (load->lengths[kind] >= 0)
			put_judged(ifr_load_context_kind_names[kind], result->lengths[load->lengths[kind]],
			           &load->contexts[kind][load->lengths[kind]], load->references, latency, out);
		else
			ifr_buffer_printf(out, "  %-18s too many contexts\n", ifr_load_context_kind_names[kind]);
	ifr_buffer_printf(out, "  %-57s %12.3f\n", "ideal",
	                  per_load((double)load->misses * latency.overhead, load->references));
	put_described(result, i, out);
}

/* --- schemes ----------------------------------------------------------------------------------------------------- */

static void put_bins(const struct misses_result *result, struct ifr_buffer *out) {
	ifr_buffer_puts(out, "\nReferences by the miss ratio of their context, in percent:\n  ");
	ifr_buffer_printf(out, "%-18s", "");
	for (unsigned bin = 0; bin < IFR_MISS_RATIO_BINS; bin++)
		ifr_buffer_printf(out, " %4u%s", 10 * bin, bin ? "-" : " ");
	ifr_buffer_puts(out, "\n");
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++) {
		ifr_buffer_printf(out, "  %-18s", ifr_miss_scheme_names[scheme]);
		for (unsigned bin = 0; bin < IFR_MISS_RATIO_BINS; bin++)
			ifr_buffer_printf(
				out, " %5.1f",
				percent((double)result->judged.schemes[scheme].bins[bin], (double)result->judged.references));
		ifr_buffer_puts(out, "\n");
	}
}

static void put_time(const struct misses_result *result, struct ifr_buffer *out) {
	const double plain = misses_time_plain(result);
	ifr_buffer_printf(out, "\nTime, in percent of that without tolerance:\n  %-18s %7s %7s %7s %7s %7s %7s\n", "",
	                  "all", "busy", "others", "useful", "wasted", "stalls");
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++) {
		const struct misses_time time = misses_time_of(result, scheme);
		ifr_buffer_printf(
			out, "  %-18s %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f\n", ifr_miss_scheme_names[scheme],
			percent(time.busy + time.other_stalls + time.useful + time.wasted + time.untolerated, plain),
			percent(time.busy, plain), percent(time.other_stalls, plain), percent(time.useful, plain),
			percent(time.wasted, plain), percent(time.untolerated, plain));
	}
	ifr_text_wrap(
		out,
		"busy: instructions at the machine's width; others: stalls of loads that are not profiled; useful "
		"and wasted: overhead of tolerated misses and hits; stalls: misses that are not tolerated.",
		"  ", "  ");
}

/* Cycles a reference by the ratio of overhead and latency. Ref: Mowry and Luk 1997, figure 5. */
static void put_curve(const struct misses_result *result, struct ifr_buffer *out) {
	static const double shares[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
	enum { SHARES = sizeof shares / sizeof *shares };
	struct misses_point points[SHARES];
	ifr_buffer_printf(out, "\nCycles a reference by V / L:\n  %-18s", "");
	for (unsigned i = 0; i < SHARES; i++) {
		points[i] = misses_point_at(result, shares[i] * result->judged.latency.miss);
		ifr_buffer_printf(out, " %7.2f", shares[i]);
	}
	ifr_buffer_printf(out, "\n  %-18s", "never");
	for (unsigned i = 0; i < SHARES; i++)
		ifr_buffer_printf(out, " %7.2f", points[i].never);
	ifr_buffer_printf(out, "\n  %-18s", "always");
	for (unsigned i = 0; i < SHARES; i++)
		ifr_buffer_printf(out, " %7.2f", points[i].always);
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++) {
		ifr_buffer_printf(out, "\n  %-18s", ifr_miss_scheme_names[scheme]);
		for (unsigned i = 0; i < SHARES; i++)
			ifr_buffer_printf(out, " %7.2f", points[i].schemes[scheme]);
	}
	ifr_buffer_printf(out, "\n  %-18s", "ideal");
	for (unsigned i = 0; i < SHARES; i++)
		ifr_buffer_printf(out, " %7.2f", points[i].ideal);
	ifr_buffer_puts(out, "\n");
}

static void put_schemes(const struct misses_result *result, struct ifr_buffer *out) {
	const struct ifr_judged_loads *judged = &result->judged;
	const double wrong = (double)ifr_miss_prediction_wrong(&judged->schemes[IFR_SCHEME_SUMMARY].predicted);
	ifr_buffer_printf(out, "\nAll %zu together:\n  %-18s %12s %12s %12s %12s\n", judged->count, "scheme",
	                  "hit as miss", "miss as hit", "mispredicted", "cycles each");
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++) {
		const struct ifr_miss_prediction *predicted = &judged->schemes[scheme].predicted;
		ifr_buffer_printf(out, "  %-18s %12" PRIu64 " %12" PRIu64 " %11.1f%% %12.3f\n",
		                  ifr_miss_scheme_names[scheme], predicted->hit_as_miss, predicted->miss_as_hit,
		                  percent((double)ifr_miss_prediction_wrong(predicted), wrong),
		                  per_load(ifr_miss_prediction_cycles(predicted, judged->latency), judged->references));
	}
	ifr_buffer_printf(out, "  %-57s %12.3f\n  %-57s %12.3f\n  %-57s %12.3f\n", "never tolerated",
	                  per_load((double)judged->misses * judged->latency.miss, judged->references),
	                  "always tolerated", judged->latency.overhead, "ideal",
	                  per_load((double)judged->misses * judged->latency.overhead, judged->references));
}

/* A paragraph of what `say` says, if it says anything. */
static void put_paragraph(const struct misses_result *result,
                          void (*say)(const struct misses_result *, struct ifr_buffer *), struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	say(result, &text);
	if (text.length) {
		ifr_buffer_puts(out, out->length ? "\n" : "");
		ifr_text_wrap(out, ifr_buffer_text(&text), "", "");
	}
	ifr_buffer_release(&text);
}

void misses_print_text(const struct misses_result *result, struct ifr_buffer *out) {
	put_paragraph(result, misses_say_headline, out);
	put_paragraph(result, misses_say_conditions, out);
	put_summary(result, out);
	put_paragraph(result, misses_say_prefetches, out);
	if (result->against)
		misses_put_against(result, out);
	for (size_t i = 0; i < result->judged.count; i++)
		put_contexts(result, i, out);
	if (result->judged.count > 1)
		put_schemes(result, out);
	if (result->judged.count) {
		put_bins(result, out);
		put_curve(result, out);
		put_time(result, out);
	}
}
