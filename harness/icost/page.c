/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: the text's first screen, the breakdown as stacked bars, and as a table.
 *
 * Costs and interaction costs are parts of the run's cycles, of either sign: parts above 0 are stacked to the right of
 * the axis, beyond 100 per cent, and parts below 0 take as much away. Ref: Fields et al. 2004, figure 1b. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/icost/interaction.h"
#include "common/strings.h"
#include "harness/output/output.h"

enum { LEFT = 76, BARS = 640, HEIGHT = 44, ABOVE = 26, BELOW = 104, LETTER = 8, COLOURS = 17 };

static const char *const colours[COLOURS] = {"#3b7dd8", "#e07b39", "#4a9d5b", "#b5497b", "#8a63c9", "#c2a012",
                                             "#2f9c9c", "#c0504d", "#6b7d8f", "#8c6d46", "#7fb3f0", "#f0b070",
                                             "#8fce9b", "#e08fbd", "#b8a0e0", "#dccb6a", "#86d0d0"};

struct part {
	char *name;
	const char *about;
	double pct;
	const char *colour;
	bool interaction;
};

struct parts {
	struct part items[2 * IFR_CAUSE_LIMIT + 2];
	size_t count;
};

static void add_part(struct parts *parts, char *name, const char *about, double pct, const char *colour,
                     bool interaction) {
	parts->items[parts->count++] = (struct part){name, about, pct, colour, interaction};
}

static void list_parts(const struct ifr_icost *icost, const struct ifr_icost_breakdown *breakdown,
                       struct parts *parts) {
	const double all = ifr_icost_time(icost, 0) / 100;
	const char *focus = ifr_icost_about(icost, breakdown->focus)->name;
	for (size_t i = 0; i < breakdown->count; i++) {
		const enum ifr_cause cause = breakdown->order[i];
		const struct ifr_cause_about *about = ifr_icost_about(icost, cause);
		const char *colour = colours[i % COLOURS];
		add_part(parts, ifr_strdup(about->name), about->about, breakdown->alone[cause].cycles / all, colour,
		         false);
		if (cause != breakdown->focus)
			add_part(parts, ifr_format("%s+%s", about->name, focus),
			         ifr_icost_kinds[ifr_icost_kind(icost, &breakdown->with_focus[cause])],
			         breakdown->with_focus[cause].cycles / all, colour, true);
	}
	add_part(parts, ifr_strdup("other"), "all other interactions", breakdown->other / all, "#9aa3ad", true);
	add_part(parts, ifr_strdup("rest"), "left with all these causes idealised", breakdown->rest / all, "#c8ced6",
	         false);
}

static void put_escaped(struct ifr_buffer *out, const char *text) {
	ifr_escape_html(out, text);
}

/* Whether a part is 0.0, as it would be printed. */
static bool is_small(const struct part *part) {
	return fabs(part->pct) < 0.05;
}

/* --- the bars ------------------------------------------------------------------------------------------------- */

static void put_segment(const struct part *part, double x, double width, unsigned y, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "<g><title>");
	put_escaped(out, part->name);
	ifr_buffer_printf(out, ": %.1f %% (", part->pct);
	put_escaped(out, part->about);
	ifr_buffer_printf(out,
	                  ")</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
	                  "stroke=\"var(--paper)\"/>",
	                  x, y, width, HEIGHT, part->colour);
	if (part->interaction)
		ifr_buffer_printf(out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"url(#shared)\"/>", x,
		                  y, width, HEIGHT);
	if (width > (double)(LETTER * (strlen(part->name) + 1))) {
		ifr_buffer_printf(out,
		                  "<text x=\"%.1f\" y=\"%u\" text-anchor=\"middle\" font-size=\"13\" fill=\"#fff\" "
		                  "paint-order=\"stroke\" stroke=\"#0008\" stroke-width=\"2\">",
		                  x + width / 2, y + HEIGHT / 2 + 5);
		put_escaped(out, part->name);
		ifr_buffer_puts(out, "</text>");
	}
	ifr_buffer_puts(out, "</g>\n");
}

/* The parts of a sign, from the axis on. */
static void put_bar(const struct parts *parts, bool positive, double scale, struct ifr_buffer *out) {
	double x = LEFT;
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];
		const double width = fabs(part->pct) * scale;
		if ((part->pct > 0) != positive || is_small(part))
			continue;
		put_segment(part, x, width, positive ? ABOVE : BELOW, out);
		x += width;
	}
}

