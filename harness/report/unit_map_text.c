/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of causes in characters. A cell is a hexadecimal digit, which says the same without colour: the sixteenth
 * of the line or page that the unit begins in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/unit_map.h"

enum { NAME = 22, LEFT = NAME + 10, COLUMNS_MOST = 80 - LEFT };

/* A circle of hues in the 256 colours of a terminal, as offsets are one: 0 follows 15. Black is legible on all. */
static const unsigned char hues[MAP_STEPS] = {203, 209, 215, 221, 191, 155, 119, 84,
                                              86,  80,  117, 111, 147, 183, 219, 211};

/* The layout that a column shows: all of them, or as many as fit, evenly by rank. */
static size_t layout_of(const struct ifr_analysis *analysis, size_t column, size_t columns) {
	const size_t count = analysis->layout_count;
	return columns == count ? column : (column * (count - 1) + (columns - 1) / 2) / (columns - 1);
}

static void put_label(struct ifr_buffer *out, const struct ifr_unit_row *row) {
	struct ifr_buffer clean = {0};
	char *name = ifr_symbol_demangle(map_unit_symbol(row->unit->name));
	ifr_escape_plain(&clean, name ? name : map_unit_symbol(row->unit->name));
	char *text = ifr_symbol_shorten(ifr_buffer_text(&clean), NAME);
	ifr_buffer_printf(out, "%s%*s %c", text, (int)(NAME - ifr_text_width(text, strlen(text))), "",
	                  row->found ? '*' : ' ');
	free(text);
	free(name);
	if (isnan(row->share))
		ifr_buffer_puts(out, "      ");
	else
		ifr_buffer_printf(out, "%3.0f %% ", 100 * row->share);
	ifr_buffer_release(&clean);
}

static void put_cells(const struct ifr_analysis *analysis, const struct ifr_unit_row *row, int panel,
                      size_t columns, bool color, struct ifr_buffer *out) {
	int last = -1;
	for (size_t i = 0; i < columns; i++) {
		uint64_t at = ifr_unit_map_address(analysis, row, layout_of(analysis, i, columns));
		int hue = at ? hues[map_step(at, panel)] : -1;
		if (color && hue != last)
			ifr_buffer_printf(out, hue < 0 ? "\033[0m" : "\033[30;48;5;%dm", hue);
		last = hue;
		ifr_buffer_printf(out, at ? "%x" : ".", map_step(at, panel));
	}
	ifr_buffer_puts(out, color ? "\033[0m\n" : "\n");
}

/* The medians in tenths of their range, so that jumps between columns are seen. */
static void put_times(const struct ifr_analysis *analysis, size_t columns, struct ifr_buffer *out) {
	const double low = analysis->layouts[0].median, high = analysis->layouts[analysis->layout_count - 1].median;
	ifr_buffer_printf(out, "  %-*s", LEFT - 2,
	                  ifr_counter_is_time(analysis->metric) ? "time, 0 fastest, 9 slowest"
	                                                        : "0 lowest, 9 highest");
	for (size_t i = 0; i < columns; i++) {
		double at = analysis->layouts[layout_of(analysis, i, columns)].median;
		ifr_buffer_printf(out, "%d", high > low ? (int)fmin(9, 10 * (at - low) / (high - low)) : 0);
	}
	ifr_buffer_puts(out, "\n");
}

static void put_shipped(const struct ifr_analysis *analysis, size_t columns, struct ifr_buffer *out) {
	for (size_t i = 0; i < columns && analysis->shipped; i++)
		if (&analysis->layouts[layout_of(analysis, i, columns)] == analysis->shipped) {
			bool left = i + 9 > COLUMNS_MOST;
			ifr_buffer_printf(out, "%*s%s\n", (int)(LEFT + i - (left ? 8 : 0)), "",
			                  left ? "shipped ^" : "^ shipped");
			return;
		}
}

void map_put_text(const struct ifr_analysis *analysis, const struct ifr_unit_map *map, bool color,
                  struct ifr_buffer *out) {
	const size_t columns = analysis->layout_count < COLUMNS_MOST ? analysis->layout_count : COLUMNS_MOST;
	for (int panel = 0; panel < MAP_PANELS; panel++) {
		ifr_buffer_printf(out, "%s  %s, a digit is %u bytes\n", panel ? "\n" : "", map_titles[panel],
		                  map_frames[panel] / MAP_STEPS);
		for (size_t i = 0; i < map->row_count; i++) {
			ifr_buffer_puts(out, "  ");
			put_label(out, &map->rows[i]);
			put_cells(analysis, &map->rows[i], panel, columns, color, out);
		}
		put_times(analysis, columns, out);
		put_shipped(analysis, columns, out);
	}
	if (columns < analysis->layout_count)
		ifr_buffer_printf(out, "  %zu of %zu layouts are shown, evenly by rank.\n", columns,
		                  analysis->layout_count);
}
