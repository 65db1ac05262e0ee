/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cure measured: a campaign of one program twice, in the same fresh contexts, of which the second one has the cure's
 * lines in all of its layouts. The analysis is that of analysis/cure.h. */
#ifndef IFR_HARNESS_CAMPAIGN_CURE_H
#define IFR_HARNESS_CAMPAIGN_CURE_H

#include "harness/campaign/campaign_plan.h"

/* Whether the cure's lines change the program's file. */
bool ifr_cure_makes_file(const struct ifr_plan *cure);

/* Errors: IFR_E_USAGE for a cure that changes the file of a program without a kit. */
int ifr_cure_check(const struct ifr_plan *cure, bool has_kit, struct ifr_error *err);

/* Measures the cure of campaign->programs[0]; the axes of the contexts are the generator's. Errors: those of
 * ifr_campaign_run. */
int ifr_cure_run(const struct ifr_campaign *campaign, const struct ifr_plan *cure,
                 struct ifr_campaign_result *done, struct ifr_error *err);

#endif
