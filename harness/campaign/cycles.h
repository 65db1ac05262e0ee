/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the model computes cycles (--core). Private to the room. */
#ifndef IFR_HARNESS_CAMPAIGN_CYCLES_H
#define IFR_HARNESS_CAMPAIGN_CYCLES_H

#include "harness/campaign/state.h"

/* Chooses state->core before the counters are opened: the wish of the plan, else the way of an experiment that is there
 * already, else samples of the core where machine and axes allow that. */
int campaign_choose_core(struct campaign_state *state, struct ifr_error *err);
/* Checks that machine and axes allow the core that was chosen. Errors: IFR_E_USAGE, with the remedy. */
int campaign_check_core(const struct campaign_state *state, struct ifr_error *err);
/* Records the choice, or validates it: cycles of two ways are never mixed in one experiment. Errors: IFR_E_USAGE. */
int campaign_record_core(struct campaign_state *state, struct ifr_error *err);
/* Stores the standard errors of a program's sampled counters, relative to them: the largest of its layouts, a fact for
 * each event ("cycles error", "idq.mite_uops error 2"). values: of the layout, by counter. */
int campaign_save_sampling_errors(struct campaign_state *state, unsigned program, const double *values,
                                  const struct ifr_count_errors *errors, struct ifr_error *err);

#endif
