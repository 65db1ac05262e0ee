/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons as one page that needs nothing but itself. */
#include <math.h>
#include <stdlib.h>

#include "harness/analysis/comparison.h"
#include "harness/report/escape.h"
#include "harness/report/format.h"
#include "harness/report/html.h"

enum { WIDTH = 640, LEFT = 130, RIGHT = 20, ROW = 34 };

/* A row of the picture: a ratio and where it may lie. */
struct bar {
	const char *label;
	double ratio;
	const struct ifr_interval *interval; /* NULL: not known */
};

static size_t list_bars(const struct ifr_comparison *c, struct bar bars[3]) {
	size_t count = 0;
	bars[count++] = (struct bar){"over all layouts", c->ratio, isfinite(c->interval.high) ? &c->interval : NULL};
	if (!c->has_shipped)
		return count;
	bars[count++] = (struct bar){"as shipped", c->shipped_ratio, c->has_luck ? &c->shipped_interval : NULL};
	bars[count++] = (struct bar){"of which luck", c->luck, c->has_luck ? &c->luck_interval : NULL};
	return count;
}

/* The ratio furthest from 1 that is to be seen, on either side, and the margin at least. */
static double find_reach(const struct ifr_comparison *c, const struct bar *bars, size_t count) {
	double reach = 1.2 * c->margin;
	for (size_t i = 0; i < count; i++) {
		reach = fmax(reach, fabs(bars[i].ratio - 1));
		if (bars[i].interval)
			reach = fmax(reach, fmax(fabs(bars[i].interval->low - 1), fabs(bars[i].interval->high - 1)));
	}
	return reach * 1.05;
}

static double place(double ratio, double reach) {
	return LEFT + (ratio - 1 + reach) / (2 * reach) * (WIDTH - LEFT - RIGHT);
}

static void put_bar(struct ifr_buffer *out, const struct bar *bar, double reach, size_t row) {
	double y = ROW * ((double)row + 0.5);
	ifr_buffer_printf(out, "<text x=\"0\" y=\"%.0f\">%s</text>\n", y + 5, bar->label);
	if (bar->interval)
		ifr_buffer_printf(out, "<path stroke-width=\"2\" d=\"M%.1f %.0fH%.1fM%.1f %.0fv10M%.1f %.0fv10\"/>\n",
		                  place(bar->interval->low, reach), y, place(bar->interval->high, reach),
		                  place(bar->interval->low, reach), y - 5, place(bar->interval->high, reach), y - 5);
	ifr_buffer_printf(out, "<circle cx=\"%.1f\" cy=\"%.0f\" r=\"5\" fill=\"var(--ink)\"/>\n",
	                  place(bar->ratio, reach), y);
}

/* The margin is shaded: what lies in it counts as no change. */
static void put_picture(struct ifr_buffer *out, const struct ifr_comparison *c) {
	struct bar bars[3];
	size_t count = list_bars(c, bars);
	double reach = find_reach(c, bars, count), height = ROW * (double)count;
	ifr_buffer_printf(
		out,
		"<figure><svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"ratios and their intervals\" "
		"fill=\"none\" stroke=\"var(--ink)\">\n<g font-size=\"14\">\n",
		WIDTH, height + 24);
	ifr_buffer_printf(
		out,
		"<rect x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%.0f\" stroke=\"none\" "
		"fill=\"var(--ink)\" opacity=\"0.08\"/>\n<path stroke-dasharray=\"4\" d=\"M%.1f 0v%.0f\"/>\n",
		place(1 - c->margin, reach), place(1 + c->margin, reach) - place(1 - c->margin, reach), height,
		place(1, reach), height);
	ifr_buffer_puts(out, "<style>svg text { fill: var(--ink); stroke: none }</style>\n");
	for (size_t i = 0; i < count; i++)
		put_bar(out, &bars[i], reach, i);
	ifr_buffer_printf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">equal</text>\n", place(1, reach),
	                  height + 18);
	ifr_buffer_printf(out, "<text x=\"%d\" y=\"%.0f\">%+.2f %%</text>\n", LEFT, height + 18, -100 * reach);
	ifr_buffer_printf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%+.2f %%</text>\n", WIDTH - RIGHT,
	                  height + 18, 100 * reach);
	ifr_buffer_puts(out, "</g></svg><figcaption>New to old, with intervals; shaded is what counts as no "
	                     "change.</figcaption></figure>\n");
}

static void put_entry(struct ifr_buffer *out, const struct ifr_comparison_entry *entry) {
	struct ifr_comparison_entry alone = *entry;
	struct ifr_buffer words = {0};
	alone.name = "";
	ifr_buffer_puts(out, "<h2>");
	ifr_escape_html(out, *entry->name ? entry->name : entry->command ? entry->command : "");
	if (!entry->failure)
		ifr_buffer_printf(out, ": %s%s", ifr_verdict_name(entry->main.verdict),
		                  entry->main.regressed ? ", a regression" : "");
	ifr_buffer_puts(out, "</h2>\n");
	if (!entry->failure)
		put_picture(out, &entry->main);
	ifr_comparison_text(&alone, 1, false, &words);
	ifr_buffer_puts(out, "<pre>");
	ifr_escape_html(out, ifr_buffer_text(&words));
	ifr_buffer_puts(out, "</pre>\n");
	ifr_buffer_release(&words);
}

void ifr_comparison_html(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out) {
	ifr_buffer_printf(out,
	                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	                  "<meta name=\"generator\" content=\"interfero\">\n<title>interfero compare</title>\n"
	                  "<style>\n%s</style></head><body>\n<h1>A change, or luck?</h1>\n",
	                  ifr_html_style);
	for (size_t i = 0; i < count; i++)
		put_entry(out, &entries[i]);
	ifr_buffer_puts(out, "</body></html>\n");
}
