/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of layouts, in characters. */
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/prose.h"
#include "harness/report/text.h"

enum { ENDS = 5, NAME_WIDTH = 22 };

/* The name in NAME_WIDTH columns, cut short with "..". */
static void print_name(const char *name, struct ifr_buffer *out) {
	struct ifr_buffer clean = {0};
	ifr_escape_plain(&clean, name);
	const char *text = ifr_buffer_text(&clean);
	size_t bytes = 0, width = ifr_text_width(text, clean.length);
	bool cut = width > NAME_WIDTH;
	size_t wanted = cut ? NAME_WIDTH - 2 : width;
	while (bytes < clean.length && ifr_text_width(text, bytes + 1) <= wanted)
		bytes++;
	ifr_buffer_append(out, text, bytes);
	ifr_buffer_printf(out, "%s%*s", cut ? ".." : "", (int)(cut ? 0 : NAME_WIDTH - width), "");
	ifr_buffer_release(&clean);
}

static void print_row(const struct ifr_analysis *analysis, const struct ifr_scale *scale, size_t rank, bool color,
                      struct ifr_buffer *out) {
	const struct ifr_layout *layout = &analysis->layouts[rank];
	bool shipped = analysis->shipped && layout == analysis->shipped;
	struct ifr_buffer cell = {0};
	ifr_buffer_printf(out, "%s%c%5zu  ", shipped && color ? "\033[1m" : "", shipped ? '>' : ' ', rank + 1);
	print_name(layout->variant->name, out);
	ifr_format_number(&cell, scale, layout->median);
	ifr_buffer_printf(out, " %10s", ifr_buffer_text(&cell));
	ifr_buffer_clear(&cell);
	if (layout->has_interval) {
		ifr_format_number(&cell, scale, layout->interval.low);
		ifr_buffer_puts(&cell, " to ");
		ifr_format_number(&cell, scale, layout->interval.high);
	} else {
		ifr_buffer_puts(&cell, "-");
	}
	ifr_buffer_printf(out, " %20s", ifr_buffer_text(&cell));
	ifr_buffer_clear(&cell);
	double base = analysis->shipped ? analysis->shipped->median : analysis->centre;
	if (base > 0)
		ifr_format_signed_pct(&cell, 100 * (layout->median - base) / base);
	else
		ifr_buffer_puts(&cell, "-");
	ifr_buffer_printf(out, " %10s %4zu%s\n", ifr_buffer_text(&cell), layout->count,
	                  shipped && color ? "\033[0m" : "");
	ifr_buffer_release(&cell);
}

void ifr_text_table(const struct ifr_analysis *analysis, bool color, struct ifr_buffer *out) {
	const struct ifr_scale *scale = &analysis->scale;
	const bool plain = ifr_prose_has_alternatives(analysis);
	const char *against = analysis->shipped ? "vs shipped" : "vs median";
	ifr_buffer_printf(out, "  rank  %-22s %10s %20s %10s runs\n", plain ? "alternative" : "layout", "median",
	                  "its interval", against);
	if (*scale->unit)
		ifr_buffer_printf(out, "  %-28s %10s %20s\n", "", scale->unit, scale->unit);
	bool gap = false;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		if (i < ENDS || i + ENDS >= analysis->layout_count || &analysis->layouts[i] == analysis->shipped) {
			print_row(analysis, scale, i, color, out);
			gap = false;
		} else if (!gap) {
			ifr_buffer_puts(out, "   ...\n");
			gap = true;
		}
	}
	if (analysis->layouts[0].has_interval)
		ifr_buffer_printf(out, "  An interval from %zu runs holds %s true median %.4g times in 100.\n",
		                  analysis->layouts[0].count, plain ? "an alternative's" : "a layout's",
		                  100 * analysis->layouts[0].interval.confidence);
}
