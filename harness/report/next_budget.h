/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of a recorded command for more layouts or runs. A --budget among them becomes one that is enough, by the
 * experiment's own costs of a layout, a copy and a run. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_NEXT_BUDGET_H
#define IFR_HARNESS_REPORT_NEXT_BUDGET_H

#include "harness/report/report.h"

/* The time that an experiment still takes up to so many layouts and runs of each, in seconds; NaN where it was modelled
 * alone, or does not know. */
double next_seconds(const struct ifr_dataset *dataset, size_t layouts, size_t runs);

/* Appends the fact "options", each word after a space. A budget that is too short is replaced, or left out where
 * all was modelled. Without costs it stays. */
void next_put_options(const struct ifr_dataset *dataset, size_t layouts, size_t runs, struct ifr_buffer *out);

/* Appends " (about 12 min)"; nothing where the options have no budget or the costs are not known. */
void next_put_time(const struct ifr_dataset *dataset, size_t layouts, size_t runs, struct ifr_buffer *out);

/* Whether a budget ended the experiment before its plan of at least so many layouts and runs of each: the same command
 * gets there. */
bool next_is_planned(const struct ifr_dataset *dataset, size_t layouts, size_t runs);

#endif
