/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of the layouts' medians: density, intervals, normal quantiles. */
#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/strings.h"
#include "harness/output/output.h"
#include "harness/report/figures.h"
#include "harness/report/format.h"

enum { WIDTH = 860, DENSITY_POINTS = 160, LABELS_MAX = 70 };

#define RANDOM_COLOUR "#3b7dd8"
#define SHIPPED_COLOUR "#e0632a"

static void axis_label(struct ifr_buffer *script, const struct ifr_analysis *analysis, const char *axis) {
	const struct ifr_scale *scale = &analysis->scale;
	/* "million cycles", not "cycles (million cycles)". */
	char *label = ifr_ends_with(scale->unit, analysis->metric->name) ? ifr_strdup(scale->unit)
	              : *scale->unit ? ifr_format("%s (%s)", analysis->metric->name, scale->unit)
	                             : ifr_strdup(analysis->metric->name);
	ifr_buffer_printf(script, "set %slabel ", axis);
	ifr_quote_gnuplot(script, label);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\n");
	free(label);
}

/* The distance of some six marks on an axis: 1, 2 or 5 times a power of ten. */
static double mark_step(double span) {
	double power = pow(10, floor(log10(span / 6))), ratio = span / 6 / power;
	return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/* A second axis above, in percent of the median layout. Its marks are listed, because gnuplot copies the marks
 * of a linked axis from the other axis. */
static void percent_axis(struct ifr_buffer *script, double centre, double low, double high) {
	if (!(centre > 0))
		return;
	double left = 100 * (low / centre - 1), right = 100 * (high / centre - 1), step = mark_step(right - left);
	ifr_buffer_printf(script, "set link x2 via 100*(x/%.9g-1) inverse %.9g*(1+x/100)\n", centre, centre);
	ifr_buffer_puts(script, "set x2tics textcolor rgb '" IFR_FIGURE_INK "' (");
	const char *separator = "";
	for (double mark = ceil(left / step); mark * step <= right; mark++) {
		ifr_buffer_printf(script, mark == 0 ? "%s'%g %%%%' %g" : "%s'%+.6g %%%%' %.9g", separator,
		                  mark * step + 0.0, mark * step + 0.0);
		separator = ", ";
	}
	ifr_buffer_puts(script, ")\nset x2label 'against the median layout' textcolor rgb '" IFR_FIGURE_INK "'\n");
}

/* The horizontal axis: the metric below, with some margin, and percent above. */
static void value_axis(const struct ifr_analysis *analysis, struct ifr_buffer *script, double low, double high) {
	double divisor = analysis->scale.divisor;
	double margin = high > low ? 0.04 * (high - low) : fmax(fabs(low) * 0.01, 1e-9);
	low = (low - margin) / divisor;
	high = (high + margin) / divisor;
	axis_label(script, analysis, "x");
	ifr_buffer_printf(script, "set xrange [%.9g:%.9g]\n", low, high);
	percent_axis(script, analysis->centre / divisor, low, high);
}

static void print_density(const struct ifr_analysis *analysis, double bandwidth, struct ifr_buffer *script,
                          double low, double high) {
	double density[DENSITY_POINTS + 1], peak = 0, divisor = analysis->scale.divisor;
	for (int i = 0; i <= DENSITY_POINTS; i++) {
		double x = low + (high - low) * i / DENSITY_POINTS;
		density[i] = ifr_density_at(analysis->medians, analysis->random_count, bandwidth, x);
		peak = fmax(peak, density[i]);
	}
	ifr_buffer_puts(script, "$density << EOD\n");
	for (int i = 0; i <= DENSITY_POINTS; i++)
		ifr_buffer_printf(script, "%.9g %.5f\n", (low + (high - low) * i / DENSITY_POINTS) / divisor,
		                  density[i] / peak);
	ifr_buffer_puts(script, "EOD\n$layouts << EOD\n");
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if (layout == analysis->shipped)
			continue;
		/* Keyed jitter, so that equal values show and every drawing is the same. */
		double place = ifr_random_unit(ifr_random_keyed(1, "figure", layout->variant->name)) * 1.6 - 0.8;
		double here = ifr_density_at(analysis->medians, analysis->random_count, bandwidth, layout->median) / peak;
		ifr_buffer_printf(script, "%.9g %.5f\n", layout->median / divisor, place * here);
	}
	ifr_buffer_puts(script, "EOD\n");
}

