/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What falls to each counter. Ref: Wang and Jiménez 2011, figure 6. */
#include <stdlib.h>

#include "harness/report/escape.h"
#include "harness/report/figures.h"
#include "harness/report/format.h"

void ifr_figure_blame(const struct ifr_analysis *report, struct ifr_figures *figures) {
	const struct ifr_blame *blame = &report->blame;
	if (!blame->known)
		return;
	struct ifr_figure *figure =
		ifr_figure_begin(figures, "blame",
	                     "What each counter explains of the variation between layouts: alone (light), and its "
	                     "share when all are asked "
	                     "together (dark, with its 95 % interval). The shares add up to the last bar.");
	struct ifr_buffer *script = &figure->script;
	ifr_buffer_puts(script, "$blame << EOD\n");
	for (size_t i = 0; i < blame->count; i++) {
		const struct ifr_counter_regression *regression = &report->regressions[blame->regression[i]];
		ifr_buffer_printf(script, "%zu ", i);
		ifr_escape_word(script, regression->counter->name);
		ifr_buffer_printf(script, " %.6g %.6g %.6g %.6g\n", 100 * regression->line.r2, 100 * blame->share[i],
		                  100 * blame->interval[i].low, 100 * blame->interval[i].high);
	}
	ifr_buffer_printf(script, "%zu together 0 %.6g %.6g %.6g\nEOD\n", blame->count, 100 * blame->model.r2,
	                  100 * blame->model.r2, 100 * blame->model.r2);
	ifr_buffer_puts(script, "set ylabel '% of the variation explained' textcolor rgb '" IFR_FIGURE_INK "'\n");
	ifr_buffer_printf(script,
	                  "set yrange [0:*]\nset xrange [-0.6:%zu.6]\nset xtics rotate by -25\nset key outside bottom "
	                  "center horizontal height 1\n",
	                  blame->count);
	ifr_figure_end(
		figure, 860, 460,
		"plot $blame using 1:3:(0.7) with boxes fs solid 0.25 noborder lc rgb '#3b7dd8' title 'alone', \\\n"
		"  $blame using 1:4:(0.35):xtic(2) with boxes fs solid 0.9 noborder lc rgb '#3b7dd8' title 'share', \\\n"
		"  $blame using 1:4:5:6 with yerrorbars pt 7 ps 0.01 lw 1.5 lc rgb '" IFR_FIGURE_INK "' notitle");
}
