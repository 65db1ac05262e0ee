/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings about counters: a regression line for each, and all of them together. Part of result.h. */
#ifndef IFR_HARNESS_ANALYSIS_COUNTER_RESULT_H
#define IFR_HARNESS_ANALYSIS_COUNTER_RESULT_H

#include "harness/statistics/statistics.h"
#include "harness/store/store.h"

/* Two quantities of the layouts that were measured in the same runs share noise, which looks like a relation. */
enum ifr_crossing {
	IFR_CROSSING_NEEDLESS,  /* the counter or the response is exact, or no run measured both */
	IFR_CROSSING_DONE,      /* x of odd repetitions against y of even ones, and the reverse */
	IFR_CROSSING_IMPOSSIBLE /* a layout lacks one half: shared noise cannot be excluded */
};

/* The response against a counter, a point per random layout; the shipped layout is not part of the fit. */
struct ifr_counter_regression {
	const struct ifr_dataset_counter *counter;
	double *x, *y; /* medians over all repetitions */
	size_t count;
	bool has_shipped;
	double shipped_x, shipped_y;
	enum ifr_crossing crossing;
	bool has_halves;      /* the next are known for all count layouts */
	double *halves[2][2]; /* [x, y][odd, even repetitions][count] */
	/* Its slope, r, r2 and their errors are corrected for the counter's noise, and p is the crossed test's, as far as
	 * the next members say; it is least squares else. */
	struct ifr_regression_line line;
	bool corrected;
	double reliability; /* of the counter, where corrected: part of its variance that is the layouts' */
	struct ifr_interval slope_interval, r2_interval;
	struct ifr_interval zero_mean, zero_layout; /* at x = 0: of the line, and of a single layout */
	double rank_correlation;                    /* Spearman's; crossed like the line */
	bool has_check;
	struct ifr_residual_check check;
	double p_adjusted; /* for the number of counters tried */
};

enum ifr_dropping {
	IFR_DROPPED_WEAK,     /* the regression takes one counter for five layouts, ten at most: the strongest */
	IFR_DROPPED_LAYOUTS,  /* measured in fewer layouts than others */
	IFR_DROPPED_COLLINEAR /* the stronger ones determine it, or the one beside it */
};

struct ifr_dropped_counter {
	size_t regression;
	enum ifr_dropping why;
};

/* All counters together: a multiple regression, and each counter's relative importance (LMG). The regression is of y
 * in even repetitions on x in odd ones, where lines are crossed, else of the medians. */
struct ifr_counter_importance {
	bool known; /* the test found a relation */
	struct ifr_error why_not;
	bool tested;
	double p;                            /* permutation test that repeats the choice of counters */
	size_t candidates;                   /* counters that the choice was among */
	struct ifr_dropped_counter *dropped; /* [dropped_count] */
	size_t dropped_count;
	size_t count;                                   /* of counters in the regression */
	size_t regression[IFR_RELATIVE_IMPORTANCE_MAX]; /* index into ifr_analysis.regressions */
	struct ifr_multiple_regression model;
	bool has_slopes; /* partial slopes without shared noise, corrected for the counters' */
	struct ifr_crossed_regression partial;
	double relative[IFR_RELATIVE_IMPORTANCE_MAX]; /* part of the variance; they add up to model.r2 */
	struct ifr_interval interval[IFR_RELATIVE_IMPORTANCE_MAX];
	bool has_check;
	struct ifr_residual_check check;
};

#endif
