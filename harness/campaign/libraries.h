/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries of a campaign: the one under test, to whose variants its user is led, and those that programs load. */
#ifndef IFR_HARNESS_CAMPAIGN_LIBRARIES_H
#define IFR_HARNESS_CAMPAIGN_LIBRARIES_H

#include "harness/campaign/state.h"

/* Finds out how the program that uses the library is led to its variants; two programs must go by one soname. */
int campaign_open_library(struct campaign_state *state, struct ifr_error *err);
/* Leads it to the variants, from the first of them on. */
void campaign_enter_library(struct campaign_state *state, unsigned first);
/* Stores the files of the program's own libraries: they are not copied, as a library may look for its data beside it. */
int campaign_save_own_libraries(struct campaign_state *state, struct ifr_error *err);
/* Stores which libraries each program gets, so that a later experiment can say which are others. */
int campaign_identify_libraries(struct campaign_state *state, struct ifr_error *err);

#endif