void ifr_figure_layouts(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	const double bandwidth = analysis->bandwidth;
	if (!analysis->has_density)
		return;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "layouts", "Distribution of the layouts' medians: kernel density, and a point per layout.");
	struct ifr_buffer *script = &figure->script;
	double divisor = analysis->scale.divisor;
	double low = analysis->medians[0] - 2.5 * bandwidth;
	double high = analysis->medians[analysis->random_count - 1] + 2.5 * bandwidth;
	print_density(analysis, bandwidth, script, low, high);
	if (analysis->shipped)
		ifr_buffer_printf(script, "$shipped << EOD\n%.9g -1\n%.9g 1\nEOD\n", analysis->shipped->median / divisor,
		                  analysis->shipped->median / divisor);
	if (analysis->shipped) {
		low = fmin(low, analysis->shipped->median);
		high = fmax(high, analysis->shipped->median);
	}
	value_axis(analysis, script, low, high);
	ifr_buffer_puts(script, "set border 5\nunset ytics\nset grid noytics xtics\nset yrange [-1.15:1.15]\n"
	                        "set key outside bottom center horizontal height 1\n");
	char *plot =
		ifr_format("plot $density using 1:2:(-$2) with filledcurves notitle lc rgb '%s' "
	               "fillstyle transparent solid 0.25 noborder, \\\n"
	               "  $layouts using 1:2 with points pt 7 ps 0.55 lc rgb '%s' title 'layouts'%s",
	               RANDOM_COLOUR, RANDOM_COLOUR,
	               analysis->shipped ? ", \\\n  $shipped using 1:2 with lines lw 2.5 lc rgb '" SHIPPED_COLOUR
	                                   "' title 'the shipped layout'"
	                                 : "");
	ifr_figure_end(figure, WIDTH, 330, plot);
	free(plot);
}

/* The rank, the median, its interval, the name. */
static void print_intervals(const struct ifr_analysis *analysis, bool shipped, struct ifr_buffer *script) {
	double divisor = analysis->scale.divisor;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		if ((layout == analysis->shipped) != shipped)
			continue;
		double low = layout->has_interval ? layout->interval.low : layout->median;
		double high = layout->has_interval ? layout->interval.high : layout->median;
		ifr_buffer_printf(script, "%zu %.9g %.9g %.9g \"", i + 1, layout->median / divisor, low / divisor,
		                  high / divisor);
		ifr_escape_word(script, layout->variant->name);
		ifr_buffer_puts(script, "\"\n");
	}
	ifr_buffer_puts(script, "EOD\n");
}

static void interval_axis(const struct ifr_analysis *analysis, struct ifr_buffer *script) {
	double low = analysis->layouts[0].median, high = low;
	for (size_t i = 0; i < analysis->layout_count; i++) {
		const struct ifr_layout *layout = &analysis->layouts[i];
		low = fmin(low, layout->has_interval ? layout->interval.low : layout->median);
		high = fmax(high, layout->has_interval ? layout->interval.high : layout->median);
	}
	value_axis(analysis, script, low, high);
}

void ifr_figure_intervals(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	size_t n = analysis->layout_count;
	bool labels = n <= LABELS_MAX;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "intervals", "The median of each layout with its distribution-free interval, in order.");
	struct ifr_buffer *script = &figure->script;
	ifr_buffer_puts(script, "$layouts << EOD\n");
	print_intervals(analysis, false, script);
	if (analysis->shipped) {
		ifr_buffer_puts(script, "$shipped << EOD\n");
		print_intervals(analysis, true, script);
	}
	interval_axis(analysis, script);
	ifr_buffer_printf(script,
	                  "set errorbars 0\nset border 7\nset yrange [%zu.7:0.3]\nset key outside bottom center "
	                  "horizontal height 1\n",
	                  n);
	const char *names = labels ? ":yticlabels(5)" : "";
	char *random = ifr_format("$layouts using 2:1:3:4%s with xerrorbars pt 7 ps %s lw 1.2 lc rgb '" RANDOM_COLOUR
	                          "' title 'layouts'",
	                          names, labels ? "0.6" : "0.25");
	char *shipped = ifr_format("$shipped using 2:1:3:4%s with xerrorbars pt 13 ps 1.1 lw 2 lc rgb '" SHIPPED_COLOUR
	                           "' title 'the shipped layout'",
	                           names);
	char *plot = ifr_format("plot %s%s%s", analysis->random_count ? random : "",
	                        analysis->random_count && analysis->shipped ? ", \\\n  " : "",
	                        analysis->shipped ? shipped : "");
	ifr_figure_end(figure, WIDTH, labels ? 160 + 15 * (int)n : 1000, plot);
	free(random);
	free(shipped);
	free(plot);
}

void ifr_figure_normal(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	const double divisor = analysis->scale.divisor;
	const size_t n = analysis->random_count;
	if (!analysis->has_moments)
		return;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "normal",
		"Quantiles of the layouts against a normal distribution: normal layouts lie on the line, two "
		"groups make a "
		"step.");
	struct ifr_buffer *script = &figure->script;
	ifr_buffer_puts(script, "$layouts << EOD\n");
	for (size_t i = 0; i < n; i++)
		ifr_buffer_printf(script, "%.6f %.9g\n", ifr_normal_score(i + 1, n), analysis->medians[i] / divisor);
	ifr_buffer_puts(script, "EOD\n");
	axis_label(script, analysis, "y");
	ifr_buffer_puts(script, "set xlabel 'quantile of the standard normal distribution' "
	                        "textcolor rgb '" IFR_FIGURE_INK "'\nunset key\n");
	double edge = ifr_normal_score(n, n) * 1.1;
	ifr_buffer_printf(script, "set xrange [%.6f:%.6f]\n", -edge, edge);
	char *plot = ifr_format("plot %.9g+%.9g*x with lines lw 1 lc rgb '#808080', \\\n"
	                        "  $layouts using 1:2 with points pt 7 ps 0.6 lc rgb '%s'",
	                        analysis->medians_mean / divisor, analysis->medians_sd / divisor, RANDOM_COLOUR);
	ifr_figure_end(figure, WIDTH, 420, plot);
	free(plot);
}
