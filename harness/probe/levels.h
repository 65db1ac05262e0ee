/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of a BTB, from the cycles of taken branches by their number, at several distances. Pure functions, for any
 * source of values.
 *
 * Problem: each curve rises where a BTB's level ends, but also where a cache of code does.
 * Idea: a level ends at a number of branches, which two neighbouring distances share; a cache ends at a number of
 * bytes, so at half as many branches of twice the distance.
 * Invariant: levels of the BTB take all the same number of branches up to a distance that their lowest index bit
 * gives, and half of it at the next. What else ends where a level does only adds cycles: a level's own are the least
 * of all distances, if two show them. */
#ifndef IFR_HARNESS_PROBE_LEVELS_H
#define IFR_HARNESS_PROBE_LEVELS_H

#include "harness/probe/curve.h"

enum { PROBE_LEVEL_COUNTS = 40, PROBE_LEVEL_DISTANCES = 4, PROBE_LEVELS_MOST = 8 };

struct probe_level {
	size_t count;             /* the last of the counts that fit */
	size_t nearest, distance; /* the smallest and the largest that have it, as indices */
	int index_bit;            /* -1: not told */
	bool is_rise_told;
	struct probe_estimate rise; /* cycles that a branch of the next level takes longer */
};

struct probe_levels {
	struct probe_level levels[PROBE_LEVELS_MOST];
	size_t count;
	struct probe_estimate few; /* cycles of a branch of few */
};

/* The curves have the same counts, quarters of octaves, and distances of which each is twice the one before, from
 * 2^first_bit on. A level's count is that of the distance `first` and the next one: where two branches of the nearest
 * distance lie in one set, an odd number of ways never fills. Returns false where the cycles of few are not clear. */
bool probe_levels_find(const struct probe_point curves[PROBE_LEVEL_DISTANCES][PROBE_LEVEL_COUNTS],
                       unsigned first_bit, size_t first, struct probe_levels *levels);

#endif
