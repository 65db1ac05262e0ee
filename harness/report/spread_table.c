/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the layouts of several programs lie from their mean. Ref: Wang and Jiménez 2011, figure 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/output/output.h"
#include "harness/report/figures.h"
#include "harness/report/format.h"

enum { WIDTH_OF_VIOLIN = 62, WIDTH_LEAST = 420, MARGIN = 90, HEIGHT = 460, DENSITY_POINTS = 120 };
enum { LAYOUTS_LEAST = 3 };

int ifr_spreads_add(struct ifr_spreads *spreads, const struct ifr_analysis *analysis, struct ifr_error *err) {
	const char *program = ifr_dataset_fact(analysis->dataset, "program");
	const double mean = analysis->medians_mean;
	if (analysis->random_count < LAYOUTS_LEAST || !analysis->has_moments || !(mean > 0))
		return ifr_fail(err, IFR_E_USAGE, "%s: a spread takes three random layouts that differ",
		                program ? program : "an experiment");
	spreads->items = ifr_realloc(spreads->items, spreads->count + 1, sizeof *spreads->items);
	struct ifr_spread *spread = &spreads->items[spreads->count++];
	*spread =
		(struct ifr_spread){.program = ifr_format_row_name(analysis->dataset),
	                        .count = analysis->random_count,
	                        .percent = ifr_alloc(analysis->random_count * sizeof *spread->percent),
	                        .deviation = 100 * analysis->medians_sd / mean,
	                        .shipped = analysis->shipped ? 100 * (analysis->shipped->median / mean - 1) : NAN,
	                        .bandwidth = analysis->has_density ? 100 * analysis->bandwidth / mean : 0};
	for (size_t i = 0; i < spread->count; i++)
		spread->percent[i] = 100 * (analysis->medians[i] / mean - 1);
	return 0;
}

void ifr_spreads_release(struct ifr_spreads *spreads) {
	for (size_t i = 0; i < spreads->count; i++) {
		free(spreads->items[i].program);
		free(spreads->items[i].percent);
	}
	free(spreads->items);
	*spreads = (struct ifr_spreads){0};
}

static double quantile(const struct ifr_spread *spread, double p) {
	double value = 0;
	struct ifr_error err;
	return ifr_sample_quantile(spread->percent, spread->count, p, &value, &err) ? 0 : value;
}

void ifr_spreads_text(const struct ifr_spreads *spreads, struct ifr_buffer *out) {
	ifr_buffer_printf(out, "%-18s %7s %7s %8s %8s %8s %8s %8s\n", "program", "layouts", "sd", "fastest", "quarter",
	                  "3/4", "slowest", "shipped");
	for (size_t i = 0; i < spreads->count; i++) {
		const struct ifr_spread *spread = &spreads->items[i];
		ifr_buffer_printf(out, "%-18s %7zu %7.2f %+8.2f %+8.2f %+8.2f %+8.2f ", spread->program, spread->count,
		                  spread->deviation, quantile(spread, 0), quantile(spread, 0.25), quantile(spread, 0.75),
		                  quantile(spread, 1));
		ifr_buffer_printf(out, isnan(spread->shipped) ? "%8s\n" : "%.0s%+8.2f\n", "-", spread->shipped);
	}
	ifr_buffer_puts(out, "\n");
	ifr_text_wrap(
		out,
		"Medians of random layouts, in percent of their mean; sd is their standard deviation, with the noise "
		"of the runs. \"interfero report\" on one experiment tells the layouts' part.",
		"", "");
}

/* --- figure --------------------------------------------------------------------------------------------------- */

/* The outline of a violin: up its left side, down its right side. */
static void put_violin(const struct ifr_spread *spread, size_t place, struct ifr_buffer *script) {
	const double low = spread->percent[0] - 2.5 * spread->bandwidth,
				 high = spread->percent[spread->count - 1] + 2.5 * spread->bandwidth;
	double density[DENSITY_POINTS + 1], peak = 0;
	for (int i = 0; i <= DENSITY_POINTS; i++) {
		const double at = low + (high - low) * i / DENSITY_POINTS;
		density[i] = ifr_density_at(spread->percent, spread->count, spread->bandwidth, at);
		peak = fmax(peak, density[i]);
	}
	ifr_buffer_printf(script, "$violin%zu << EOD\n", place);
	for (int i = 0; i <= 2 * DENSITY_POINTS + 1; i++) {
		const int point = i <= DENSITY_POINTS ? i : 2 * DENSITY_POINTS + 1 - i;
		ifr_buffer_printf(script, "%.5f %.6g\n",
		                  (double)place + (i <= DENSITY_POINTS ? -0.44 : 0.44) * density[point] / peak,
		                  low + (high - low) * point / DENSITY_POINTS);
	}
	ifr_buffer_puts(script, "EOD\n");
}

static void put_places(const struct ifr_spreads *spreads, struct ifr_buffer *script) {
	ifr_buffer_puts(script, "$shipped << EOD\n");
	for (size_t i = 0; i < spreads->count; i++)
		if (!isnan(spreads->items[i].shipped))
			ifr_buffer_printf(script, "%zu %.6g\n", i + 1, spreads->items[i].shipped);
	ifr_buffer_puts(script, "EOD\nset xtics rotate by 35 right (");
	for (size_t i = 0; i < spreads->count; i++) {
		ifr_buffer_puts(script, i ? ", " : "");
		ifr_quote_gnuplot(script, spreads->items[i].program);
		ifr_buffer_printf(script, " %zu", i + 1);
	}
	ifr_buffer_printf(script,
	                  ")\nset xrange [0.4:%zu.6]\nset grid noxtics ytics\nset key outside top center horizontal\n"
	                  "set ylabel 'percent of the mean of the layouts' textcolor rgb '" IFR_FIGURE_INK "'\n",
	                  spreads->count);
}

static void draw_violins(const struct ifr_spreads *spreads, struct ifr_figures *figures) {
	struct ifr_figure *figure = ifr_figure_begin(
		figures, "spread",
		"Medians of each program's layouts in percent of their mean: kernel density, and the shipped layout.");
	bool is_shipped = false;
	struct ifr_buffer plot = {0};
	for (size_t i = 0; i < spreads->count; i++) {
		is_shipped = is_shipped || !isnan(spreads->items[i].shipped);
		if (!(spreads->items[i].bandwidth > 0))
			continue;
		put_violin(&spreads->items[i], i + 1, &figure->script);
		ifr_buffer_printf(&plot, "$violin%zu with filledcurves closed fc rgb '#903b7dd8' notitle, \\\n  ", i + 1);
	}
	put_places(spreads, &figure->script);
	ifr_buffer_puts(&plot, is_shipped
	                           ? "$shipped with points pt 13 ps 1.1 lc rgb '#e0632a' title 'the shipped layout'"
	                           : "0 with lines lc rgb '#808080' notitle");
	char *command = ifr_format("plot %s", ifr_buffer_text(&plot));
	const int width = MARGIN + WIDTH_OF_VIOLIN * (int)spreads->count;
	ifr_figure_end(figure, width < WIDTH_LEAST ? WIDTH_LEAST : width, HEIGHT, command);
	free(command);
	ifr_buffer_release(&plot);
}

int ifr_spreads_figure(const struct ifr_spreads *spreads, const char *dir, struct ifr_error *err) {
	struct ifr_figures figures = {0};
	draw_violins(spreads, &figures);
	const int result = ifr_figures_draw(&figures, dir, err);
	ifr_figures_release(&figures);
	return result;
}
