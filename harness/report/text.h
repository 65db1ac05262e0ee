/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures in characters. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_TEXT_H
#define IFR_HARNESS_REPORT_TEXT_H

#include "harness/report/report.h"

/* Where all layouts lie, one mark a layout or a few, with the shipped one below the axis. At most 80 columns. */
void ifr_text_plot(const struct ifr_analysis *analysis, struct ifr_buffer *out);
/* The metric against the values of a sweep of the experiment, 0 or 1. */
void ifr_text_sweep(const struct ifr_analysis *analysis, unsigned which, struct ifr_buffer *out);
/* The counters that go along with it most (overlays), a line of ten shades each, from the lowest median of a level to the
 * highest; nothing for a grid. */
void ifr_text_sweep_strips(const struct ifr_analysis *analysis, struct ifr_buffer *out);
/* The best five, the shipped one and the worst five. */
void ifr_text_table(const struct ifr_analysis *analysis, bool color, struct ifr_buffer *out);

#endif
