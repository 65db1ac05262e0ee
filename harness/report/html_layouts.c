/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all layouts, as HTML. */
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/format.h"
#include "harness/report/html.h"
#include "harness/report/prose.h"

static void put_row(const struct ifr_analysis *analysis, const struct ifr_scale *scale, size_t rank,
                    struct ifr_buffer *out) {
	const struct ifr_layout *layout = &analysis->layouts[rank];
	bool ships = analysis->shipped && layout == analysis->shipped;
	ifr_buffer_printf(out, "<tr%s><td>%zu</td><td class=\"name\">", ships ? " class=\"shipped\"" : "", rank + 1);
	ifr_escape_html(out, layout->variant->name);
	ifr_buffer_puts(out, ships && !strstr(layout->variant->name, "ship") ? " (ships)</td><td>" : "</td><td>");
	ifr_format_number(out, scale, layout->median);
	ifr_buffer_puts(out, "</td><td>");
	if (layout->has_interval) {
		ifr_format_number(out, scale, layout->interval.low);
		ifr_buffer_puts(out, " to ");
		ifr_format_number(out, scale, layout->interval.high);
		ifr_buffer_printf(out, "</td><td>%.4g&nbsp;%%</td><td>", 100 * layout->interval.confidence);
	} else {
		ifr_buffer_puts(out, "&ndash;</td><td>&ndash;</td><td>");
	}
	double base = analysis->shipped ? analysis->shipped->median : analysis->centre;
	if (base > 0)
		ifr_format_signed_pct(out, 100 * (layout->median - base) / base);
	ifr_buffer_printf(out, "</td><td>%zu</td></tr>\n", layout->count);
}

void ifr_html_table(const struct ifr_analysis *analysis, struct ifr_buffer *out) {
	const struct ifr_scale *scale = &analysis->scale;
	ifr_buffer_puts(out, "<div class=\"wide\"><table><thead><tr><th>rank</th><th class=\"name\">");
	ifr_buffer_puts(out,
	                ifr_prose_has_alternatives(analysis) ? "alternative</th><th>median" : "layout</th><th>median");
	if (*scale->unit) {
		ifr_buffer_puts(out, " (");
		ifr_escape_html(out, scale->unit);
		ifr_buffer_puts(out, ")");
	}
	ifr_buffer_printf(out,
	                  "</th><th>its interval</th><th>confidence</th><th>against %s</th><th>runs</th></tr></thead>"
	                  "<tbody>\n",
	                  analysis->shipped ? "shipped" : "the median");
	for (size_t i = 0; i < analysis->layout_count; i++)
		put_row(analysis, scale, i, out);
	ifr_buffer_puts(out, "</tbody></table></div>\n");
}
