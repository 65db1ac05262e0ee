/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of `interfero misses --html`: what the text tells, as tables, and the figures of Mowry and Luk 1997. */
#ifndef IFR_HARNESS_MISSES_PAGE_H
#define IFR_HARNESS_MISSES_PAGE_H

#include "harness/commands/misses_advice.h"

/* Writes the page into a file. Errors: those of ifr_file_write. */
int misses_page_write(const struct misses_result *result, const struct misses_advice *advice, const char *path,
                      struct ifr_error *err);
/* Appends the figures, each with its caption; there must be profiled loads. */
void misses_page_figures(const struct misses_result *result, struct ifr_buffer *out);

#endif
