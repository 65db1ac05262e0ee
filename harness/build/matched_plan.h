/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matched layouts of two programs: plans under which all functions that both have lie at equal addresses. */
#ifndef IFR_HARNESS_MATCHED_PLAN_H
#define IFR_HARNESS_MATCHED_PLAN_H

#include "common/plan.h"
#include "relinker/relinker.h"

/* Adds rooms of units whose sizes differ; rooms_only leaves out what else makes layouts match: functions that one program
 * lacks come last, and the code of both begins where the later one does. */
void ifr_plan_match_programs(const struct ifr_relinker *old, const struct ifr_relinker *new, bool rooms_only,
                             struct ifr_plan *match);

#endif
