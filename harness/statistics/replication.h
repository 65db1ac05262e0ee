/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of replication: layouts, copies of their files, runs of a copy, iterations in a run. Each level adds a
 * component of variance and has a cost of its own. The rules of statistics.h hold. */
#ifndef IFR_HARNESS_STATISTICS_REPLICATION_H
#define IFR_HARNESS_STATISTICS_REPLICATION_H

#include "harness/statistics/components.h"

struct ifr_mean_square {
	double ms, df; /* the degrees of freedom */
};

/* The variance of copies within layouts: run = layout + copy + noise of the run. */
struct ifr_copies {
	struct ifr_mean_square copies, runs; /* runs on different copies of a layout, and on one copy */
	double f, p;                         /* F test of the copies' effect */
	double copy_variance, copy_sd;       /* >= 0 */
	double run_sd;
	struct ifr_interval copy_interval; /* of copy_sd */
};

/* Estimates the copies' component from groups of runs, each of a layout and on a copy of its own, and from pairs of
 * twins, two runs on one copy. No run is in both, so that the mean squares are independent and the ratio follows an F
 * distribution. There are two runs in a group and two pairs at least, and twins that differ. The interval is exact where
 * one of the variances is 0, and keeps its confidence between. Ref: Ting, Burdick, Graybill, Jeyaratnam and Lu 1990
 * (interval of a difference of mean squares). */
int ifr_copies_estimate(const struct ifr_group *groups, size_t count, const double (*twins)[2], size_t pairs,
                        double confidence, struct ifr_copies *copies, struct ifr_error *err);

struct ifr_level {
	double variance; /* the level's own component, >= 0 */
	double cost;     /* of one more replication of this level, without the levels below it; > 0 */
};

/* Chooses the number of replications of each level, the lowest first, within one replication of the level above; of the
 * highest level as many as the budget allows, 1 at least. They give the mean the smallest variance for its cost:
 *
 *     replications[i] = sqrt(cost[i + 1] / cost[i] * variance[i] / variance[i + 1]), to the better integer, 1 … most
 *
 * Levels for which that is less than 1, or that have no variance, count as one with the level above. Returns the
 * variance of the mean. Ref: Kalibera and Jones 2013 (optimum numbers of repetitions); Cochran 1977, equation 10.23. */
double ifr_replications_choose(const struct ifr_level *levels, size_t count, double budget, size_t most,
                               size_t *replications);

#endif
