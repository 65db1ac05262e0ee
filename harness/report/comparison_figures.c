/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ratios of a comparison as a figure. */
#include <math.h>

#include "harness/report/comparison_figures.h"

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

/* The largest distance from 1 that the picture shows on either side; at least the margin. */
static double find_reach(const struct ifr_comparison *c, const struct bar *bars, size_t count) {
	double reach = 1.2 * c->margin;
	for (size_t i = 0; i < count; i++) {
		reach = fmax(reach, fabs(bars[i].ratio - 1));
		if (bars[i].interval)
			reach = fmax(reach, fmax(fabs(bars[i].interval->low - 1), fabs(bars[i].interval->high - 1)));
	}
	return reach * 1.05;
}

static double position(double ratio, double reach) {
	return LEFT + (ratio - 1 + reach) / (2 * reach) * (WIDTH - LEFT - RIGHT);
}

static void put_bar(struct ifr_buffer *out, const struct bar *bar, double reach, size_t row) {
	double y = ROW * ((double)row + 0.5);
	ifr_buffer_printf(out, "<text x=\"0\" y=\"%.0f\">%s</text>\n", y + 5, bar->label);
	if (bar->interval)
		ifr_buffer_printf(out, "<path stroke-width=\"2\" d=\"M%.1f %.0fH%.1fM%.1f %.0fv10M%.1f %.0fv10\"/>\n",
		                  position(bar->interval->low, reach), y, position(bar->interval->high, reach),
		                  position(bar->interval->low, reach), y - 5, position(bar->interval->high, reach), y - 5);
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
	ifr_buffer_printf(out, "<text x=\"%d\" y=\"%.0f\">%+.2f %%</text>\n", LEFT, height + 18, -100 * reach);
	ifr_buffer_printf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%+.2f %%</text>\n", WIDTH - RIGHT,
	                  height + 18, 100 * reach);
	ifr_buffer_puts(out, "</g></svg><figcaption>New to old, with intervals. Changes in the shaded range "
	                     "count as none.</figcaption></figure>\n");
}
