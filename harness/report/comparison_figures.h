/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a comparison's page, as SVG. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_COMPARISON_FIGURES_H
#define IFR_HARNESS_REPORT_COMPARISON_FIGURES_H

#include "harness/report/report.h"

/* The ratios with their intervals, and the margin. */
void comparison_draw_ratios(const struct ifr_comparison *comparison, struct ifr_buffer *out);
/* The layouts of both sides on one axis, a point each. */
void comparison_draw_sides(const struct ifr_comparison *comparison, struct ifr_buffer *out);
/* New to old in each pair of layouts, sorted, with the mean's interval; nothing where layouts are not paired. */
void comparison_draw_pairs(const struct ifr_comparison *comparison, struct ifr_buffer *out);

#endif
