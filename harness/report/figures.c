/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a report. */
#include "harness/report/figures.h"

void ifr_figures_script(const struct ifr_analysis *analysis, struct ifr_figures *figures) {
	ifr_figure_sweep(analysis, figures);
	ifr_figure_layouts(analysis, figures);
	ifr_figure_intervals(analysis, figures);
	ifr_figure_normal(analysis, figures);
	ifr_figure_importance(analysis, figures);
	ifr_figure_lines(analysis, figures);
}

int ifr_report_figures(const struct ifr_analysis *analysis, const char *dir, struct ifr_error *err) {
	struct ifr_figures figures = {0};
	ifr_figures_script(analysis, &figures);
	const int result = ifr_figures_draw(&figures, dir, err);
	ifr_figures_release(&figures);
	return result;
}
