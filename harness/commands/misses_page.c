/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: the text's sentences, its tables, the figures (misses_page_figures.c), and the advice. */
#include "harness/commands/misses_page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/file.h"
#include "harness/commands/misses_against.h"
#include "harness/output/output.h"

static double percent(double part, double whole) {
	return whole > 0 ? 100 * part / whole : 0;
}

static double per_load(double cycles, uint64_t references) {
	return references ? cycles / (double)references : 0;
}

/* Names of loads break anywhere, so that their numbers stay in sight. */
static const char own_style[] =
	"td.load{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9rem}td.load small{color:var(--soft)}\n";

/* --- elements ------------------------------------------------------------------------------------------------- */

/* begin and end are markup, text is not. */
static void put_element(const char *begin, const char *text, const char *end, struct ifr_buffer *out) {
	ifr_buffer_puts(out, begin);
	ifr_escape_html(out, text);
	ifr_buffer_puts(out, end);
}

static void put_name(const char *text, struct ifr_buffer *out) {
	put_element("<td class=\"load\">", text, "</td>", out);
}

/* A paragraph of what `say` says, if it says anything. */
static void put_paragraph(const struct misses_result *result,
                          void (*say)(const struct misses_result *, struct ifr_buffer *), struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	say(result, &text);
	if (text.length)
		put_element("<p>", ifr_buffer_text(&text), "</p>\n", out);
	ifr_buffer_release(&text);
}

/* --- loads by misses ------------------------------------------------------------------------------------------ */

static void put_load(const struct misses_result *result, size_t rank, struct ifr_buffer *out) {
	const struct ifr_load_summary *summary = &result->profile.summary;
	const struct ifr_load_count *load = &summary->loads[result->profile.order[rank]];
	const struct ifr_load_name *name = &result->profile.names[rank];
	put_element("<tr><td class=\"load\">", name->code, "", out);
	if (*name->data)
		put_element("<br><small>", name->data, "</small>", out);
	ifr_buffer_printf(out, "</td><td>%" PRIu64 "</td><td>%.1f</td>", load->misses[result->level],
	                  percent((double)load->misses[result->level], (double)result->profile.misses));
	if (result->against)
		ifr_buffer_printf(out, "<td>%" PRIu64 "</td>", result->profile.against[result->profile.order[rank]]);
	for (unsigned i = 0; i < summary->levels; i++)
		ifr_buffer_printf(out, "<td>%.1f</td>", percent((double)load->misses[i], (double)load->references));
	if (result->core)
		ifr_buffer_printf(out, "<td>%.0f</td>", load->stalls);
	ifr_buffer_puts(out, "</tr>\n");
}

static void put_other_loads(const struct misses_result *result, struct ifr_buffer *out) {
	const struct ifr_load_misses *profile = &result->profile;
	const size_t others = profile->count - profile->named;
	uint64_t misses = 0, there = 0;
	for (size_t i = profile->named; i < profile->count; i++) {
		misses += profile->summary.loads[profile->order[i]].misses[result->level];
		there += result->against ? profile->against[profile->order[i]] : 0;
	}
	ifr_buffer_printf(out, "<tr><td class=\"load\">%zu other load%s</td><td>%" PRIu64 "</td><td>%.1f</td>", others,
	                  others == 1 ? "" : "s", misses, percent((double)misses, (double)profile->misses));
	if (result->against)
		ifr_buffer_printf(out, "<td>%" PRIu64 "</td>", there);
	for (unsigned i = 0; i < profile->summary.levels + result->core; i++)
		ifr_buffer_puts(out, "<td></td>");
	ifr_buffer_puts(out, "</tr>\n");
}

