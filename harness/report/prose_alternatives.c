/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of imported measurements whose variants are no layouts: commands of hyperfine, benchmarks of Google
 * Benchmark, files of perf stat. They are alternatives that somebody chose, no random sample, so that nothing is said of
 * others. */
#include "harness/report/prose.h"

bool ifr_prose_has_alternatives(const struct ifr_analysis *analysis) {
	const struct ifr_dataset *dataset = analysis->dataset;
	if (ifr_dataset_fact(dataset, "axes") || analysis->shipped || !ifr_dataset_fact(dataset, "imported"))
		return false;
	for (size_t i = 0; i < dataset->variant_count; i++)
		if (dataset->variants[i].layout == 0 || *dataset->variants[i].plan)
			return false;
	return true;
}

static void say_title(struct ifr_prose *prose) {
	const char *file = ifr_dataset_fact(prose->analysis->dataset, "program");
	ifr_buffer_printf(&prose->text, "Alternatives in %s", file ? file : "a file");
	ifr_prose_end(prose, IFR_PROSE_TITLE);
}

static void say_difference(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_conclusion *c = &analysis->conclusion;
	const char *lowest = analysis->layouts[0].variant->name,
			   *highest = analysis->layouts[analysis->layout_count - 1].variant->name;
	struct ifr_buffer *text = &prose->text;
	if (analysis->layout_count < 2)
		ifr_buffer_printf(text, "There is one alternative, %s, and nothing to compare it with.", lowest);
	else if (c->effect == IFR_EFFECT_FOUND)
		ifr_buffer_printf(text, "The alternatives differ: \"%s\" is the %s, \"%s\" the %s", lowest,
		                  ifr_counter_is_time(analysis->metric) ? "fastest" : "lowest", highest,
		                  ifr_counter_is_time(analysis->metric) ? "slowest" : "highest");
	else if (c->effect == IFR_EFFECT_UNKNOWN || c->effect == IFR_EFFECT_UNTESTED)
		ifr_buffer_puts(text, "Whether the alternatives differ is unknown: each ran once.");
	else
		ifr_buffer_printf(text,
		                  "No difference was found: the %zu alternatives differ by no more than their runs do.",
		                  analysis->layout_count);
	if (analysis->layout_count >= 2 && c->effect == IFR_EFFECT_FOUND) {
		ifr_buffer_puts(text, " (");
		ifr_format_pct(text, analysis->range_pct);
		ifr_buffer_puts(text, " apart).");
	}
	ifr_prose_end(prose, IFR_PROSE_LEAD);
	ifr_prose_say(
		prose, IFR_PROSE_LEAD,
		"They were measured as they are, each in one layout of its code: interfero compare OLD NEW tells "
		"a change of a program from a layout effect.");
}

static void say_basis(struct ifr_prose *prose) {
	const struct ifr_analysis *analysis = prose->analysis;
	const struct ifr_components *c = &analysis->components;
	struct ifr_buffer *text = &prose->text;
	ifr_prose_say(prose, IFR_PROSE_FOLDED, "What does this rest on?");
	ifr_buffer_printf(text, "Alternatives: %zu; runs that count: %zu; refused runs: %zu.", analysis->layout_count,
	                  analysis->runs_used, analysis->runs_refused);
	ifr_prose_end(prose, IFR_PROSE_ITEM);
	for (size_t i = 0; i < analysis->refusal_count; i++) {
		ifr_buffer_printf(text, "Refused runs: %zu: %s", analysis->refusals[i].runs, analysis->refusals[i].reason);
		ifr_prose_end(prose, IFR_PROSE_WARNING);
	}
	if (analysis->has_components && c->testable) {
		ifr_buffer_printf(text,
		                  "F test of alternatives against runs: F = %.3g with %.0f and %.0f degrees of freedom, ",
		                  c->f, c->df_between, c->df_within);
		ifr_format_p(text, c->p);
		ifr_buffer_puts(text, ".");
		ifr_prose_end(prose, IFR_PROSE_ITEM);
	}
	for (size_t i = 0; i < analysis->dataset->warnings.count; i++)
		ifr_prose_say(prose, IFR_PROSE_WARNING, analysis->dataset->warnings.items[i]);
}

void ifr_prose_alternatives(struct ifr_prose *prose) {
	say_title(prose);
	say_difference(prose);
	ifr_buffer_printf(&prose->text,
	                  "Measured: %s (from %s), less is better; the value of an alternative is the median "
	                  "of its runs.",
	                  prose->analysis->metric->name, prose->analysis->metric->source);
	ifr_prose_end(prose, IFR_PROSE_PARAGRAPH);
	say_basis(prose);
	ifr_prose_say(prose, IFR_PROSE_FOLDED, "All alternatives");
	ifr_prose_say(prose, IFR_PROSE_PLOT, "");
	ifr_prose_say(prose, IFR_PROSE_TABLE, "");
}
