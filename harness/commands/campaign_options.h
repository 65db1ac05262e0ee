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

/* What is made of an experiment; returns 0 or an error. */
typedef int campaign_report(const char *experiment, void *context, struct ifr_error *err);

/* After a part of the layouts: how many there are to be in all, or 0 to end; returns 0 or an error. */
typedef int campaign_more(const char *experiment, void *context, unsigned *layouts, struct ifr_error *err);

/* Measures layouts of the program in campaign->argv into campaign->file, or where that is NULL into PROG.ENDING,
 * and has it reported, also what there is after an interruption. more may be NULL, or asks for further layouts of
 * the same family, within one budget. Releases the options' strings. Returns the exit status. */
int campaign_options_run(struct ifr_campaign *campaign, struct layout_options *layouts, bool quiet,
                         const char *ending, campaign_more *more, campaign_report *report, void *context);

#endif
