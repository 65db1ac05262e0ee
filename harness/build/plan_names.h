/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units that a plan names and a program lacks: functions that were removed or renamed since the plan was made. */
#ifndef IFR_HARNESS_PLAN_NAMES_H
#define IFR_HARNESS_PLAN_NAMES_H

#include "common/plan.h"
#include "common/strings.h"
#include "relinker/relinker.h"

/* Appends the units of a plan's places, rooms and last lines that the program lacks, each once, in the plan's order.
 * Returns the number of units that the plan names. */
size_t ifr_plan_list_missing(const struct ifr_plan *plan, const struct ifr_relinker *relinker,
                             struct ifr_strings *missing);

/* Whether a plan whose lines name units concerns a program: whether they name one that may move. Start files, which all
 * programs have, do not tell. True for plans that name none. */
bool ifr_plan_concerns(const struct ifr_plan *plan, const struct ifr_relinker *relinker);

/* Removes the lines of these units from a plan. */
void ifr_plan_drop_units(struct ifr_plan *plan, const struct ifr_strings *units);

/* Describes missing units: "3 of 210 units are gone (a.o:.text.f, b.o:.text.g, …)"; the caller frees. NULL for none. */
char *ifr_missing_units_describe(const struct ifr_strings *missing, size_t named);

#endif
