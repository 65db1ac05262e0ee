/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line of a response against a counter, without the noise that both share. Private to this folder. */
#ifndef IFR_HARNESS_CROSSED_LINE_H
#define IFR_HARNESS_CROSSED_LINE_H

#include "harness/analysis/result.h"

/* Fills the intervals and the rank correlation of a line by least squares. */
void plain_line_finish(struct ifr_counter_regression *regression);

/* Replaces line, intervals and rank correlation by those of crossed halves, which must be known. Where the counter
 * does not differ between layouts by more than its noise, p is the crossed test's, and the slope is not corrected. */
void crossed_line_fit(struct ifr_counter_regression *regression);

#endif
