/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figure of a sweep: the metric against the values, with counters overlaid; of a grid, its colours. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/figures.h"

enum { WIDTH = 860, HEIGHT = 460 };
static const char *const colours[IFR_SWEEP_OVERLAYS] = {"#2a9d5c", "#b8860b", "#8e5bb5", "#808080"};

static char *name_of(const struct ifr_sweep *sweep) {
	return ifr_format("%s:%s", ifr_axes[sweep->axis].name, ifr_sweep_name(sweep));
}

static void label(struct ifr_buffer *script, const char *axis, const char *text) {
	ifr_buffer_printf(script, "set %slabel ", axis);
	ifr_quote_gnuplot(script, text);
	ifr_buffer_puts(script, " textcolor rgb '" IFR_FIGURE_INK "'\n");
}

static void label_metric(struct ifr_buffer *script, const char *axis, const struct ifr_analysis *analysis) {
	char *text = *analysis->scale.unit ? ifr_format("%s (%s)", analysis->metric->name, analysis->scale.unit)
	                                   : ifr_strdup(analysis->metric->name);
	label(script, axis, text);
	free(text);
}

static bool is_spike(const struct ifr_sweep_findings *found, const struct ifr_layout *layout) {
	for (size_t i = 0; i < found->spike_count; i++)
		if (found->spikes[i].layout == layout)
			return true;
	return false;
}

/* Value, median and the ends of its interval; spikes have a block of their own. */
static void print_medians(const struct ifr_analysis *analysis, bool spikes, struct ifr_buffer *script) {
	const struct ifr_sweep_findings *found = analysis->sweep;
	const double divisor = analysis->scale.divisor;
	ifr_buffer_printf(script, "$%s << EOD\n", spikes ? "spikes" : "medians");
	for (unsigned i = 0; i < found->layouts; i++) {
		const struct ifr_layout *layout = found->cells[i];
		if (!layout || (spikes && !is_spike(found, layout)))
			continue;
		const double low = layout->has_interval ? layout->interval.low : layout->median,
					 high = layout->has_interval ? layout->interval.high : layout->median;
		ifr_buffer_printf(script, "%" PRId64 " %.9g %.9g %.9g\n", ifr_sweep_value(found->side[0].sweep, i),
		                  layout->median / divisor, low / divisor, high / divisor);
	}
	ifr_buffer_puts(script, "EOD\n");
}

/* A counter as a share of its range over the sweep, so that counters of all sizes stand in one figure. */
static void print_overlay(const struct ifr_sweep_findings *found, size_t which, struct ifr_buffer *script) {
	const struct ifr_overlay *overlay = &found->overlays[which];
	double low = INFINITY, high = -INFINITY;
	for (unsigned i = 0; i < found->layouts; i++)
		if (isfinite(overlay->medians[i])) {
			low = fmin(low, overlay->medians[i]);
			high = fmax(high, overlay->medians[i]);
		}
	ifr_buffer_printf(script, "$overlay%zu << EOD\n", which);
	for (unsigned i = 0; i < found->layouts; i++)
		if (isfinite(overlay->medians[i]))
			ifr_buffer_printf(script, "%" PRId64 " %.6f\n", ifr_sweep_value(found->side[0].sweep, i),
			                  high > low ? (overlay->medians[i] - low) / (high - low) : 0.5);
	ifr_buffer_puts(script, "EOD\n");
}

static void draw_line(const struct ifr_analysis *analysis, struct ifr_figure *figure) {
	const struct ifr_sweep_findings *found = analysis->sweep;
	struct ifr_buffer *script = &figure->script, plot = {0};
	char *name = name_of(found->side[0].sweep);
	print_medians(analysis, false, script);
	for (size_t i = 0; i < found->overlay_count; i++)
		print_overlay(found, i, script);
	label(script, "x", name);
	label_metric(script, "y", analysis);
	ifr_buffer_puts(script, "set key outside bottom center horizontal height 1\nset y2range [-0.02:1.6]\n"
	                        "set autoscale xfix\nset offsets graph 0.02, graph 0.02, 0, graph 0.05\n");
	ifr_buffer_puts(&plot,
	                "plot $medians using 1:3:4 with filledcurves lc rgb '#3b7dd8' fillstyle transparent solid "
	                "0.2 noborder title 'interval of the median'");
	for (size_t i = 0; i < found->overlay_count; i++) {
		ifr_buffer_printf(&plot, ", \\\n  $overlay%zu using 1:2 axes x1y2 with lines lw 1 dt 2 lc rgb '%s' title ",
		                  i, colours[i]);
		ifr_quote_gnuplot(&plot, analysis->dataset->counters[found->overlays[i].counter].name);
	}
	ifr_buffer_puts(
		&plot, ", \\\n  $medians using 1:2 with linespoints lw 1.2 pt 7 ps 0.35 lc rgb '#3b7dd8' title 'median'");
	if (found->spike_count) {
		print_medians(analysis, true, script);
		ifr_buffer_puts(
			&plot, ", \\\n  $spikes using 1:2 with points pt 6 ps 1.2 lw 1.5 lc rgb '#e0632a' title 'stands out'");
	}
	ifr_figure_end(figure, WIDTH, HEIGHT, ifr_buffer_text(&plot));
	ifr_buffer_release(&plot);
	free(name);
}

static void draw_grid(const struct ifr_analysis *analysis, struct ifr_figure *figure) {
	const struct ifr_sweep_findings *found = analysis->sweep;
	struct ifr_buffer *script = &figure->script;
	char *names[] = {name_of(found->side[0].sweep), name_of(found->side[1].sweep)};
	ifr_buffer_puts(script, "$grid << EOD\n");
	for (unsigned i = 0; i < found->layouts; i++)
		if (found->cells[i])
			ifr_buffer_printf(script, "%" PRId64 " %" PRId64 " %.9g\n",
			                  ifr_sweep_value(found->side[0].sweep, ifr_sweeps_level(&found->sweeps, 0, i + 1)),
			                  ifr_sweep_value(found->side[1].sweep, ifr_sweeps_level(&found->sweeps, 1, i + 1)),
			                  found->cells[i]->median / analysis->scale.divisor);
	ifr_buffer_puts(script, "EOD\n");
	label(script, "x", names[0]);
	label(script, "y", names[1]);
	label_metric(script, "cb", analysis);
	ifr_buffer_puts(script, "set palette defined (0 '#fff4d6', 0.5 '#f0883e', 1 '#7a1f1f')\nset autoscale fix\n"
	                        "set cbtics textcolor rgb '" IFR_FIGURE_INK "'\n");
	ifr_figure_end(figure, WIDTH, HEIGHT, "plot $grid using 1:2:3 with image notitle");
	free(names[0]);
	free(names[1]);
}

void ifr_figure_sweep(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	const struct ifr_sweep_findings *found = analysis->sweep;
	if (!found)
		return;
	const bool grid = found->sweeps.count > 1;
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "sweep",
		grid ? "The medians over the grid of both sweeps."
		: found->overlay_count
			? "The medians against the swept values, with their intervals. Dashed: the counters that go "
			  "along most closely, each from its lowest to its highest value."
			: "The medians against the swept values, with their intervals.");
	if (grid)
		draw_grid(analysis, figure);
	else
		draw_line(analysis, figure);
}
