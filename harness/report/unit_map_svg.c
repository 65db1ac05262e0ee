/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of causes as SVG: medians on top, then a panel for lines and one for pages. Hues are a circle, as offsets
 * are; text and lines take the page's colours. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/unit_map.h"

enum { NAME_COLUMNS = 30, WIDTH = 860, NAMES = 250, ROW = 19, TIMES = 60, GAP = 34, LEGEND = 26 };

/* The data of a drawing, and the width of a column. */
struct drawing {
	const struct ifr_analysis *analysis;
	const struct ifr_unit_map *map;
	struct ifr_buffer *out;
	double cell;
};

static double hue(uint64_t address, int panel) {
	return 360.0 * (double)(address % map_frames[panel]) / map_frames[panel];
}

static void put_value(struct drawing *d, size_t layout) {
	struct ifr_buffer text = {0};
	ifr_format_value(&text, &d->analysis->scale, d->analysis->layouts[layout].median);
	ifr_escape_html(d->out, d->analysis->layouts[layout].variant->name);
	ifr_buffer_puts(d->out, ", ");
	ifr_escape_html(d->out, ifr_buffer_text(&text));
	ifr_buffer_release(&text);
}

/* The median of each layout, from the lowest of all at the bottom. */
static void put_times(struct drawing *d) {
	const struct ifr_analysis *analysis = d->analysis;
	const double low = analysis->layouts[0].median,
				 range = analysis->layouts[analysis->layout_count - 1].median - low;
	struct ifr_buffer label = {0};
	ifr_format_range(&label, &analysis->scale, low, low + range);
	ifr_buffer_printf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", NAMES - 8, TIMES - 6);
	ifr_escape_html(d->out, ifr_buffer_text(&label));
	ifr_buffer_puts(d->out, "</text>\n");
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const bool shipped = &analysis->layouts[i] == analysis->shipped;
		const double height = 4 + (range > 0 ? (TIMES - 24) * (analysis->layouts[i].median - low) / range : 0),
					 x = NAMES + d->cell * (double)i;
		ifr_buffer_printf(d->out,
		                  "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
		                  shipped ? "shipped" : "time", x + 0.5, TIMES - 4 - height, d->cell - 1, height);
		put_value(d, i);
		ifr_buffer_puts(d->out, "</title></rect>\n");
		if (shipped)
			ifr_buffer_printf(d->out, "<text x=\"%.2f\" y=\"11\" text-anchor=\"%s\">shipped</text>\n",
			                  x + d->cell / 2,
			                  i * 8 < analysis->layout_count       ? "start"
			                  : i * 8 > 7 * analysis->layout_count ? "end"
			                                                       : "middle");
	}
	ifr_buffer_release(&label);
}

static void put_label(struct drawing *d, const struct ifr_unit_row *row, double y) {
	struct ifr_buffer label = {0};
	char *name = map_unit_label(row->unit->name, NAME_COLUMNS), *whole = map_unit_label(row->unit->name, SIZE_MAX);
	ifr_escape_html(&label, name);
	ifr_buffer_printf(
		d->out, "<text class=\"%s\" x=\"0\" y=\"%.1f\"%s>", row->found ? "found" : "unit", y + ROW - 5.5,
		label.length > NAME_COLUMNS - 4 ? " textLength=\"195\" lengthAdjust=\"spacingAndGlyphs\"" : "");
	ifr_buffer_puts(d->out, ifr_buffer_text(&label));
	ifr_buffer_puts(d->out, "<title>");
	if (strcmp(whole, map_unit_symbol(row->unit->name))) {
		ifr_escape_html(d->out, whole);
		ifr_buffer_puts(d->out, ", ");
	}
	ifr_escape_html(d->out, row->unit->name);
	if (row->unit->source) {
		ifr_buffer_puts(d->out, ", ");
		ifr_escape_html(d->out, row->unit->source);
	}
	ifr_buffer_puts(d->out, "</title></text>");
	if (!isnan(row->share))
		ifr_buffer_printf(d->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f %%%s</text>\n", NAMES - 8,
		                  y + ROW - 5.5, 100 * row->share, row->found ? " *" : "");
	else if (row->found)
		ifr_buffer_printf(d->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">*</text>\n", NAMES - 8,
		                  y + ROW - 5.5);
	ifr_buffer_release(&label);
	free(whole);
	free(name);
}

