/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ratios of a comparison as a figure. */
#include <math.h>

#include "harness/report/comparison_figures.h"
#include "harness/report/format.h"

enum { WIDTH = 640, LEFT = 130, RIGHT = 20, ROW = 34 };

/* A row of the picture: a ratio and its interval. */
struct bar {
	const char *label;
	double ratio;
	const struct ifr_interval *interval; /* NULL: unknown */
};

static size_t list_bars(const struct ifr_comparison *c, struct bar bars[3]) {
	size_t count = 0;
	bars[count++] = (struct bar){"over all layouts", c->ratio, isfinite(c->interval.high) ? &c->interval : NULL};
	if (!c->has_shipped)
		return count;
	bars[count++] =
		(struct bar){"as shipped", c->shipped_ratio, c->has_layout_effect ? &c->shipped_interval : NULL};
	bars[count++] =
		(struct bar){"layout effect", c->layout_effect, c->has_layout_effect ? &c->layout_effect_interval : NULL};
	return count;
}

/* The picture of a few layouts' intervals reaches at most this many times as far as their centres and the interval over
 * all layouts, and to a change of 100 %: the interval of a layout effect can reach to 9000 %. */
static const double reach_most = 3;

/* The largest distance from 1 that the picture shows on either side; at least the margin. */
static double find_reach(const struct ifr_comparison *c, const struct bar *bars, size_t count) {
	double centres = 1.2 * c->margin, ends = 0;
	for (size_t i = 0; i < count; i++) {
		centres = fmax(centres, fabs(bars[i].ratio - 1));
		if (bars[i].interval)
			ends = fmax(ends, fmax(fabs(bars[i].interval->low - 1), fabs(bars[i].interval->high - 1)));
	}
	const struct ifr_interval *first = count ? bars[0].interval : NULL;
	if (first)
		centres = fmax(centres, fmin(1, fmax(fabs(first->low - 1), fabs(first->high - 1))));
	return fmax(centres, fmin(ends, fmin(1, reach_most * centres))) * 1.05;
}

static double position(double ratio, double reach) {
	return LEFT + (ratio - 1 + reach) / (2 * reach) * (WIDTH - LEFT - RIGHT);
}

/* An end beyond the picture has an arrow instead of a cap. */
static void put_interval(struct ifr_buffer *out, const struct ifr_interval *interval, double reach, double y) {
	const double low = fmax(1 - reach, interval->low), high = fmin(1 + reach, interval->high);
	ifr_buffer_printf(out, "<path stroke-width=\"2\" d=\"M%.1f %.0fH%.1f", position(low, reach), y,
	                  position(high, reach));
	ifr_buffer_printf(out, low > interval->low ? "M%.1f %.0fl-6 5l6 5" : "M%.1f %.0fv10", position(low, reach),
	                  y - 5);
	ifr_buffer_printf(out, high < interval->high ? "M%.1f %.0fl6 5l-6 5" : "M%.1f %.0fv10", position(high, reach),
	                  y - 5);
	ifr_buffer_puts(out, "\"/>\n");
}

static void put_bar(struct ifr_buffer *out, const struct bar *bar, double reach, size_t row) {
	double y = ROW * ((double)row + 0.5);
	ifr_buffer_printf(out, "<text x=\"0\" y=\"%.0f\">%s</text>\n", y + 5, bar->label);
	if (bar->interval)
		put_interval(out, bar->interval, reach, y);
	ifr_buffer_printf(out, "<circle cx=\"%.1f\" cy=\"%.0f\" r=\"5\" fill=\"var(--ink)\"/>\n",
	                  position(bar->ratio, reach), y);
}

/* The margin is shaded. */
void comparison_draw_ratios(const struct ifr_comparison *c, struct ifr_buffer *out) {
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
		position(1 - c->margin, reach), position(1 + c->margin, reach) - position(1 - c->margin, reach), height,
		position(1, reach), height);
	ifr_buffer_puts(out, "<style>svg text { fill: var(--ink); stroke: none }</style>\n");
	for (size_t i = 0; i < count; i++)
		put_bar(out, &bars[i], reach, i);
	ifr_buffer_printf(out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">equal</text>\n", position(1, reach),
	                  height + 18);
	ifr_buffer_printf(out, "<text x=\"%d\" y=\"%.0f\">", LEFT, height + 18);
	ifr_format_signed_pct(out, -100 * reach);
	ifr_buffer_printf(out, "</text>\n<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">", WIDTH - RIGHT, height + 18);
	ifr_format_signed_pct(out, 100 * reach);
	ifr_buffer_puts(out, "</text>\n");
	ifr_buffer_puts(out, "</g></svg><figcaption>New to old, with intervals. Changes in the shaded range "
	                     "count as none.</figcaption></figure>\n");
}
