/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One figure: its script, and the files that gnuplot makes from it. */
#include "harness/report/figures.h"

#include <stdlib.h>

#include "common/file.h"
#include "common/process.h"
#include "harness/output/output.h"

enum { PIXELS_PER_INCH = 110 };

struct ifr_figure *ifr_figure_begin(struct ifr_figures *figures, const char *name, const char *caption) {
	figures->items = ifr_realloc(figures->items, figures->count + 1, sizeof *figures->items);
	struct ifr_figure *figure = &figures->items[figures->count++];
	struct ifr_buffer word = {0};
	ifr_escape_word(&word, name);
	/* A counter's name may be longer than a file's name can be. */
	*figure =
		(struct ifr_figure){.name = ifr_format("%.80s", ifr_buffer_text(&word)), .caption = ifr_strdup(caption)};
	ifr_buffer_release(&word);
	ifr_buffer_printf(&figure->script, "# SVG and PDF of this figure: gnuplot %s.gp\n", figure->name);
	ifr_buffer_puts(&figure->script, "reset\n"
	                                 "set encoding utf8\n"
	                                 "set border 3 lw 0.8 lc rgb '" IFR_FIGURE_INK "'\n"
	                                 "set tics nomirror out textcolor rgb '" IFR_FIGURE_INK "'\n"
	                                 "set key textcolor rgb '" IFR_FIGURE_INK "' samplen 1.5\n"
	                                 "set grid lw 0.5 lc rgb '#a0808080'\n");
	return figure;
}

void ifr_figure_end(struct ifr_figure *figure, int width, int height, const char *plot) {
	ifr_buffer_printf(&figure->script, "set terminal svg size %d,%d dynamic font 'sans-serif,13' noenhanced\n",
	                  width, height);
	ifr_buffer_printf(&figure->script, "set output '%s.svg'\n%s\n", figure->name, plot);
	ifr_buffer_printf(&figure->script,
	                  "set terminal pdfcairo size %.2fin,%.2fin font 'sans-serif,11' noenhanced\n",
	                  (double)width / PIXELS_PER_INCH, (double)height / PIXELS_PER_INCH);
	ifr_buffer_printf(&figure->script, "set output '%s.pdf'\nreplot\nunset output\n", figure->name);
}

void ifr_figures_release(struct ifr_figures *figures) {
	for (size_t i = 0; i < figures->count; i++) {
		free(figures->items[i].name);
		free(figures->items[i].caption);
		ifr_buffer_release(&figures->items[i].script);
	}
	free(figures->items);
	*figures = (struct ifr_figures){0};
}

static int draw_figure(const struct ifr_figure *figure, const char *dir, struct ifr_error *err) {
	static const char *const environment[] = {"LC_ALL=C.UTF-8", NULL};
	char *script = ifr_format("%s/%s.gp", dir, figure->name), *name = ifr_format("%s.gp", figure->name);
	char *svg = ifr_format("%s/%s.svg", dir, figure->name);
	/* -d: without start-up files, so that a figure is the same for every user. */
	const char *const argv[] = {"gnuplot", "-d", name, NULL};
	struct ifr_buffer said = {0};
	struct ifr_process process = {.argv = argv, .cwd = dir, .set_env = environment, .out = &said, .errors = &said};
	int status = 0;
	int result = ifr_file_write(script, figure->script.data, figure->script.length, 0644, err);
	if (!result)
		result = ifr_process_run(&process, &status, err);
	if (!result && (status || !ifr_file_exists(svg)))
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "gnuplot could not draw %s (exit status %d): %.300s", script,
		                  status, ifr_buffer_text(&said));
	ifr_buffer_release(&said);
	free(script);
	free(name);
	free(svg);
	return result;
}

int ifr_figures_draw(const struct ifr_figures *figures, const char *dir, struct ifr_error *err) {
	char *gnuplot = ifr_program_find("gnuplot", NULL);
	free(gnuplot);
	if (!gnuplot)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "figures need gnuplot, which is not in PATH; install gnuplot-nox");
	int result = ifr_dir_make(dir, err);
	for (size_t i = 0; i < figures->count && !result; i++)
		result = draw_figure(&figures->items[i], dir, err);
	return result;
}
