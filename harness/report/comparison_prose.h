/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sentences of a comparison, for every form of it. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_COMPARISON_PROSE_H
#define IFR_HARNESS_REPORT_COMPARISON_PROSE_H

#include "harness/report/report.h"

enum { COMPARISON_LEAD = 3 };

/* The names of the programs, old and new, without their folders where that is enough to tell them apart. */
void comparison_find_names(const struct ifr_comparison *comparison, const char *names[2]);
/* Whether the dynamic loader executed so much of the recorded instructions, a fifth or more, that the verdict by the
 * model is one about the whole run: the program's start, too. */
bool comparison_is_of_start(const struct ifr_comparison *comparison);
/* Appends one sentence to each buffer: the verdict with its interval, its meaning, the next step. command gets the next
 * step's command, to be pasted, or stays empty. */
void comparison_say_lead(const struct ifr_comparison *comparison, struct ifr_buffer lead[COMPARISON_LEAD],
                         struct ifr_buffer *command);
/* Appends the next step for the inconclusive entries, by the one that needs the most layouts; nothing where there is
 * none, or where all runs are to do the same work first. */
void comparison_say_open(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *s,
                         struct ifr_buffer *command);

/* Emits ratios, basis and warnings, a sentence or a few at a time; text lives until emit returns. */
typedef void comparison_emit(void *context, bool warning, const char *text);
void comparison_say_details(const struct ifr_comparison *comparison, comparison_emit *emit, void *context);

/* Appends "5 commands: 1 regression, 2 with a change, 2 not compared.", or the sentence about benchmarks. */
void comparison_put_summary(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);

/* Whether the entries are the program's own benchmarks. */
bool comparison_is_benchmarks(const struct ifr_comparison_entry *entries, size_t count);
/* Append the sentence that sums up the benchmarks; the table of them, at most 80 columns wide; and the sentence about
 * the family for which their verdicts hold (nothing where there is one alone). */
void comparison_say_benchmarks(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void comparison_put_table(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);
void comparison_put_family(const struct ifr_comparison_entry *entries, size_t count, struct ifr_buffer *out);

/* Appends a sentence about runs of one layout that do not do the same work; nothing where they do. */
void comparison_say_unequal(const struct ifr_dataset *dataset, struct ifr_buffer *out);
/* Emits warnings about the programs: they choose iterations, share a processor, leave processes. command gets the
 * one that measures their own figures, to be pasted, or stays empty. */
void comparison_say_program(const struct ifr_comparison_entry *entry, comparison_emit *emit, void *context,
                            struct ifr_buffer *command);

/* Appends a ratio's interval: "+1.2 % to +3.4 %", or "unbounded" where it includes 1 and reaches more than 100 % away. */
void comparison_put_range(struct ifr_buffer *out, const struct ifr_interval *interval, double ratio);
/* The same of a comparison in a table; "equal in all runs" for a counter that does not vary at all. */
void comparison_put_counter_range(struct ifr_buffer *out, const struct ifr_comparison *comparison);

/* --- parts of sentences --- */

/* "95 % interval +1.2 % to +3.4 %", or "2 layouts do not bound it" */
void comparison_put_interval(struct ifr_buffer *out, const struct ifr_comparison *comparison,
                             const struct ifr_interval *interval, double ratio);
/* "4.1 % slower than ./old" */
void comparison_put_change(struct ifr_buffer *out, const struct ifr_comparison *comparison, const char *old);
/* The random layouts that both sides have at least. */
size_t comparison_count_layouts(const struct ifr_comparison *comparison);
/* The dynamic loader's share of the recorded instructions; NaN for measured runs, and without a recording. */
double comparison_start_share(const struct ifr_comparison *comparison);

#endif
