/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates for cures that move variables and functions of a kit. Private to this folder. */
#ifndef IFR_HARNESS_CAMPAIGN_CURE_PLACES_H
#define IFR_HARNESS_CAMPAIGN_CURE_PLACES_H

#include "harness/campaign/cure_candidates.h"

/* Adds a candidate behind the others of its row; takes the plan, which is then initialised, and the reason. */
void cure_candidate_add(struct ifr_cure_candidates *list, const struct ifr_audit_row *row, struct ifr_plan *plan,
                        const char *event, char *reason);

/* Whether a pair has a twentieth of the first one's aliases beyond those of the best layout: others would have a cure
 * for nothing. */
bool cure_is_main_pair(const struct ifr_named_aliases *aliases, size_t index);

/* Finds the unit of a place in the program; returns false for other places, and for units that do not move. */
bool cure_find_unit(const struct ifr_cure_program *program, const struct ifr_site *site,
                    struct ifr_relinker_unit *unit);

/* Adds the candidates of a program with a kit. */
void cure_propose_places(const struct ifr_cure_program *program, const struct ifr_audit_row *row,
                         const struct ifr_mechanism *mechanism, struct ifr_cure_candidates *list);

#endif
