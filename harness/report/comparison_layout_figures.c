/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layouts of a comparison as figures: both sides on one axis, and their pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/comparison_figures.h"
#include "harness/report/format.h"

enum { WIDTH = 640, LEFT = 130, RIGHT = 20, SIDE = 46, PAIRS = 170 };

/* A number with its unit, for a title or the end of an axis. */
static void put_value(struct ifr_buffer *out, const struct ifr_comparison *c, double value) {
	const struct ifr_scale scale = ifr_scale_of(&c->metric, value);
	ifr_buffer_printf(out, c->exact ? "%.6g" : "%.4g", value / scale.divisor);
	ifr_buffer_printf(out, "%s%s", *scale.unit ? " " : "", scale.unit);
}

static double place(double value, double low, double high) {
	return LEFT + (high > low ? (value - low) / (high - low) : 0.5) * (WIDTH - LEFT - RIGHT);
}

static void find_range(const struct ifr_comparison_layout *layouts, size_t count, double *low, double *high) {
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < 2 * count; i++) {
		*low = fmin(*low, layouts[i / 2].median[i % 2]);
		*high = fmax(*high, layouts[i / 2].median[i % 2]);
	}
}

static void begin(struct ifr_buffer *out, int height, const char *label) {
	ifr_buffer_printf(out,
	                  "<figure class=\"units\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" "
	                  "font-size=\"14\">\n",
	                  WIDTH, height, label);
}

static void put_point(struct ifr_buffer *out, const struct ifr_comparison *c,
                      const struct ifr_comparison_layout *layout, int side, double x, double y) {
	/* Points of near values part vertically, by the layout's number. */
	const double shift = layout->layout ? (double)(layout->layout * 7 % 5) * 4 - 8 : 0;
	ifr_buffer_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>%s %u: ",
	                  layout->layout ? "time" : "shipped", x, y + shift, layout->layout ? 3 : 5,
	                  layout->layout ? "layout" : "shipped, layout", layout->layout);
	put_value(out, c, layout->median[side]);
	ifr_buffer_puts(out, "</title></circle>\n");
}

static void put_side(struct ifr_buffer *out, const struct ifr_comparison *c,
                     const struct ifr_comparison_layout *layouts, size_t count, int side, const double range[2]) {
	const double y = SIDE * (side + 0.5);
	ifr_buffer_printf(out, "<text x=\"0\" y=\"%.0f\">%s</text>\n", y + 5, side ? "new" : "old");
	ifr_buffer_printf(out, "<path d=\"M%d %.0fH%d\" stroke=\"var(--line)\"/>\n", LEFT, y, WIDTH - RIGHT);
	for (size_t i = count; i-- > 0;)
		if (!isnan(layouts[i].median[side]))
			put_point(out, c, &layouts[i], side, place(layouts[i].median[side], range[0], range[1]), y);
	const double mean = place(c->mean[side], range[0], range[1]);
	ifr_buffer_printf(out, "<path d=\"M%.1f %.0fv28\" stroke=\"var(--ink)\" stroke-width=\"2\"><title>mean ", mean,
	                  y - 14);
	put_value(out, c, c->mean[side]);
	ifr_buffer_puts(out, "</title></path>\n");
}

void comparison_draw_sides(const struct ifr_comparison *c, struct ifr_buffer *out) {
	struct ifr_comparison_layout *layouts;
	const size_t count = ifr_comparison_layouts(c, &layouts);
	double range[2];
	find_range(layouts, count, &range[0], &range[1]);
	begin(out, 2 * SIDE + 24, "medians of the layouts of both programs");
	for (int side = 0; side < 2; side++)
		put_side(out, c, layouts, count, side, range);
	for (int end = 0; end < 2; end++) {
		ifr_buffer_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", end ? WIDTH - RIGHT : LEFT,
		                  2 * SIDE + 18, end ? "end" : "start");
		put_value(out, c, range[end]);
		ifr_buffer_puts(out, "</text>\n");
	}
	ifr_buffer_printf(out,
	                  "</svg><figcaption>A point is the median of one layout%s; the bar is the mean over random "
	                  "layouts.</figcaption></figure>\n",
	                  c->edited[0] && c->edited[1] ? "" : ", the large blue one the shipped layout");
	free(layouts);
}

