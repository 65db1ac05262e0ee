/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of regressions; bands are evaluated from the fitted lines. Ref: Wang and Jiménez 2011, figure 2. */
#include <math.h>
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/figures.h"
#include "harness/report/format.h"

enum { BAND_POINTS = 60, FIGURES_MAX = 6 };

static double response_divisor(const struct ifr_analysis *analysis) {
	return analysis->response_is_cpi ? 1 : analysis->scale.divisor;
}

static void put_labels(const struct ifr_analysis *analysis, const struct ifr_counter_regression *regression,
                       struct ifr_buffer *script) {
	const struct ifr_scale *scale = &analysis->scale;
	char *x = ifr_format("%s%s", regression->counter->name,
	                     analysis->per_1000_instructions ? " per 1000 instructions" : "");
	char *y = analysis->response_is_cpi ? ifr_strdup("cycles per instruction")
	                                    : ifr_format("%s (%s)", analysis->metric->name, scale->unit);
	ifr_buffer_puts(script, "set xlabel ");
	ifr_quote_gnuplot(script, x);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\nset ylabel ");
	ifr_quote_gnuplot(script, y);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\n");
	free(x);
	free(y);
}

static void print_data(const struct ifr_analysis *analysis, const struct ifr_counter_regression *regression,
                       struct ifr_buffer *script) {
	double divisor = response_divisor(analysis), low = regression->x[0], high = low;
	ifr_buffer_puts(script, "$layouts << EOD\n");
	for (size_t i = 0; i < regression->count; i++) {
		ifr_buffer_printf(script, "%.9g %.9g\n", regression->x[i], regression->y[i] / divisor);
		low = fmin(low, regression->x[i]);
		high = fmax(high, regression->x[i]);
	}
	ifr_buffer_puts(script, "EOD\n");
	if (regression->has_shipped) {
		ifr_buffer_printf(script, "$shipped << EOD\n%.9g %.9g\nEOD\n", regression->shipped_x,
		                  regression->shipped_y / divisor);
		low = fmin(low, regression->shipped_x);
		high = fmax(high, regression->shipped_x);
	}
	/* Columns: x, the line, the line's interval, the interval of one layout. */
	ifr_buffer_puts(script, "$bands << EOD\n");
	for (int i = 0; i <= BAND_POINTS; i++) {
		double x = low + (high - low) * i / BAND_POINTS;
		double y = regression->line.intercept + regression->line.slope * x;
		struct ifr_interval mean, point;
		ifr_regression_line_bands(&regression->line, x, IFR_REPORT_CONFIDENCE, &mean, &point);
		ifr_buffer_printf(script, "%.9g %.9g %.9g %.9g %.9g %.9g\n", x, y / divisor, mean.low / divisor,
		                  mean.high / divisor, point.low / divisor, point.high / divisor);
	}
	ifr_buffer_puts(script, "EOD\n");
}

static void add_line(const struct ifr_analysis *analysis, const struct ifr_counter_regression *regression,
                     struct ifr_figures *figures) {
	struct ifr_buffer caption = {0};
	char *name = ifr_format("line-%s", regression->counter->name);
	ifr_buffer_printf(&caption, "%s and %s: r = %.2f, ",
	                  analysis->response_is_cpi ? "CPI" : analysis->metric->name, regression->counter->name,
	                  regression->line.r);
	ifr_format_p(&caption, regression->p_adjusted);
	if (regression->corrected)
		ifr_buffer_puts(&caption, ". The slope is corrected for the noise of the event");
	ifr_buffer_puts(&caption, ". Dark band: 95 % interval of the line; light band: of a single further layout.");
	struct ifr_figure *figure = ifr_figure_begin(figures, name, ifr_buffer_text(&caption));
	print_data(analysis, regression, &figure->script);
	put_labels(analysis, regression, &figure->script);
	ifr_buffer_puts(&figure->script,
	                "set key outside bottom center horizontal height 1\nset autoscale xfix\nset offsets graph "
	                "0.02, graph 0.02, 0, 0\n");
	char *plot = ifr_format(
		"plot $bands using 1:5:6 with filledcurves lc rgb '#808080' fillstyle transparent solid 0.15 noborder "
		"title '95 %% for a layout', \\\n"
		"  $bands using 1:3:4 with filledcurves lc rgb '#808080' fillstyle transparent solid 0.35 noborder "
		"title '95 %% for the line', \\\n"
		"  $bands using 1:2 with lines lw 1.5 lc rgb '#808080' notitle, \\\n"
		"  $layouts using 1:2 with points pt 7 ps 0.6 lc rgb '#3b7dd8' title 'layouts'%s",
		regression->has_shipped
			? ", \\\n  $shipped using 1:2 with points pt 13 ps 1.2 lc rgb '#e0632a' title 'the shipped layout'"
			: "");
	ifr_figure_end(figure, 860, 460, plot);
	free(plot);
	free(name);
	ifr_buffer_release(&caption);
}

void ifr_figure_lines(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	for (size_t i = 0; i < analysis->regression_count && i < FIGURES_MAX; i++)
		add_line(analysis, &analysis->regressions[i], figures);
}
