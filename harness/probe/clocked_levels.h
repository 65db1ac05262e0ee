/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of the BTB by the clock. */
#ifndef IFR_HARNESS_PROBE_CLOCKED_LEVELS_H
#define IFR_HARNESS_PROBE_CLOCKED_LEVELS_H

#include "harness/probe/clocked.h"
#include "harness/probe/levels.h"

/* Tells settings from the curves of taken branches. probe->near: no cycles tell how many levels there are if one takes as
 * long as another; so nothing is told of entries where this description has another number. */
void probe_clocked_levels(struct probe_clocked *probe,
                          const struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS],
                          unsigned first_bit);

#endif
