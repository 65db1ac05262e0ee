/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs on a machine that others use: for some runs in a row everything takes longer, and means drown in it.
 *
 * Layouts run interleaved, in an order drawn anew for each round, so neighbours in time are other layouts under
 * the same conditions. What a run has in common with its neighbours is the machine's and is taken off. */
#ifndef IFR_HARNESS_BURSTS_H
#define IFR_HARNESS_BURSTS_H

#include "harness/statistics/statistics.h"

/* Runs in the order of time. */
struct ifr_series {
	const double *values;  /* [count] */
	const unsigned *group; /* [count], each below groups: the layout */
	size_t count, groups;
};

struct ifr_disturbances {
	double serial_p;   /* probability that runs in random order are as like their neighbours as these */
	bool found;        /* below 1 in 100, or half a window in a row stood out: only then is anything changed */
	size_t moved;      /* runs that lay more than three noise deviations off, and came nearer */
	size_t winsorised; /* runs that lie more than three noise deviations off even then */
	double noise_sd;   /* of a run, robust, without the bursts */
};

enum { IFR_DETREND_RUNS_MIN = 33, IFR_DETREND_WINDOW = 11 };

/* detrended[count] gets each value less what its neighbours have in common: the running median over 11 runs of what
 * exceeds the centre (Papadakis's covariate, with a median in the place of the mean, so that the beginning and the
 * end of a burst stay sharp). winsorised[count] gets the same with the runs that stand apart even then put at three
 * noise deviations, for means and variances; none is left out. All this knows nothing of which layout a run is of,
 * so that tests keep their level; only where layouts then differ beyond doubt (p < 0.0001) it is done again with
 * their levels taken off first. Where nothing is found, or there are fewer than 33 runs, both are the values
 * themselves. In simulation (tests/unit/test_bursts.c) an F test of winsorised errs 4 to 6 times in 100 where one of
 * the values errs less than once, and finds what that misses; standard deviations come out up to a tenth too
 * small. Ref: Papadakis 1937; Bartlett 1978; Bartels 1982 (the serial test of ranks); Tukey 1977, chapter 7
 * (running medians); Fisher 1935 (tests that rest on the random order). */
int ifr_series_detrend(const struct ifr_series *series, double *detrended, double *winsorised,
                       struct ifr_disturbances *bursts, struct ifr_error *err);

#endif
