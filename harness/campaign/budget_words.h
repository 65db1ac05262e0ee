/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a campaign on its budget. Private to this room. */
#ifndef IFR_HARNESS_CAMPAIGN_BUDGET_WORDS_H
#define IFR_HARNESS_CAMPAIGN_BUDGET_WORDS_H

#include "harness/campaign/state.h"

/* Says, once a run's duration is known, what the budget holds: the user may give a longer one. */
void campaign_announce_budget(const struct campaign_state *state);
/* Without a run there is nothing to report; with runs of fewer than two layouts, little. Errors: IFR_E_USAGE for no
 * run. */
int campaign_check_budget(const struct campaign_state *state, struct ifr_campaign_result *result,
                          struct ifr_error *err);

#endif
