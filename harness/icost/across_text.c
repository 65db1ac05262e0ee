/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text: first how much the layouts differ, what makes it and what to do; then the parts by cause, function and
 * line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/icost/across.h"
#include "harness/output/output.h"

enum { PARTS_TOLD = 3, INTERACTIONS_SHOWN = 5, PLACES_SHOWN = 8, WORTH_PCT = 5, WIDTH = 80 };

struct telling {
	const struct ifr_across *across;
	const struct ifr_across_run *run;
	struct ifr_across_parts parts;
	struct ifr_across_places functions, lines;
	struct ifr_buffer *out;
};

static void put_paragraph(const struct telling *telling, struct ifr_buffer *text, const char *first,
                          const char *rest) {
	ifr_text_wrap(telling->out, ifr_buffer_text(text), first, rest);
	ifr_buffer_clear(text);
}

/* Percent of the difference; no -0.0. */
static double percent(const struct telling *telling, double cycles) {
	const double value = 100 * cycles / telling->across->difference;
	return fabs(value) < 0.05 ? 0 : value;
}

static void tell_difference(const struct telling *telling, struct ifr_buffer *text) {
	const struct ifr_across *across = telling->across;
	const struct ifr_across_run *run = telling->run;
	double mean = 0;
	for (size_t i = 0; i < across->layouts; i++)
		mean += across->cycles[i] / (double)across->layouts;
	ifr_buffer_printf(text, "%s on %s: ", run->run.name, run->run.machine);
	if (run->first)
		ifr_buffer_printf(text, "%s takes %.0f cycles, %.0f %s (%+.2f %%) than %s.", run->second,
		                  across->cycles[1], fabs(across->difference), across->difference < 0 ? "fewer" : "more",
		                  100 * across->difference / across->cycles[0], run->first);
	else
		ifr_buffer_printf(text,
		                  "%zu layouts take %.0f cycles on average, with a standard deviation of %.0f (%.2f %%).",
		                  across->layouts, mean, across->difference, 100 * across->difference / mean);
	if (run->run.damage)
		ifr_buffer_printf(text, " The trace is cut (%s): this is its part before that.", run->run.damage);
	if (run->run.approximate)
		ifr_buffer_printf(
			text,
			" The program's behaviour depends on addresses (record --check): where a layout moves its "
			"%s, the figures are approximate.",
			run->run.approximate);
	put_paragraph(telling, text, "", "");
}

/* The function with the largest part of a cause's share. */
static const struct ifr_across_place *find_function(const struct telling *telling, enum ifr_cause cause) {
	const struct ifr_across_place *largest = NULL;
	for (size_t i = 0; i < telling->functions.count; i++) {
		const struct ifr_across_place *place = &telling->functions.items[i];
		if (!largest || fabs(place->shares[cause]) > fabs(largest->shares[cause]))
			largest = place;
	}
	return largest;
}

static void tell_part(const struct telling *telling, const struct ifr_across_part *part, struct ifr_buffer *text) {
	const enum ifr_cause cause = (enum ifr_cause)__builtin_ctz(part->set);
	const struct ifr_across_place *place = find_function(telling, cause);
	ifr_buffer_printf(text, "%.1f %% of the difference is %s (%s)", percent(telling, part->value.cycles),
	                  ifr_causes[cause].name, ifr_causes[cause].about);
	if (place)
		ifr_buffer_printf(text, ", %.1f %% in %s", percent(telling, place->shares[cause]), place->function);
	ifr_buffer_printf(text, "; without it, %.1f %% is gone.",
	                  percent(telling, ifr_icost_cost(&telling->across->icost, part->set).cycles));
	put_paragraph(telling, text, "  - ", "    ");
}

/* The cause that lengthens the slower layouts most; of_layouts: of those that layouts bring. NULL: none does. */
static const struct ifr_across_part *find_worst(const struct telling *telling, bool of_layouts) {
	for (size_t i = 0; i < telling->parts.causes_count; i++) {
		const struct ifr_across_part *part = &telling->parts.causes[i];
		const int cause = __builtin_ctz(part->set);
		if (part->value.cycles * telling->across->difference > 0 &&
		    fabs(part->value.cycles) > 2 * part->value.error &&
		    percent(telling, part->value.cycles) >= WORTH_PCT && (!of_layouts || cause >= IFR_CAUSE_IMISS))
			return part;
	}
	return NULL;
}

static void tell_remedy(const struct telling *telling, struct ifr_buffer *text) {
	const struct ifr_across_part *part = find_worst(telling, true);
	if (!part)
		part = find_worst(telling, false);
	if (part)
		ifr_buffer_printf(text, "To do: %s.", ifr_causes[__builtin_ctz(part->set)].remedy);
	else
		ifr_buffer_puts(text, "No cause makes a part of the difference that is worth a change.");
	put_paragraph(telling, text, "", "");
}

static void tell_parts(const struct telling *telling, struct ifr_buffer *text) {
	ifr_buffer_puts(telling->out, "\n");
	for (size_t i = 0; i < telling->parts.causes_count && i < PARTS_TOLD; i++)
		if (fabs(percent(telling, telling->parts.causes[i].value.cycles)) >= WORTH_PCT)
			tell_part(telling, &telling->parts.causes[i], text);
	tell_remedy(telling, text);
}

