/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters that go along with a swept metric, a line of shades each below its plot. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/report/text.h"

enum { WIDTH = 72, INDENT = 4 };
static const char shades[] = " .:-=+*#%@";

/* The highest median of the levels that share a column, as in the plot. */
static void fill_columns(const struct ifr_sweep_findings *found, const struct ifr_overlay *overlay,
                         double columns[WIDTH]) {
	const unsigned levels = found->side[0].levels;
	for (unsigned i = 0; i < WIDTH; i++)
		columns[i] = -INFINITY;
	for (unsigned i = 0; i < levels; i++) {
		const unsigned column = levels <= WIDTH ? i * (WIDTH / levels) : i * WIDTH / levels;
		if (isfinite(overlay->medians[i]))
			columns[column] = fmax(columns[column], overlay->medians[i]);
	}
}

static void put_strip(const struct ifr_sweep_findings *found, const struct ifr_overlay *overlay, const char *name,
                      struct ifr_buffer *out) {
	double columns[WIDTH], low = INFINITY, high = -INFINITY;
	char line[WIDTH + 1];
	fill_columns(found, overlay, columns);
	for (unsigned i = 0; i < WIDTH; i++)
		if (isfinite(columns[i])) {
			low = fmin(low, columns[i]);
			high = fmax(high, columns[i]);
		}
	if (!(high > low))
		return;
	size_t length = 0;
	for (unsigned i = 0; i < WIDTH; i++) {
		const double share = isfinite(columns[i]) ? (columns[i] - low) / (high - low) : 0;
		line[i] = shades[(int)(share * (double)(sizeof shades - 2) + 0.5)];
		length = line[i] == ' ' ? length : i + 1;
	}
	ifr_buffer_printf(out, "%*s|%.*s\n%*s%s: %.5g to %.5g\n", INDENT - 1, "", (int)length, line, INDENT, "", name,
	                  low, high);
}

void ifr_text_sweep_strips(const struct ifr_analysis *analysis, struct ifr_buffer *out) {
	const struct ifr_sweep_findings *found = analysis->sweep;
	for (size_t i = 0; i < found->overlay_count && found->sweeps.count == 1; i++)
		put_strip(found, &found->overlays[i], analysis->dataset->counters[found->overlays[i].counter].name, out);
}
