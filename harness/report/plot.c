/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All layouts on one axis, in characters. */
#include <string.h>

#include "harness/report/prose.h"
#include "harness/report/text.h"

enum { WIDTH = 72, HEIGHT = 8, INDENT = 4 };

struct axis {
	double low, high;
	size_t stack[WIDTH]; /* random layouts in each column */
	size_t tallest;
	size_t per_mark;
};

static size_t column(const struct axis *axis, double value) {
	double place = (value - axis->low) / (axis->high - axis->low) * (WIDTH - 1) + 0.5;
	return place < 0 ? 0 : place > WIDTH - 1 ? WIDTH - 1 : (size_t)place;
}

static struct axis fill(const struct ifr_analysis *analysis) {
	struct axis axis = {.low = analysis->layouts[0].median,
	                    .high = analysis->layouts[analysis->layout_count - 1].median};
	if (!(axis.high > axis.low))
		axis.high = axis.low + 1;
	for (size_t i = 0; i < analysis->random_count; i++) {
		size_t at = column(&axis, analysis->medians[i]);
		axis.stack[at]++;
		axis.tallest = axis.stack[at] > axis.tallest ? axis.stack[at] : axis.tallest;
	}
	axis.per_mark = (axis.tallest + HEIGHT - 1) / HEIGHT;
	axis.per_mark = axis.per_mark ? axis.per_mark : 1;
	return axis;
}

static void draw_marks(const struct axis *axis, struct ifr_buffer *out) {
	size_t rows = (axis->tallest + axis->per_mark - 1) / axis->per_mark;
	for (size_t row = rows; row-- > 0;) {
		char line[WIDTH + 1];
		size_t length = 0;
		for (size_t i = 0; i < WIDTH; i++) {
			line[i] = axis->stack[i] > row * axis->per_mark ? 'o' : ' ';
			length = line[i] == 'o' ? i + 1 : length;
		}
		line[length] = '\0';
		ifr_buffer_printf(out, "%*s%s\n", INDENT, "", line);
	}
}

/* The ends of the axis, left and right, under it. */
static void draw_ends(const struct ifr_analysis *analysis, const struct axis *axis, struct ifr_buffer *out) {
	const struct ifr_scale *scale = &analysis->scale;
	struct ifr_buffer low = {0}, high = {0};
	ifr_format_value(&low, scale, axis->low);
	ifr_format_value(&high, scale, analysis->layouts[analysis->layout_count - 1].median);
	int gap = WIDTH - (int)low.length - (int)high.length;
	ifr_buffer_printf(out, "%*s%s%*s%s\n", INDENT, "", ifr_buffer_text(&low), gap > 1 ? gap : 1, "",
	                  ifr_buffer_text(&high));
	ifr_buffer_release(&low);
	ifr_buffer_release(&high);
}

static void draw_shipped(const struct ifr_analysis *analysis, const struct axis *axis, struct ifr_buffer *out) {
	const struct ifr_scale *scale = &analysis->scale;
	struct ifr_buffer label = {0};
	ifr_buffer_puts(&label, "shipped, ");
	ifr_format_value(&label, scale, analysis->shipped->median);
	int at = (int)column(axis, analysis->shipped->median), width = (int)label.length;
	if (at + 2 + width <= WIDTH)
		ifr_buffer_printf(out, "%*s^ %s\n", INDENT + at, "", ifr_buffer_text(&label));
	else
		ifr_buffer_printf(out, "%*s%s ^\n", INDENT + at - width - 1, "", ifr_buffer_text(&label));
	ifr_buffer_release(&label);
}

void ifr_text_plot(const struct ifr_analysis *analysis, struct ifr_buffer *out) {
	struct axis axis = fill(analysis);
	const bool plain = ifr_prose_has_alternatives(analysis);
	const char *one = plain             ? "an alternative"
	                  : analysis->sweep ? "a swept layout"
	                                    : "a random layout",
			   *some = plain             ? "alternatives"
	                   : analysis->sweep ? "swept layouts"
	                                     : "random layouts";
	if (axis.per_mark > 1)
		ifr_buffer_printf(out, "%*so stands for up to %zu %s\n", INDENT, "", axis.per_mark, some);
	else if (analysis->random_count)
		ifr_buffer_printf(out, "%*so is %s\n", INDENT, "", one);
	draw_marks(&axis, out);
	char line[WIDTH + 1];
	memset(line, '-', WIDTH);
	line[WIDTH] = '\0';
	ifr_buffer_printf(out, "%*s%s\n", INDENT, "", line);
	if (analysis->shipped)
		draw_shipped(analysis, &axis, out);
	draw_ends(analysis, &axis, out);
}