/* --- tables --------------------------------------------------------------------------------------------------- */

static void put_row(const struct telling *telling, const char *name, double cycles, const char *alone,
                    const char *about) {
	char *first = ifr_format("%-12s %12.0f %7.1f %7s  ", name, fabs(cycles) < 0.5 ? 0 : cycles,
	                         percent(telling, cycles), alone);
	char *rest = ifr_format("%*s", (int)strlen(first), "");
	ifr_text_wrap(telling->out, about, first, rest);
	free(first);
	free(rest);
}

static void put_causes(const struct telling *telling) {
	const struct ifr_across_parts *parts = &telling->parts;
	double error = 0;
	ifr_buffer_printf(telling->out, "\n%-12s %12s %7s %7s  (of the difference)\n", "cause", "cycles", "%",
	                  "alone %");
	for (size_t i = 0; i < parts->causes_count; i++) {
		const struct ifr_across_part *part = &parts->causes[i];
		const enum ifr_cause cause = (enum ifr_cause)__builtin_ctz(part->set);
		char *alone =
			ifr_format("%.1f", percent(telling, ifr_icost_cost(&telling->across->icost, part->set).cycles));
		put_row(telling, ifr_causes[cause].name, part->value.cycles, alone, ifr_causes[cause].about);
		error = fmax(error, part->value.error);
		free(alone);
	}
	put_row(telling, "rest", parts->rest, "", "left with all these causes idealised");
	put_row(telling, "total", telling->across->difference, "",
	        telling->run->first ? "the difference in cycles" : "the standard deviation of the layouts");
	if (error > 0)
		ifr_buffer_printf(telling->out,
		                  "\nFrom samples of the run: each is +- %.1f %% at most (twice the standard error).\n",
		                  fabs(percent(telling, 2 * error)));
}

/* Interactions, of which each of their causes has an equal part. */
static void put_interactions(const struct telling *telling) {
	const struct ifr_across_parts *parts = &telling->parts;
	size_t shown = 0;
	for (size_t i = 0; i < parts->interactions_count && shown < INTERACTIONS_SHOWN; i++) {
		const struct ifr_across_part *part = &parts->interactions[i];
		if (fabs(percent(telling, part->value.cycles)) < WORTH_PCT)
			break;
		if (!shown++)
			ifr_buffer_printf(telling->out, "\n%7s  interaction, which its causes share alike\n", "%");
		ifr_buffer_printf(telling->out, "%7.1f  ", percent(telling, part->value.cycles));
		ifr_causes_print(part->set, telling->out);
		ifr_buffer_puts(telling->out, "\n");
	}
}

static void put_place(const struct telling *telling, const struct ifr_across_place *place) {
	struct ifr_buffer plain = {0};
	char *name =
		ifr_format("%s%s%s%s", place->function, *place->line ? " (" : "", place->line, *place->line ? ")" : "");
	ifr_escape_plain(&plain, name);
	ifr_buffer_printf(telling->out, "%7.1f  %-8s %.*s\n", percent(telling, place->cycles),
	                  place->cause < IFR_CAUSES ? ifr_causes[place->cause].name : "", WIDTH - 18,
	                  ifr_buffer_text(&plain));
	ifr_buffer_release(&plain);
	free(name);
}

static void put_places(const struct telling *telling, const struct ifr_across_places *places, const char *of) {
	double left = telling->across->difference;
	ifr_buffer_printf(telling->out, "\n%7s  %-8s %s\n", "%", "mostly", of);
	for (size_t i = 0; i < places->count && i < PLACES_SHOWN; i++) {
		if (fabs(percent(telling, places->items[i].cycles)) < 1)
			break;
		put_place(telling, &places->items[i]);
		left -= places->items[i].cycles;
	}
	ifr_buffer_printf(telling->out, "%7.1f  %-8s other %ss\n%7.1f  total\n", percent(telling, left), "", of,
	                  100.0);
}

void ifr_across_text(const struct ifr_across *across, const struct ifr_across_run *run, struct ifr_buffer *out) {
	struct telling telling = {.across = across, .run = run, .out = out};
	struct ifr_buffer text = {0};
	tell_difference(&telling, &text);
	if (fabs(across->difference) < 0.5) {
		ifr_buffer_puts(&text, "The layouts take the same cycles: there is no difference to explain.");
		put_paragraph(&telling, &text, "\n", "");
		ifr_buffer_release(&text);
		return;
	}
	ifr_across_list(across, &telling.parts);
	ifr_across_places(across, true, &telling.functions);
	ifr_across_places(across, false, &telling.lines);
	tell_parts(&telling, &text);
	put_causes(&telling);
	put_interactions(&telling);
	put_places(&telling, &telling.functions, "function");
	put_places(&telling, &telling.lines, "line");
	ifr_across_places_release(&telling.functions);
	ifr_across_places_release(&telling.lines);
	ifr_across_parts_release(&telling.parts);
	ifr_buffer_release(&text);
}
