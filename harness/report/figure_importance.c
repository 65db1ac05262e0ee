/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figure of relative importance. Ref: Wang and Jiménez 2011, figure 6. */
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/figures.h"
#include "harness/report/format.h"

void ifr_figure_importance(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	const struct ifr_counter_importance *importance = &analysis->importance;
	if (!importance->known)
		return;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "relative-importance",
		"The variation between layouts that each counter explains: alone (light), and its relative "
		"importance (LMG) among all counters (dark, with its 95 % interval). The importances add up to the "
		"last bar.");
	struct ifr_buffer *script = &figure->script;
	ifr_buffer_puts(script, "$importance << EOD\n");
	for (size_t i = 0; i < importance->count; i++) {
		const struct ifr_counter_regression *regression = &analysis->regressions[importance->regression[i]];
		ifr_buffer_printf(script, "%zu ", i);
		ifr_escape_word(script, regression->counter->name);
		ifr_buffer_printf(script, " %.6g %.6g %.6g %.6g\n", 100 * regression->line.r2,
		                  100 * importance->relative[i], 100 * importance->interval[i].low,
		                  100 * importance->interval[i].high);
	}
	ifr_buffer_printf(script, "%zu together 0 %.6g %.6g %.6g\nEOD\n", importance->count,
	                  100 * importance->model.r2, 100 * importance->model.r2, 100 * importance->model.r2);
	ifr_buffer_puts(script, "set ylabel '% of the variation explained' textcolor rgb '" IFR_FIGURE_INK "'\n");
	ifr_buffer_printf(script,
	                  "set yrange [0:*]\nset xrange [-0.6:%zu.6]\nset xtics rotate by -25\nset key outside bottom "
	                  "center horizontal height 1\n",
	                  importance->count);
	ifr_figure_end(
		figure, 860, 460,
		"plot $importance using 1:3:(0.7) with boxes fs solid 0.25 noborder lc rgb '#3b7dd8' title 'alone', \\\n"
		"  $importance using 1:4:(0.35):xtic(2) with boxes fs solid 0.9 noborder lc rgb '#3b7dd8' title "
		"'relative importance', \\\n"
		"  $importance using 1:4:5:6 with yerrorbars pt 7 ps 0.01 lw 1.5 lc rgb '" IFR_FIGURE_INK "' notitle");
}
