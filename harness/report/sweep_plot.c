/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metric against swept values, in characters. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/report/format.h"
#include "harness/report/text.h"

enum { WIDTH = 72, HEIGHT = 10, INDENT = 4 };

/* The column of a level: levels beyond WIDTH share columns. */
static unsigned find_column(const struct ifr_sweep_side *side, unsigned level) {
	return side->levels <= WIDTH ? level * (WIDTH / side->levels) : level * WIDTH / side->levels;
}

static void find_range(const struct ifr_sweep_side *side, double *low, double *high) {
	*low = INFINITY;
	*high = -INFINITY;
	for (unsigned i = 0; i < side->levels; i++)
		if (isfinite(side->medians[i])) {
			*low = fmin(*low, side->medians[i]);
			*high = fmax(*high, side->medians[i]);
		}
}

static void draw_marks(const struct ifr_sweep_side *side, double low, double high, struct ifr_buffer *out) {
	char rows[HEIGHT][WIDTH + 1];
	memset(rows, ' ', sizeof rows);
	for (unsigned i = 0; i < side->levels; i++) {
		const double place = high > low ? (side->medians[i] - low) / (high - low) * (HEIGHT - 1) + 0.5 : 0;
		if (isfinite(place))
			rows[HEIGHT - 1 - (int)place][find_column(side, i)] = 'o';
	}
	for (int row = 0; row < HEIGHT; row++) {
		size_t length = WIDTH;
		while (length && rows[row][length - 1] == ' ')
			length--;
		rows[row][length] = '\0';
		ifr_buffer_printf(out, "%*s|%s\n", INDENT - 1, "", rows[row]);
	}
}

/* The value of the highest mark above the axis, the lowest and the ends below. */
void ifr_text_sweep(const struct ifr_analysis *analysis, unsigned which, struct ifr_buffer *out) {
	const struct ifr_sweep_side *side = &analysis->sweep->side[which];
	struct ifr_buffer left = {0}, right = {0};
	char line[WIDTH + 1];
	double low, high;
	find_range(side, &low, &high);
	if (!(low <= high))
		return;
	ifr_buffer_printf(out, "%*s", INDENT - 1, "");
	ifr_format_value(out, &analysis->scale, high);
	ifr_buffer_puts(out, "\n");
	draw_marks(side, low, high, out);
	memset(line, '-', WIDTH);
	line[WIDTH] = '\0';
	ifr_buffer_printf(out, "%*s+%s\n", INDENT - 1, "", line);
	ifr_format_value(&left, &analysis->scale, low);
	ifr_buffer_printf(&left, "; %s:%s from %" PRId64, ifr_axes[side->sweep->axis].name,
	                  ifr_sweep_name(side->sweep), side->sweep->from);
	ifr_buffer_printf(&right, "to %" PRId64, ifr_sweep_value(side->sweep, side->levels - 1));
	int gap = WIDTH - (int)left.length - (int)right.length;
	ifr_buffer_printf(out, "%*s%s%*s%s\n", INDENT - 1, "", ifr_buffer_text(&left), gap > 1 ? gap : 1, "",
	                  ifr_buffer_text(&right));
	ifr_buffer_release(&left);
	ifr_buffer_release(&right);
}
