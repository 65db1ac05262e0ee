/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interaction costs: which causes cost the cycles of a run, and how they overlap (interaction.h); which of them make
 * layouts differ, and in which code (across.h); causes that are parts of the program (sites.h); lines that bound
 * the run (line_costs.h); other machines (what_if.h); costs from samples
 * (profile.h). */
#ifndef IFR_HARNESS_ICOST_H
#define IFR_HARNESS_ICOST_H

#include "harness/icost/across.h"
#include "harness/icost/interaction.h"
#include "harness/icost/line_costs.h"
#include "harness/icost/profile.h"
#include "harness/icost/sites.h"
#include "harness/icost/what_if.h"

#endif
