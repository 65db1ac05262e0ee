/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A figure of bars whose parts are stacked. */
#include "harness/output/output.h"
#include "harness/report/figures.h"

enum { WIDTH = 860, HEIGHT = 460, PARTS_MOST = 10 };

static void draw(const struct ifr_stacked_bars *bars, struct ifr_figures *figures) {
	static const char *const colours[PARTS_MOST] = {"#3b7dd8", "#e0632a", "#2a9d5c", "#b8860b", "#8e5bb5",
	                                                "#808080", "#7fb2ea", "#f0a27c", "#86cfa6", "#d9bd6b"};
	struct ifr_figure *figure = ifr_figure_begin(figures, bars->name, bars->caption);
	struct ifr_buffer *script = &figure->script, plot = {0};
	ifr_buffer_puts(script, "set ylabel ");
	ifr_quote_gnuplot(script, bars->axis);
	ifr_buffer_puts(
		script,
		" textcolor rgb '" IFR_FIGURE_INK "'\nset style data histograms\n"
		"set style histogram rowstacked\nset style fill solid 0.8 noborder\n"
		"set boxwidth 0.6\nset yrange [0:*]\nset xtics rotate by -20\nset key outside right\n$bars << EOD\n");
	for (size_t i = 0; i < bars->bar_count; i++) {
		ifr_buffer_printf(script, "\"%s\"", bars->bars[i]);
		for (size_t k = 0; k < bars->part_count; k++)
			ifr_buffer_printf(script, " %.9g", bars->values[i * bars->part_count + k]);
		ifr_buffer_puts(script, "\n");
	}
	ifr_buffer_puts(script, "EOD\n");
	for (size_t k = 0; k < bars->part_count; k++) {
		ifr_buffer_printf(&plot, "%s$bars using %zu%s lc rgb '%s' title ", k ? ", \\\n  " : "plot ", k + 2,
		                  k ? "" : ":xtic(1)", colours[k % PARTS_MOST]);
		ifr_quote_gnuplot(&plot, bars->parts[k]);
	}
	ifr_figure_end(figure, WIDTH, HEIGHT, ifr_buffer_text(&plot));
	ifr_buffer_release(&plot);
}

int ifr_stacked_bars_draw(const struct ifr_stacked_bars *all, size_t count, const char *dir,
                          struct ifr_error *err) {
	struct ifr_figures figures = {0};
	for (size_t i = 0; i < count; i++)
		draw(&all[i], &figures);
	const int result = ifr_figures_draw(&figures, dir, err);
	ifr_figures_release(&figures);
	return result;
}
