/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the page that are not sentences. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_HTML_H
#define IFR_HARNESS_REPORT_HTML_H

#include "harness/analysis/analysis_result.h"

/* Style rules: light and dark by the reader's setting, dark on white on paper. */
extern const char ifr_html_style[];
/* What the numbers are and where their methods come from. */
extern const char ifr_html_methods[];

/* Appends the table of all layouts. */
void ifr_html_table(const struct ifr_analysis *report, struct ifr_buffer *out);

#endif
