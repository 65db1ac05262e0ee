/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench --again: carries out the campaign of an experiment once more, here, and compares both. */
#ifndef IFR_HARNESS_RERUN_H
#define IFR_HARNESS_RERUN_H

#include <stdbool.h>

#include "harness/campaign/campaign.h"
#include "harness/store/store.h"

struct rerun;

/* Finds the campaign of an experiment or bundle, and enters the folder of its command; campaign->file is absolute, and
 * a bundle is unpacked beside it. The caller closes *rerun, also behind a failure; the campaign borrows from it. */
int rerun_open(const char *old, struct ifr_campaign *campaign, struct rerun **rerun, struct ifr_error *err);
/* The recorded experiment. */
const struct ifr_dataset *rerun_recorded(const struct rerun *rerun);
void rerun_close(struct rerun *rerun);

/* Repeats the campaign of `old`, an experiment file or a bundle, into campaign->file (NULL: OLD-again.exp in this
 * folder). The campaign's budget, timeout, processor and keep_variants hold; all else is as recorded. Prints a
 * comparison by the metric (NULL: the default) unless quiet. Returns the exit status. */
int rerun_experiment(const char *old, struct ifr_campaign *campaign, const char *metric, bool quiet);

#endif
