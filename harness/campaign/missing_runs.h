/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rest of a campaign's work: runs and values of the model that the experiment lacks. */
#ifndef IFR_HARNESS_CAMPAIGN_MISSING_RUNS_H
#define IFR_HARNESS_CAMPAIGN_MISSING_RUNS_H

#include "harness/campaign/state.h"

/* Plans more runs of each variant where these are short (least_ns), once the experiment knows the references. */
int campaign_raise_runs(struct campaign_state *state, struct ifr_error *err);

/* Whether other pieces make all runs of a variant: this one need not plan it. */
bool campaign_leaves_to_others(const struct campaign_state *state, unsigned id);
/* The runs that are missing of a variant, and of all that are made. */
unsigned campaign_missing_runs_of(const struct campaign_state *state, unsigned id);
uint64_t campaign_missing_runs(const struct campaign_state *state);

/* Whether any run of a variant, or its value of the model, is missing; of how many layouts of a program; and of any
 * variant at all. */
bool campaign_needs_variant(const struct campaign_state *state, unsigned id);
unsigned campaign_count_needed(const struct campaign_state *state, unsigned program);
bool campaign_is_incomplete(const struct campaign_state *state);

/* Whether a run belongs to the part of the design that is measured here. */
bool campaign_shares_run(const struct campaign_state *state, unsigned id, unsigned repetition);

#endif
