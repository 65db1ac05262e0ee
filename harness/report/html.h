/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a page besides sentences. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_HTML_H
#define IFR_HARNESS_REPORT_HTML_H

#include "harness/report/report.h"

/* Style rules: light and dark by the reader's setting, black on white in print. */
/* Appends the methods with their references, as a folded section. */
void ifr_html_methods(const struct ifr_analysis *analysis, struct ifr_buffer *out);

/* Appends the table of all layouts. */
void ifr_html_table(const struct ifr_analysis *analysis, struct ifr_buffer *out);

#endif
