/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration of comparisons on this machine, from one experiment of one program: the rate at which a program is
 * called different from itself, and the smallest change that a comparison detects. */
#ifndef IFR_HARNESS_CALIBRATION_H
#define IFR_HARNESS_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/statistics/statistics.h"

struct ifr_analysis;

enum { IFR_CALIBRATION_DRAWS = 2000, IFR_CALIBRATION_SIZES = 5, IFR_CALIBRATION_RUNS = 4 };
enum { IFR_CALIBRATION_LAYOUTS_MAX = 100000 };
extern const size_t ifr_calibration_layouts[IFR_CALIBRATION_SIZES], ifr_calibration_runs[IFR_CALIBRATION_RUNS];

enum { IFR_CALIBRATION_LEVELS = 3, IFR_CALIBRATION_REPLICATIONS_MAX = 100 };

/* Levels of replication, the lowest first: runs of a copy, copies of a layout's file, layouts. */
struct ifr_calibration_levels {
	bool known;
	struct ifr_error why_not;
	struct ifr_level
		level[IFR_CALIBRATION_LEVELS]; /* relative variances; costs in seconds, as they were measured */
	double budget_s;
	size_t replications[IFR_CALIBRATION_LEVELS]; /* in one of the level above; of layouts: within the budget */
	double se;                                   /* relative standard error of the mean with these */
};

struct ifr_calibration {
	struct ifr_calibration_levels levels;
	/* Of IFR_CALIBRATION_DRAWS random divisions, the number in which the halves were called different at 5 %. */
	size_t called_runs;                                  /* halves of the runs of each layout, compared in pairs */
	size_t called_layouts;                               /* halves of the layouts */
	bool has_runs, has_layouts;                          /* two runs of a layout, four layouts at least */
	struct ifr_interval runs_interval, layouts_interval; /* of the proportions */
	struct ifr_noise noise; /* relative variances of one program: between layouts, and of a run */
	size_t runs_worthwhile; /* of a layout */
	/* Smallest relative change that is detected 9 times in 10 when the layouts of old and new have nothing in
	 * common, which is the worst case. */
	double effect[IFR_CALIBRATION_SIZES][IFR_CALIBRATION_RUNS];
	size_t layouts_for_1_pct; /* with runs_worthwhile runs each; 0: over IFR_CALIBRATION_LAYOUTS_MAX */
};

/* Errors: IFR_E_USAGE where layouts or runs do not suffice to tell noise from layouts. The divisions depend on the
 * seed. budget_s: for the numbers of replications; 0: the cost of this experiment's layouts, copies and runs. */
int ifr_calibration_make(const struct ifr_analysis *analysis, uint64_t seed, double budget_s,
                         struct ifr_calibration *calibration, struct ifr_error *err);

#endif
