/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A series of values at equal steps: its period, and values that stand out. */
#ifndef IFR_HARNESS_SERIES_H
#define IFR_HARNESS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { IFR_PERIOD_LEAST = 2, IFR_PERIOD_REPEATS = 3 };

struct ifr_period {
	size_t steps;  /* the best period, 2 … count / 3 */
	double share;  /* of the series' variance that the mean of each phase explains */
	double p;      /* of that period being the best of white noise, all periods tried */
	size_t lowest; /* phase (0 … steps - 1) of the lowest mean */
	size_t highest;
};

/* Finds the period of count values: folds them at each whole number of steps that the series holds three times, and
 * takes the one whose phases differ most (phase dispersion minimization). Any shape repeats, a wave as well as a train
 * of spikes. p is exact for independent values of any distribution: the search is repeated on permutations.
 * Ref: Stellingwerf 1978; Linnell Nemec and Nemec 1985 (the permutation test). Errors: fewer than six values, or all
 * equal. */
int ifr_period_find(const double *values, size_t count, uint64_t seed, struct ifr_period *period,
                    struct ifr_error *err);

/* Tests whether levels stand out from the typical one, by the medians of their runs: levels[i] has counts[i] of them.
 * Stores for each level a p adjusted for all levels, so that the family-wise error rate is that of p: the largest
 * deviation among all levels of permuted runs, level by level from the largest (step-down maxT: Westfall and Young 1993)
 * as long as p < 0.05, 24 levels at most. Errors:
 * fewer than three levels, or a level with fewer than two runs. */
int ifr_spikes_test(const double *const *levels, const size_t *counts, size_t count, uint64_t seed, double *p,
                    struct ifr_error *err);

/* The levels nearest to level `of`, nearest first, with a finite median and not excluded (NULL: none is); returns their
 * number, `most` at most. Rows of a grid have width levels each; other rows are farther. */
size_t ifr_spikes_neighbours(const double *medians, size_t count, size_t width, const bool *excluded, size_t of,
                             size_t most, size_t *neighbours);

/* The levels whose medians lie farthest from the median of their sixteen nearest neighbours, the farthest first; returns
 * their number, `most` at most. NaN: not measured. */
size_t ifr_spikes_suspect(const double *medians, size_t count, size_t width, size_t most, size_t *suspects);

/* Tests whether the first value of each block of width values lies above the others, or below them, more often than by
 * chance: two-sided p of its ranks, added over the count blocks (stratified rank-sum test, exact). NaN: missing. Ref:
 * van Elteren 1960. Errors: no block has a first value and another one. */
int ifr_rank_blocks_test(const double *blocks, size_t count, size_t width, double *p, struct ifr_error *err);

#endif