static void put_loads(const struct misses_result *result, struct ifr_buffer *out) {
	if (!result->profile.named)
		return;
	ifr_buffer_puts(out, "<h2>Loads by misses</h2>\n<div class=\"wide\"><table id=\"loads\"><tr><th "
	                     "class=\"name\">load, data it missed</th><th>misses</th><th>% of all</th>");
	if (result->against)
		ifr_buffer_puts(out, "<th>there</th>");
	for (unsigned i = 0; i < result->profile.summary.levels; i++)
		ifr_buffer_printf(out, "<th>%% in %s</th>", misses_level_name(i));
	ifr_buffer_puts(out, result->core ? "<th>stalls, cycles</th></tr>\n" : "</tr>\n");
	for (size_t i = 0; i < result->profile.named; i++)
		put_load(result, i, out);
	if (result->profile.count > result->profile.named)
		put_other_loads(result, out);
	ifr_buffer_printf(
		out,
		"</table></div>\n<p class=\"note\">Misses of the %s, and their share of all misses of loads; then how "
		"many of a load's references miss in each level%s.</p>\n",
		misses_level_name(result->level), result->against ? "; there: misses in the other layout" : "");
}

static void put_against(const struct misses_result *result, struct ifr_buffer *out) {
	const struct ifr_named_conflicts *conflicts = &result->profile.conflicts;
	if (!result->against)
		return;
	put_paragraph(result, misses_say_against, out);
	ifr_buffer_puts(out, conflicts->count
	                         ? "<p>Sets that miss less there, without the first miss of each line:</p>\n<ul>\n"
	                         : "");
	for (size_t i = 0; i < conflicts->count; i++) {
		struct ifr_buffer text = {0};
		misses_say_conflict(result, &conflicts->items[i], &text);
		put_element("<li>", ifr_buffer_text(&text), "</li>\n", out);
		ifr_buffer_release(&text);
	}
	ifr_buffer_puts(out, conflicts->count ? "</ul>\n" : "");
}

/* --- contexts ------------------------------------------------------------------------------------------------- */

static void put_best(const struct misses_result *result, size_t i, struct ifr_buffer *out) {
	const struct ifr_judged_load *load = &result->judged.items[i];
	const struct ifr_judged *best = ifr_judged_of(load, IFR_SCHEME_BEST);
	ifr_buffer_puts(out, "<tr>");
	put_name(result->profile.names[misses_rank(result, i)].code, out);
	ifr_buffer_printf(out, "<td>%" PRIu64 "</td><td>%.1f</td><td class=\"name\">%s</td>", load->references,
	                  percent((double)load->misses, (double)load->references),
	                  load->kind < 0 ? "none" : ifr_load_context_kind_names[load->kind]);
	if (load->kind < 0)
		ifr_buffer_puts(out, "<td></td>");
	else
		ifr_buffer_printf(out, "<td>%u</td>", result->lengths[load->lengths[load->kind]]);
	ifr_buffer_printf(
		out, "<td>%.3f</td><td>%.3f</td><td>%.3f</td></tr>\n",
		per_load(ifr_miss_prediction_cycles(&load->summary.predicted, result->latency), load->references),
		per_load(ifr_miss_prediction_cycles(&best->predicted, result->latency), load->references),
		per_load((double)load->misses * result->latency.overhead, load->references));
}

/* Ends a row of a table by kind of context or scheme. `whole`: what counts as 100 % of mispredictions. */
static void put_judged(const struct ifr_judged *judged, const struct ifr_judged *whole, uint64_t references,
                       struct ifr_latency latency, struct ifr_buffer *out) {
	const struct ifr_miss_prediction *predicted = &judged->predicted;
	ifr_buffer_printf(out, "<td>%zu</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%.1f</td><td>%.3f</td></tr>\n",
	                  judged->groups, predicted->hit_as_miss, predicted->miss_as_hit,
	                  percent((double)ifr_miss_prediction_wrong(predicted),
	                          (double)ifr_miss_prediction_wrong(&whole->predicted)),
	                  per_load(ifr_miss_prediction_cycles(predicted, latency), references));
}

static void put_bound(const char *name, double cycles, unsigned empty, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "<tr><td class=\"name\">%s</td><td colspan=\"%u\"></td><td>%.3f</td></tr>\n", name,
	                  empty, cycles);
}

