/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of commands that measure (bench, compare, calibrate, blame --confirm): repetitions, counters, process
 * conditions. */
#ifndef IFR_HARNESS_CAMPAIGN_OPTIONS_H
#define IFR_HARNESS_CAMPAIGN_OPTIONS_H

#include <argp.h>

#include "harness/commands/layout_options.h"
#include "harness/campaign/campaign.h"

/* The parser's input is a struct ifr_campaign; campaign_options_init fills it with the defaults. */
extern const struct argp campaign_argp;
void campaign_options_init(struct ifr_campaign *campaign);
/* Frees what the options made: the environment and the cluster. */
void campaign_options_release(struct ifr_campaign *campaign);

/* Finds a program's file by its path or in PATH. *program is absolute; the caller frees it. Errors: IFR_E_USAGE for a
 * program that is missing or not executable. */
int campaign_options_find_program(const char *name, char **program, struct ifr_error *err);
/* The absolute path of a shared library. Errors: IFR_E_USAGE. */
int campaign_options_find_library(const char *name, char **path, struct ifr_error *err);

/* The words of a command line as a shell would take them, without -n, -r, -o, -j, -q (also long and with their values),
 * --fresh and "--"; the caller frees. */
char *campaign_options_keep(char *const *words, int count);

/* Describes the rest of an experiment that was interrupted, in a sentence for the user; the caller frees. */
char *campaign_options_describe_interrupt(const char *file);

/* Reports the experiment file; returns 0 or a negative error code. */
typedef int campaign_report(const char *experiment, void *context, struct ifr_error *err);

/* Measures layouts of the program in campaign->argv into campaign->file (NULL: PROG.ENDING, or LIBRARY.ENDING) and
 * calls report, after an interruption for the partial results. rule: the stopping rule, or NULL to measure all
 * layouts. Releases the options' strings. Returns the exit status. */
int campaign_options_run(struct ifr_campaign *campaign, struct layout_options *layouts, bool quiet,
                         const char *ending, struct ifr_stopping_rule *rule, campaign_report *report,
                         void *context);

#endif
