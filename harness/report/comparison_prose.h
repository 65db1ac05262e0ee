/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sentences of a comparison, for every form of it. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_COMPARISON_PROSE_H
#define IFR_HARNESS_REPORT_COMPARISON_PROSE_H

#include "harness/report/report.h"

enum { COMPARISON_LEAD = 3 };

/* Appends one sentence to each buffer: the verdict with its interval, its meaning, the next step. command gets the next
 * step's command, to be pasted, or stays empty. */
void comparison_say_lead(const struct ifr_comparison *comparison, struct ifr_buffer lead[COMPARISON_LEAD],
                         struct ifr_buffer *command);
/* Appends ratios, basis, warnings and the other counters, at most 80 columns wide. */
void comparison_put_details(const struct ifr_comparison_entry *entry, struct ifr_buffer *out);

/* Appends "+1.2 % to +3.4 %", or "unbounded". */
void comparison_put_range(struct ifr_buffer *out, const struct ifr_interval *interval);

#endif
