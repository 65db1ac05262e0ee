/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of layouts' medians: their density, each layout's interval, and normal quantiles. */
#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "common/strings.h"
#include "harness/report/escape.h"
#include "harness/report/figures.h"
#include "harness/report/format.h"

enum { WIDTH = 860, DENSITY_POINTS = 160, LABELS_MAX = 70 };

#define RANDOM_COLOUR "#3b7dd8"
#define SHIPPED_COLOUR "#e0632a"

static void axis_label(struct ifr_buffer *script, const struct ifr_analysis *report, const char *axis) {
	struct ifr_scale scale = ifr_scale_choose(report);
	/* "million cycles", not "cycles (million cycles)". */
	char *label = ifr_ends_with(scale.unit, report->metric->name) ? ifr_strdup(scale.unit)
	              : *scale.unit ? ifr_format("%s (%s)", report->metric->name, scale.unit)
	                            : ifr_strdup(report->metric->name);
	ifr_buffer_printf(script, "set %slabel ", axis);
	ifr_quote_gnuplot(script, label);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\n");
	free(label);
}

/* The distance of marks on an axis: 1, 2 or 5 times a power of ten, some six of them. */
static double mark_step(double span) {
	double power = pow(10, floor(log10(span / 6))), ratio = span / 6 / power;
	return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/* A second axis above, in percent of the median layout. Its marks are set one by one, because gnuplot takes those
 * of a linked axis from the other one. */
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
static void value_axis(const struct ifr_analysis *report, struct ifr_buffer *script, double low, double high) {
	double divisor = ifr_scale_choose(report).divisor;
	double margin = high > low ? 0.04 * (high - low) : fmax(fabs(low) * 0.01, 1e-9);
	low = (low - margin) / divisor;
	high = (high + margin) / divisor;
	axis_label(script, report, "x");
	ifr_buffer_printf(script, "set xrange [%.9g:%.9g]\n", low, high);
	percent_axis(script, report->centre / divisor, low, high);
}

static void print_density(const struct ifr_analysis *report, double bandwidth, struct ifr_buffer *script,
                          double low, double high) {
	double density[DENSITY_POINTS + 1], peak = 0, divisor = ifr_scale_choose(report).divisor;
	for (int i = 0; i <= DENSITY_POINTS; i++) {
		double x = low + (high - low) * i / DENSITY_POINTS;
		density[i] = ifr_density_at(report->medians, report->random_count, bandwidth, x);
		peak = fmax(peak, density[i]);
	}
	ifr_buffer_puts(script, "$density << EOD\n");
	for (int i = 0; i <= DENSITY_POINTS; i++)
		ifr_buffer_printf(script, "%.9g %.5f\n", (low + (high - low) * i / DENSITY_POINTS) / divisor,
		                  density[i] / peak);
	ifr_buffer_puts(script, "EOD\n$layouts << EOD\n");
	for (size_t i = 0; i < report->layout_count; i++) {
		const struct ifr_layout *layout = &report->layouts[i];
		if (layout == report->shipped)
			continue;
		/* Spread over the height, so that equal values show, and the same in every drawing. */
		double place = ifr_random_unit(ifr_random_keyed(1, "figure", layout->variant->name)) * 1.6 - 0.8;
		double here = ifr_density_at(report->medians, report->random_count, bandwidth, layout->median) / peak;
		ifr_buffer_printf(script, "%.9g %.5f\n", layout->median / divisor, place * here);
	}
	ifr_buffer_puts(script, "EOD\n");
}

void ifr_figure_layouts(const struct ifr_analysis *report, struct ifr_figures *figures) {
	double bandwidth;
	if (ifr_density_bandwidth(report->medians, report->random_count, &bandwidth, NULL))
		return;
	struct ifr_figure *figure = ifr_figure_begin(figures, "layouts",
	                                             "Where the layouts lie. The body is as thick as layouts are "
	                                             "frequent (a kernel density); a point is a layout.");
	struct ifr_buffer *script = &figure->script;
	double divisor = ifr_scale_choose(report).divisor;
	double low = report->medians[0] - 2.5 * bandwidth;
	double high = report->medians[report->random_count - 1] + 2.5 * bandwidth;
	print_density(report, bandwidth, script, low, high);
	if (report->shipped)
		ifr_buffer_printf(script, "$shipped << EOD\n%.9g -1\n%.9g 1\nEOD\n", report->shipped->median / divisor,
		                  report->shipped->median / divisor);
	if (report->shipped) {
		low = fmin(low, report->shipped->median);
		high = fmax(high, report->shipped->median);
	}
	value_axis(report, script, low, high);
	ifr_buffer_puts(script, "set border 5\nunset ytics\nset grid noytics xtics\nset yrange [-1.15:1.15]\n"
	                        "set key outside bottom center horizontal height 1\n");
	char *plot =
		ifr_format("plot $density using 1:2:(-$2) with filledcurves notitle lc rgb '%s' "
	               "fillstyle transparent solid 0.25 noborder, \\\n"
	               "  $layouts using 1:2 with points pt 7 ps 0.55 lc rgb '%s' title 'random layouts'%s",
	               RANDOM_COLOUR, RANDOM_COLOUR,
	               report->shipped ? ", \\\n  $shipped using 1:2 with lines lw 2.5 lc rgb '" SHIPPED_COLOUR
	                                 "' title 'the layout that ships'"
	                               : "");
	ifr_figure_end(figure, WIDTH, 330, plot);
	free(plot);
}

/* The rank, the median, its interval, the name. */
static void print_intervals(const struct ifr_analysis *report, bool shipped, struct ifr_buffer *script) {
	double divisor = ifr_scale_choose(report).divisor;
	for (size_t i = 0; i < report->layout_count; i++) {
		const struct ifr_layout *layout = &report->layouts[i];
		if ((layout == report->shipped) != shipped)
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

static void interval_axis(const struct ifr_analysis *report, struct ifr_buffer *script) {
	double low = report->layouts[0].median, high = low;
	for (size_t i = 0; i < report->layout_count; i++) {
		const struct ifr_layout *layout = &report->layouts[i];
		low = fmin(low, layout->has_interval ? layout->interval.low : layout->median);
		high = fmax(high, layout->has_interval ? layout->interval.high : layout->median);
	}
	value_axis(report, script, low, high);
}

void ifr_figure_intervals(const struct ifr_analysis *report, struct ifr_figures *figures) {
	size_t n = report->layout_count;
	bool labels = n <= LABELS_MAX;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "intervals", "Each layout's median and the distribution-free interval of it, in order.");
	struct ifr_buffer *script = &figure->script;
	ifr_buffer_puts(script, "$layouts << EOD\n");
	print_intervals(report, false, script);
	if (report->shipped) {
		ifr_buffer_puts(script, "$shipped << EOD\n");
		print_intervals(report, true, script);
	}
	interval_axis(report, script);
	ifr_buffer_printf(script,
	                  "set errorbars 0\nset border 7\nset yrange [%zu.7:0.3]\nset key outside bottom center "
	                  "horizontal height 1\n",
	                  n);
	const char *names = labels ? ":yticlabels(5)" : "";
	char *random = ifr_format("$layouts using 2:1:3:4%s with xerrorbars pt 7 ps %s lw 1.2 lc rgb '" RANDOM_COLOUR
	                          "' title 'random layouts'",
	                          names, labels ? "0.6" : "0.25");
	char *shipped = ifr_format("$shipped using 2:1:3:4%s with xerrorbars pt 13 ps 1.1 lw 2 lc rgb '" SHIPPED_COLOUR
	                           "' title 'the layout that ships'",
	                           names);
	char *plot =
		ifr_format("plot %s%s%s", report->random_count ? random : "",
	               report->random_count && report->shipped ? ", \\\n  " : "", report->shipped ? shipped : "");
	ifr_figure_end(figure, WIDTH, labels ? 160 + 15 * (int)n : 1000, plot);
	free(random);
	free(shipped);
	free(plot);
}

void ifr_figure_normal(const struct ifr_analysis *report, struct ifr_figures *figures) {
	double mean, sd, divisor = ifr_scale_choose(report).divisor;
	size_t n = report->random_count;
	if (n < 3 || ifr_sample_moments(report->medians, n, &mean, &sd, NULL) || !(sd > 0))
		return;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "normal",
		"Do the random layouts follow a bell curve? Then the points lie on the line; two groups make a step.");
	struct ifr_buffer *script = &figure->script;
	ifr_buffer_puts(script, "$layouts << EOD\n");
	for (size_t i = 0; i < n; i++)
		ifr_buffer_printf(script, "%.6f %.9g\n", ifr_normal_score(i + 1, n), report->medians[i] / divisor);
	ifr_buffer_puts(script, "EOD\n");
	axis_label(script, report, "y");
	ifr_buffer_puts(script, "set xlabel 'where a bell curve would put it (standard deviations)' "
	                        "textcolor rgb '" IFR_FIGURE_INK "'\nunset key\n");
	double edge = ifr_normal_score(n, n) * 1.1;
	ifr_buffer_printf(script, "set xrange [%.6f:%.6f]\n", -edge, edge);
	char *plot = ifr_format("plot %.9g+%.9g*x with lines lw 1 lc rgb '#808080', \\\n"
	                        "  $layouts using 1:2 with points pt 7 ps 0.6 lc rgb '%s'",
	                        mean / divisor, sd / divisor, RANDOM_COLOUR);
	ifr_figure_end(figure, WIDTH, 420, plot);
	free(plot);
}
