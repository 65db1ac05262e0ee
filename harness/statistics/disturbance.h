/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial disturbances: a shared machine slows several runs in a row, and means and variances drown in it.
 * ifr_series_detrend removes them by nearest-neighbour adjustment; disturbance.c says how and why it is valid. */
#ifndef IFR_HARNESS_STATISTICS_DISTURBANCE_H
#define IFR_HARNESS_STATISTICS_DISTURBANCE_H

#include "harness/statistics/components.h"

/* Runs in the order of time. */
struct ifr_series {
	const double *values;  /* [count] */
	const unsigned *group; /* [count], each below groups: the layout */
	size_t count, groups;
	bool known; /* the series is known to be disturbed: it is adjusted without a test */
};

struct ifr_disturbances {
	double serial_p;   /* of Bartels's test: runs in random order are as similar to their neighbours */
	bool found;        /* serial_p < 0.01, or the running median leaves the noise; else nothing is changed */
	size_t moved;      /* runs more than 3 noise deviations off that detrending brought nearer */
	size_t winsorised; /* detrended runs more than 3 noise deviations off */
	double noise_sd;   /* of a detrended run, robust */
};

enum { IFR_DETREND_RUNS_MIN = 33, IFR_DETREND_WINDOW = 11 };

/* Detects serial disturbances and stores two adjusted copies of the values:
 *
 *     detrended[count]    value less the running median over IFR_DETREND_WINDOW runs
 *     winsorised[count]   detrended, limited to 3 noise deviations about the layout's level; for means and variances
 *
 * No run is left out. Where nothing is found, or count < IFR_DETREND_RUNS_MIN, both are copies of the values. Ref:
 * Papadakis 1937; Bartlett 1978 (nearest-neighbour adjustment); Bartels 1982 (serial rank test); Tukey 1977,
 * chapter 7 (running medians). */
int ifr_series_detrend(const struct ifr_series *series, double *detrended, double *winsorised,
                       struct ifr_disturbances *disturbances, struct ifr_error *err);

#endif