static void begin_judged(const char *first, struct ifr_buffer *out) {
	ifr_buffer_printf(out,
	                  "%s<th>contexts</th><th>hit as miss</th><th>miss as hit</th><th>%% of the summary's</th>"
	                  "<th>cycles each</th></tr>\n",
	                  first);
}

static void put_described(const struct misses_result *result, size_t i, struct ifr_buffer *out) {
	struct ifr_buffer items = {0}, text = {0};
	for (unsigned k = 0; misses_say_context(result, i, k, " %", &text); k++) {
		put_element("<li>", ifr_buffer_text(&text), "</li>\n", &items);
		ifr_buffer_clear(&text);
	}
	if (items.length)
		ifr_buffer_printf(out, "<ul>\n%s</ul>\n", ifr_buffer_text(&items));
	ifr_buffer_release(&text);
	ifr_buffer_release(&items);
}

static void put_contexts_of(const struct misses_result *result, size_t i, struct ifr_buffer *out) {
	const struct ifr_judged_load *load = &result->judged.items[i];
	put_element("<h3>", result->profile.names[misses_rank(result, i)].code, "</h3>\n", out);
	begin_judged("<div class=\"wide\"><table><tr><th class=\"name\">context</th><th>N</th>", out);
	ifr_buffer_puts(out, "<tr><td class=\"name\">summary</td><td></td>");
	put_judged(&load->summary, &load->summary, load->references, result->latency, out);
	for (unsigned kind = 0; kind < IFR_LOAD_CONTEXT_KINDS; kind++) {
		const int chosen = load->lengths[kind];
		ifr_buffer_printf(out, "<tr><td class=\"name\">%s</td>", ifr_load_context_kind_names[kind]);
		if (chosen < 0) {
			ifr_buffer_puts(out, "<td class=\"name\" colspan=\"6\">too many contexts</td></tr>\n");
			continue;
		}
		ifr_buffer_printf(out, "<td>%u</td>", result->lengths[chosen]);
		put_judged(&load->contexts[kind][chosen], &load->summary, load->references, result->latency, out);
	}
	put_bound("ideal", per_load((double)load->misses * result->latency.overhead, load->references), 5, out);
	ifr_buffer_puts(out, "</table></div>\n");
	put_described(result, i, out);
}

static void put_schemes(const struct misses_result *result, struct ifr_buffer *out) {
	const struct ifr_judged_loads *judged = &result->judged;
	const struct misses_point point = misses_point_at(result, judged->latency.overhead);
	ifr_buffer_puts(out, "<h3>All together</h3>\n");
	begin_judged("<div class=\"wide\"><table id=\"schemes\"><tr><th class=\"name\">scheme</th>", out);
	for (enum ifr_miss_scheme scheme = 0; scheme < IFR_MISS_SCHEMES; scheme++) {
		ifr_buffer_printf(out, "<tr><td class=\"name\">%s</td>", ifr_miss_scheme_names[scheme]);
		put_judged(&judged->schemes[scheme], &judged->schemes[IFR_SCHEME_SUMMARY], judged->references,
		           judged->latency, out);
	}
	put_bound("never tolerated", point.never, 4, out);
	put_bound("always tolerated", point.always, 4, out);
	put_bound("ideal", point.ideal, 4, out);
	ifr_buffer_puts(out, "</table></div>\n");
}

static void put_contexts(const struct misses_result *result, struct ifr_buffer *out) {
	ifr_buffer_puts(out,
	                "<h2>The context that tells their misses</h2>\n<div class=\"wide\"><table id=\"contexts\"><tr>"
	                "<th class=\"name\">load</th><th>references</th><th>% miss</th><th class=\"name\">best "
	                "context</th><th>N</th><th>cycles by ratio</th><th>by context</th><th>ideal</th></tr>\n");
	for (size_t i = 0; i < result->judged.count; i++)
		put_best(result, i, out);
	ifr_buffer_puts(
		out,
		"</table></div>\n<p class=\"note\">Control flow: the last N basic blocks; self: the last N outcomes of the "
		"load; global: of all references. None: no context tells more than the ratio. Cycles: overhead and stalls "
		"of a reference, where it is tolerated if more than V / L of the references miss, in all (by ratio) or in "
		"its context; ideal: only misses are tolerated.</p>\n");
	put_schemes(result, out);
	ifr_buffer_puts(out, "<details><summary>Each load by kind of context</summary>\n");
	for (size_t i = 0; i < result->judged.count; i++)
		put_contexts_of(result, i, out);
	ifr_buffer_puts(out, "</details>\n");
}