static void put_cell(struct drawing *d, const struct ifr_unit_row *row, size_t layout, int panel, double y) {
	const uint64_t at = ifr_unit_map_address(d->analysis, row, layout);
	if (!at)
		return;
	ifr_buffer_printf(
		d->out, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"hsl(%.0f 65%% 58%%)\"><title>",
		NAMES + d->cell * (double)layout, y + 1, d->cell + 0.05, ROW - 2, hue(at, panel));
	char *name = map_unit_label(row->unit->name, MAP_WORDS);
	ifr_escape_html(d->out, name);
	free(name);
	ifr_buffer_printf(d->out, " at 0x%llx, %u bytes into its %s; ", (unsigned long long)at,
	                  (unsigned)(at % map_frames[panel]), panel ? "page" : "64-byte line");
	put_value(d, layout);
	ifr_buffer_puts(d->out, "</title></rect>\n");
}

/* The offsets that the hues stand for. */
static void put_legend(struct drawing *d, int panel, double y) {
	const double width = 12;
	for (unsigned i = 0; i < MAP_STEPS; i++)
		ifr_buffer_printf(
			d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" fill=\"hsl(%.0f 65%% 58%%)\"/>",
			WIDTH - 250 + width * i, y + 6, width + 0.05, 360.0 * (i + 0.5) / MAP_STEPS);
	ifr_buffer_printf(
		d->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">0</text><text x=\"%.1f\" y=\"%.1f\">%u</text>\n",
		WIDTH - 256, y + 15, WIDTH - 250 + width * MAP_STEPS + 5, y + 15, map_frames[panel] - 1);
}

static void put_panel(struct drawing *d, int panel, double y) {
	ifr_buffer_printf(d->out, "<text class=\"found\" x=\"0\" y=\"%.1f\">%s</text>\n", y + 15, map_titles[panel]);
	put_legend(d, panel, y);
	for (size_t i = 0; i < d->map->row_count; i++) {
		const double top = y + LEGEND + ROW * (double)i;
		put_label(d, &d->map->rows[i], top);
		for (size_t j = 0; j < d->analysis->layout_count; j++)
			put_cell(d, &d->map->rows[i], j, panel, top);
	}
	for (size_t j = 0; j < d->analysis->layout_count; j++)
		if (&d->analysis->layouts[j] == d->analysis->shipped)
			ifr_buffer_printf(
				d->out, "<rect class=\"frame\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>\n",
				NAMES + d->cell * (double)j, y + LEGEND, d->cell, (double)ROW * (double)d->map->row_count);
}

void map_put_svg(const struct ifr_analysis *analysis, const struct ifr_unit_map *map, struct ifr_buffer *out) {
	struct drawing d = {analysis, map, out, fmin(18, (double)(WIDTH - NAMES) / (double)analysis->layout_count)};
	const double panel = LEGEND + ROW * (double)map->row_count;
	struct ifr_buffer caption = {0};
	ifr_buffer_printf(out,
	                  "<figure class=\"units\"><svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"where units "
	                  "lie, in layouts from the fastest to the slowest\" font-size=\"13\">\n",
	                  WIDTH, TIMES + MAP_PANELS * panel + GAP);
	put_times(&d);
	for (int i = 0; i < MAP_PANELS; i++)
		put_panel(&d, i, TIMES + i * (panel + GAP));
	map_put_caption(analysis, map, &caption);
	ifr_buffer_puts(out, "</svg><figcaption>");
	ifr_escape_html(out, ifr_buffer_text(&caption));
	ifr_buffer_puts(
		out, " A row whose colours part the fast from the slow is a cause to look at.</figcaption></figure>\n");
	ifr_buffer_release(&caption);
}
