/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of every command that measures: how often, by what, under which conditions. */
#ifndef IFR_HARNESS_MEASURING_H
#define IFR_HARNESS_MEASURING_H

#include <argp.h>

#include "harness/commands/layout_options.h"
#include "harness/campaign/campaign.h"

/* Its input is a struct ifr_campaign, which campaign_options_init fills with what holds where nothing is said. */
extern const struct argp campaign_argp;
void campaign_options_init(struct ifr_campaign *campaign);

/* The program's file: as written, or from PATH; absolute, the caller frees. */
int campaign_options_find_program(const char *name, char **program, struct ifr_error *err);

/* Reports an experiment; returns 0 or an error. */
typedef int campaign_report(const char *experiment, void *context, struct ifr_error *err);

/* Measures layouts of the program in campaign->argv into campaign->file, or where that is NULL into PROG.ENDING,
 * and has it reported, also the partial results after an interruption. rule: NULL, or when to stop. Releases the
 * options' strings. Returns the exit status. */
int campaign_options_run(struct ifr_campaign *campaign, struct layout_options *layouts, bool quiet,
                         const char *ending, struct ifr_stopping_rule *rule, campaign_report *report,
                         void *context);

#endif
