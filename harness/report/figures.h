/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as gnuplot scripts. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_FIGURES_H
#define IFR_HARNESS_REPORT_FIGURES_H

#include "harness/report/report.h"

/* The colour of text and axes. HTML replaces it by the page's own. */
#define IFR_FIGURE_INK "#010203"

struct ifr_figure {
	char *name;    /* a file's name without its ending: letters, digits and "._-+" */
	char *caption; /* a sentence or two; not escaped */
	struct ifr_buffer script;
};

struct ifr_figures {
	struct ifr_figure *items;
	size_t count;
};

/* Writes the scripts of all figures that the data can fill. */
void ifr_figures_script(const struct ifr_analysis *analysis, struct ifr_figures *figures);
void ifr_figures_release(struct ifr_figures *figures);

/* Adds a figure and begins its script: width and height in pixels. */
struct ifr_figure *ifr_figure_begin(struct ifr_figures *figures, const char *name, const char *caption);
/* Ends a script: plot is gnuplot's command, drawn once as SVG and once as PDF. */
void ifr_figure_end(struct ifr_figure *figure, int width, int height, const char *plot);

/* Each adds its figures, if the data can fill them. */
void ifr_figure_layouts(const struct ifr_analysis *analysis, struct ifr_figures *figures);
void ifr_figure_intervals(const struct ifr_analysis *analysis, struct ifr_figures *figures);
void ifr_figure_normal(const struct ifr_analysis *analysis, struct ifr_figures *figures);
void ifr_figure_importance(const struct ifr_analysis *analysis, struct ifr_figures *figures);
void ifr_figure_lines(const struct ifr_analysis *analysis, struct ifr_figures *figures);

void ifr_figure_sweep(const struct ifr_analysis *analysis, struct ifr_figures *figures);

/* Writes NAME.gp, NAME.svg and NAME.pdf of each figure into a folder, which is made. */
int ifr_figures_draw(const struct ifr_figures *figures, const char *dir, struct ifr_error *err);

#endif
