/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that continue from an experiment, to be pasted where they are read. Each appends one line without its end, or
 * nothing where the experiment does not know enough for it. Private to this folder. */
#ifndef IFR_HARNESS_REPORT_NEXT_COMMAND_H
#define IFR_HARNESS_REPORT_NEXT_COMMAND_H

#include "harness/report/report.h"

/* interfero bench, continued with that many layouts and runs of each */
void next_put_bench(const struct ifr_dataset *dataset, size_t layouts, size_t runs, struct ifr_buffer *out);
/* interfero compare, continued with that many layouts */
void next_put_compare(const struct ifr_dataset *dataset, size_t layouts, struct ifr_buffer *out);
/* The options of the experiment's command that decide what is measured, each behind a blank; with -m METRIC where the
 * program prints figures of its own and no -m is among them. metric NULL: none. */
void next_put_measuring(const struct ifr_dataset *dataset, const char *metric, struct ifr_buffer *out);
/* interfero compare of the experiment's program or library with another, NEW, measured alike */
void next_put_compare_with(const struct ifr_dataset *dataset, const char *metric, struct ifr_buffer *out);
/* interfero bench of another program or library, under the recorded command and measured alike; nothing for one that a
 * driver starts */
void next_put_bench_of(const struct ifr_dataset *dataset, const char *program, const char *metric,
                       struct ifr_buffer *out);
/* perf's profile of a program, or of the user of a library, under the recorded command; nothing for one that a driver
 * starts */
void next_put_profile(const struct ifr_dataset *dataset, const char *program, struct ifr_buffer *out);
/* interfero report of the experiment by another metric */
void next_put_report(const struct ifr_dataset *dataset, const char *metric, struct ifr_buffer *out);
/* interfero icost --across of an experiment's layouts, on its described machine, or on this one where none counted;
 * program: instead of the command's own, NULL: that; nothing for a library, or for a program that a driver starts */
void next_put_icost(const struct ifr_dataset *dataset, const char *program, size_t layouts,
                    struct ifr_buffer *out);
/* interfero blame of the experiment */
void next_put_blame(const struct ifr_dataset *dataset, struct ifr_buffer *out);

/* Puts what is around such a command if the experiment was made in another folder: "(cd FOLDER && " and ")" */
void next_begin(const struct ifr_dataset *dataset, struct ifr_buffer *out);
void next_end(const struct ifr_dataset *dataset, struct ifr_buffer *out);
/* Whether the program under test is the first word of the experiment's command: a library's user and a driver stand there
 * themselves. */
bool next_runs_itself(const struct ifr_dataset *dataset);
bool next_is_driven(const struct ifr_dataset *dataset);
/* Whether a command can go on with the experiment: one that was merged from others is refused. */
bool next_can_run(const struct ifr_dataset *dataset);

#endif
