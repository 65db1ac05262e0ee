/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the layouts of several programs lie from their mean, side by side. Included by report.h. */
#ifndef IFR_HARNESS_REPORT_SPREAD_TABLE_H
#define IFR_HARNESS_REPORT_SPREAD_TABLE_H

#include "harness/analysis/analysis.h"

/* How far the layouts of several programs lie from their mean, in percent. Ref: Wang and Jiménez 2011, figure 1. */
struct ifr_spread {
	char *program;
	double *percent; /* medians of the random layouts, ascending */
	size_t count;
	double deviation, shipped, bandwidth; /* shipped: NaN if it did not run; bandwidth: 0 without a density */
};
struct ifr_spreads {
	struct ifr_spread *items;
	size_t count;
};
/* Errors: IFR_E_USAGE for less than three random layouts, or equal ones. */
int ifr_spreads_add(struct ifr_spreads *spreads, const struct ifr_analysis *analysis, struct ifr_error *err);
void ifr_spreads_text(const struct ifr_spreads *spreads, struct ifr_buffer *out);
/* Writes violins side by side as spread.gp, spread.svg and spread.pdf into a folder, which is made. Errors:
 * IFR_E_ENVIRONMENT without gnuplot or where it fails. */
int ifr_spreads_figure(const struct ifr_spreads *spreads, const char *dir, struct ifr_error *err);
void ifr_spreads_release(struct ifr_spreads *spreads);

#endif