static double ratio_of(const struct ifr_comparison_layout *pair) {
	return pair->median[1] / pair->median[0];
}

static int by_ratio(const void *a, const void *b) {
	const double x = ratio_of(a), y = ratio_of(b);
	return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

/* Ratios and the height of each on the figure: reach is the largest distance from 1. */
static double height_of(double ratio, double reach) {
	return PAIRS / 2.0 - (ratio - 1) / reach * (PAIRS / 2.0 - 6);
}

static void put_pair(struct ifr_buffer *out, const struct ifr_comparison *c,
                     const struct ifr_comparison_layout *pair, double x, double width, double reach) {
	const double y = height_of(ratio_of(pair), reach), zero = PAIRS / 2.0;
	ifr_buffer_printf(out,
	                  "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>%s %u: old ",
	                  pair->layout ? "time" : "shipped", x, fmin(y, zero), width, fmax(1, fabs(y - zero)),
	                  pair->layout ? "layout" : "shipped, layout", pair->layout);
	put_value(out, c, pair->median[0]);
	ifr_buffer_puts(out, ", new ");
	put_value(out, c, pair->median[1]);
	ifr_buffer_puts(out, ", ");
	ifr_format_signed_pct(out, 100 * (ratio_of(pair) - 1));
	ifr_buffer_puts(out, "</title></rect>\n");
}

static void put_scale(struct ifr_buffer *out, double reach) {
	for (int i = -1; i <= 1; i++) {
		ifr_buffer_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8,
		                  height_of(1 + i * reach, reach) + 5);
		ifr_format_signed_pct(out, 100 * i * reach);
		ifr_buffer_puts(out, "</text>\n");
	}
	ifr_buffer_printf(out, "<path d=\"M%d %.1fH%d\" stroke=\"var(--ink)\"/>\n", LEFT, PAIRS / 2.0, WIDTH - RIGHT);
}

/* The change over layouts: its interval as a band, itself as a line. */
static void put_change(struct ifr_buffer *out, const struct ifr_comparison *c, double reach) {
	const double low = fmax(c->interval.low, 1 - reach), high = fmin(c->interval.high, 1 + reach);
	ifr_buffer_printf(
		out,
		"<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#3b7dd8\" opacity=\"0.25\"/>\n"
		"<path d=\"M%d %.2fH%d\" stroke=\"#3b7dd8\" stroke-width=\"2\"/>\n",
		LEFT, height_of(high, reach), WIDTH - LEFT - RIGHT,
		fmax(1, height_of(low, reach) - height_of(high, reach)), LEFT, height_of(c->ratio, reach), WIDTH - RIGHT);
}

void comparison_draw_pairs(const struct ifr_comparison *c, struct ifr_buffer *out) {
	struct ifr_comparison_layout *layouts;
	size_t count = ifr_comparison_layouts(c, &layouts);
	double reach = 0;
	qsort(layouts, count, sizeof *layouts, by_ratio);
	while (count && isnan(ratio_of(&layouts[count - 1])))
		count--;
	for (size_t i = 0; i < count; i++)
		reach = fmax(reach, fabs(ratio_of(&layouts[i]) - 1));
	if (c->paired && count && reach > 0) {
		const double step = (double)(WIDTH - LEFT - RIGHT) / (double)count;
		begin(out, PAIRS + 4, "new to old in each pair of layouts");
		put_scale(out, reach);
		for (size_t i = 0; i < count; i++)
			put_pair(out, c, &layouts[i], LEFT + step * (double)i + 0.5, fmax(0.5, step - 1), reach);
		put_change(out, c, reach);
		ifr_buffer_printf(
			out,
			"</svg><figcaption>New to old in each pair of layouts of one plan, sorted%s. The line is the "
			"change over layouts, the band its interval.</figcaption></figure>\n",
			c->has_shipped ? "; the shipped pair in blue" : "");
	}
	free(layouts);
}
