/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution to pairs of units that share sets of a cache. Private to this folder. */
#ifndef IFR_HARNESS_SET_CONFLICTS_H
#define IFR_HARNESS_SET_CONFLICTS_H

#include "harness/analysis/layout_sample.h"

/* Units and pairs are two families of hypotheses, each with its half of the 5 %: pairs are so many that findings
 * about single units would drown in them. */
enum { HYPOTHESIS_FAMILIES = 2 };

/* Inserts the pairs of units whose set conflicts explain the response, behind the other significant findings. families:
 * as many share the 5 %. */
void set_conflicts_find(const struct layout_sample *sample, double families, struct ifr_attribution *attribution);

/* The address at which a unit conflicts with another in a set, or does not; 0 where there is none. */
uint64_t set_conflict_address(bool conflict, struct ifr_unit_extent unit, struct ifr_unit_extent other);

#endif