/* --- advice --------------------------------------------------------------------------------------------------- */

static void put_prefetch(const struct ifr_prefetch *prefetch, struct ifr_buffer *out) {
	char *place = ifr_format("%s, line %u", prefetch->function, prefetch->line);
	char *context = misses_advice_context(prefetch);
	ifr_buffer_puts(out, "<tr>");
	put_name(place, out);
	put_name(context, out);
	ifr_buffer_printf(out, "<td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%.1f</td><td>%u</td></tr>\n",
	                  prefetch->gain, prefetch->misses,
	                  percent((double)prefetch->misses, (double)prefetch->references), prefetch->distance);
	free(context);
	free(place);
}

static void put_advice(const struct misses_result *result, const struct misses_advice *advice,
                       struct ifr_buffer *out) {
	char *head = misses_advice_head(result, advice);
	put_element("<h2>Prefetches</h2>\n<p>", head, "</p>\n", out);
	free(head);
	if (advice->prefetches.count)
		ifr_buffer_puts(out,
		                "<div class=\"wide\"><table id=\"prefetches\"><tr><th class=\"name\">load, line from "
		                "its function's</th><th class=\"name\">context</th><th>gain, cycles</th><th>misses</th>"
		                "<th>% miss</th><th>distance</th></tr>\n");
	for (size_t i = 0; i < advice->prefetches.count; i++)
		put_prefetch(&advice->prefetches.items[i], out);
	ifr_buffer_puts(out, advice->prefetches.count ? "</table></div>\n" : "");
	ifr_buffer_puts(out, advice->left_count ? "<p>Not worth one, or impossible:</p>\n<ul id=\"left\">\n" : "");
	for (size_t i = 0; i < advice->left_count; i++) {
		put_element("<li>", advice->left[i].load, ": ", out);
		put_element("", advice->left[i].why, "</li>\n", out);
	}
	ifr_buffer_puts(out, advice->left_count ? "</ul>\n" : "");
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

static void put_head(const struct misses_result *result, struct ifr_buffer *out) {
	put_element("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	            "content=\"width=device-width\"><title>Loads that miss: ",
	            result->trace, "</title>\n", out);
	ifr_buffer_printf(out, "<style>\n%s%s</style></head><body>\n", ifr_html_style, own_style);
	put_element("<h1>Which loads of <code>", result->trace, "</code> miss, and when</h1>\n", out);
	ifr_buffer_puts(out, "<div class=\"lead\">\n");
	put_paragraph(result, misses_say_headline, out);
	put_paragraph(result, misses_say_conditions, out);
	if (result->damage)
		put_element("<p>The trace is damaged, and only the part before the damage was profiled: ", result->damage,
		            ".</p>\n", out);
	ifr_buffer_puts(out, "</div>\n");
}

int misses_page_write(const struct misses_result *result, const struct misses_advice *advice, const char *path,
                      struct ifr_error *err) {
	struct ifr_buffer page = {0};
	put_head(result, &page);
	put_loads(result, &page);
	put_paragraph(result, misses_say_prefetches, &page);
	put_against(result, &page);
	if (result->judged.count) {
		put_contexts(result, &page);
		misses_page_figures(result, &page);
	}
	put_advice(result, advice, &page);
	ifr_buffer_puts(&page, "<p class=\"note\">interfero " INTERFERO_VERSION
	                       ". T. C. Mowry and C.-K. Luk 1997, \"Predicting data cache misses in non-numeric "
	                       "applications through correlation profiling\".</p>\n</body></html>\n");
	const int status = ifr_file_write(path, ifr_buffer_text(&page), page.length, 0644, err);
	ifr_buffer_release(&page);
	return status;
}