static void put_bars(const struct parts *parts, struct ifr_buffer *out) {
	double above = 0, below = 0;
	for (size_t i = 0; i < parts->count; i++)
		*(parts->items[i].pct > 0 ? &above : &below) += fabs(parts->items[i].pct);
	const double scale = BARS / fmax(above, fmax(below, 100));
	ifr_buffer_printf(
		out,
		"<figure><svg viewBox=\"0 0 %d 178\" role=\"img\" aria-label=\"%.1f per cent of costs, less %.1f per "
		"cent that are counted more than once\"><defs><pattern id=\"shared\" width=\"7\" height=\"7\" "
		"patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"3\" height=\"7\" "
		"fill=\"#fff\" fill-opacity=\".35\"/></pattern></defs>\n",
		LEFT + BARS + 8, above, below);
	put_bar(parts, true, scale, out);
	put_bar(parts, false, scale, out);
	ifr_buffer_printf(
		out,
		"<g font-size=\"13\" fill=\"currentColor\"><text x=\"%d\" y=\"%d\" text-anchor=\"end\">+ %.1f %%</text>"
		"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">- %.1f %%</text>"
		"<line x1=\"%.1f\" x2=\"%.1f\" y1=\"18\" y2=\"156\" stroke=\"currentColor\" stroke-dasharray=\"4 "
		"3\"/><text x=\"%.1f\" y=\"172\" text-anchor=\"middle\">100 %% = the run</text></g></svg>\n",
		LEFT - 8, ABOVE + HEIGHT / 2 + 5, above, LEFT - 8, BELOW + HEIGHT / 2 + 5, below, LEFT + 100 * scale,
		LEFT + 100 * scale, fmin(LEFT + 100 * scale, LEFT + BARS - 50));
	ifr_buffer_puts(
		out,
		"<figcaption>Upper bar: parts above 0; lower bar: parts below 0, which are counted more than once in "
		"the upper. The upper less the lower is 100 % of the cycles. Hatched: interactions. A part below 0 is "
		"serial: either cause alone would save it. One above 0 is parallel: only both together save "
		"it.</figcaption></figure>\n");
}

/* --- the rest of the page ------------------------------------------------------------------------------------- */

/* Names the parts that neither the bars nor the table show. */
static void put_small(const struct parts *parts, struct ifr_buffer *out) {
	const char *before = "<p class=\"note\">Left out, below 0.05 % each: ";
	for (size_t i = 0; i < parts->count; i++)
		if (is_small(&parts->items[i])) {
			ifr_buffer_puts(out, before);
			put_escaped(out, parts->items[i].name);
			before = ", ";
		}
	if (*before == ',')
		ifr_buffer_puts(out, ".</p>\n");
}

static void put_table(const struct parts *parts, struct ifr_buffer *out) {
	ifr_buffer_puts(out,
	                "<h2>The parts</h2>\n<div class=\"wide\"><table><tr><th class=\"name\">part</th><th>% of the "
	                "cycles</th><th class=\"name\">about</th></tr>\n");
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];
		if (is_small(part))
			continue;
		ifr_buffer_printf(
			out,
			"<tr><td class=\"name\"><svg width=\"12\" height=\"12\"><rect width=\"12\" height=\"12\" "
			"fill=\"%s\"/></svg> ",
			part->colour);
		put_escaped(out, part->name);
		ifr_buffer_printf(out, "</td><td>%.1f</td><td class=\"name\">", part->pct);
		put_escaped(out, part->about);
		ifr_buffer_puts(out, "</td></tr>\n");
	}
	ifr_buffer_puts(
		out, "<tr class=\"shipped\"><td class=\"name\">total</td><td>100.0</td><td></td></tr></table></div>\n");
	put_small(parts, out);
}

/* The text's paragraphs before its table; list items keep their dash. */
static void put_lead(const char *text, struct ifr_buffer *out) {
	const char *end = strstr(text, "\ncause ");
	ifr_buffer_puts(out, "<div class=\"lead\">\n<p>");
	for (const char *at = text; at && at < end && *at;) {
		const size_t length = strcspn(at, "\n");
		char *line = ifr_format("%.*s", (int)length, at);
		if (!length || ifr_starts_with(line, "To do:") || ifr_starts_with(line, "Next:") ||
		    ifr_starts_with(line, "Of what a layout") || ifr_starts_with(line, "  - "))
			ifr_buffer_puts(out, "</p>\n<p>");
		put_escaped(out, line);
		ifr_buffer_puts(out, "\n");
		free(line);
		at += length + (at[length] == '\n');
	}
	ifr_buffer_puts(out, "</p>\n</div>\n");
}

void ifr_icost_html(const struct ifr_icost *icost, const struct ifr_icost_run *run, enum ifr_cause focus,
                    struct ifr_buffer *out) {
	struct ifr_icost_breakdown breakdown;
	struct ifr_buffer text = {0};
	struct parts parts = {.count = 0};
	ifr_icost_break_down(icost, focus, &breakdown);
	list_parts(icost, &breakdown, &parts);
	ifr_icost_text(icost, run, focus, &text);
	ifr_buffer_puts(out,
	                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	                "content=\"width=device-width\"><title>Where the cycles go: ");
	put_escaped(out, run->name);
	ifr_buffer_printf(out, "</title>\n<style>\n%s</style></head><body>\n<h1>Where the cycles of <code>",
	                  ifr_html_style);
	put_escaped(out, run->name);
	ifr_buffer_puts(out, "</code> go</h1>\n");
	put_lead(ifr_buffer_text(&text), out);
	put_bars(&parts, out);
	put_table(&parts, out);
	ifr_buffer_puts(
		out, "<p class=\"note\">Cost: cycles saved if only this cause is idealised. Interaction cost: cycles "
			 "saved with both beyond what each saves alone. Other: interactions without ");
	put_escaped(out, ifr_icost_about(icost, breakdown.focus)->name);
	ifr_buffer_puts(out, ", or of three causes and more.");
	if (breakdown.error > 0)
		ifr_buffer_printf(out, " From samples of the run: each is +- %.1f %% at most (twice the standard error).",
		                  200 * breakdown.error / ifr_icost_time(icost, 0));
	ifr_buffer_puts(out, " Fields, Bodik, Hill and Newburn 2004, \"Interaction cost and shotgun "
	                     "profiling\".</p>\n</body></html>\n");
	for (size_t i = 0; i < parts.count; i++)
		free(parts.items[i].name);
	ifr_buffer_release(&text);
}
