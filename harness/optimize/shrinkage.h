/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A confirmed gain, shrunk towards the random layouts' (empirical Bayes). Private to this room.
 *
 * The confirmation's runs chose nothing. But only gains that they tell are reported, and of many searches these are the
 * lucky ones. Random layouts of the same program say which gains there are at all: their times have a mean and a spread
 * beyond noise. The estimate lies between that mean and the confirmation's ratio, the nearer to the latter the less its
 * noise is beside the spread. This holds whatever chose the layout, as long as effects are normal. The search finds
 * better layouts than random ones, so that the estimate is cautious.
 *
 * Ref: James and Stein 1961; Efron and Morris 1975 (the spread from the data); Efron 2011 (no selection bias). */
#ifndef IFR_HARNESS_OPTIMIZE_SHRINKAGE_H
#define IFR_HARNESS_OPTIMIZE_SHRINKAGE_H

#include "harness/optimize/optimize.h"
#include "harness/optimize/search.h"

/* Shrinks a ratio with its interval, by trials that nothing chose: those that have a time and a known noise, but for the
 * shipped layout. Unknown with fewer than three of them, and without an interval. */
struct ifr_shrunk_gain shrink_gain(const struct trial *trials, size_t count, double ratio,
                                   struct ifr_interval interval);

#endif
