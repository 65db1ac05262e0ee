/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of both sides of a comparison, and serial disturbances taken off them. Private to this folder. */
#ifndef IFR_HARNESS_COMPARISON_SAMPLES_H
#define IFR_HARNESS_COMPARISON_SAMPLES_H

#include <stdint.h>

#include "harness/analysis/comparison.h"

/* One run that counts, of one side. */
struct comparison_sample {
	int64_t started_ns;
	size_t order; /* as recorded */
	unsigned side, index, node;
	double raw;       /* logarithm of the value */
	double detrended; /* the same without serial disturbances */
	double log;       /* the same, winsorised (harness/statistics/disturbance.h) */
};

struct comparison_samples {
	struct comparison_sample *items;
	size_t count;
	unsigned indices; /* every index is below it */
	bool disturbed;   /* runs of both sides alternate, and are disturbed: what is taken off depends on the ratio */
};

/* Collects both sides' runs in the order of time, and fills the comparison's counts. Where the sides do not alternate,
 * serial disturbances are taken off each; else samples->disturbed says whether there are any. layouts: the highest
 * number, 0 for all. The caller frees items. */
int comparison_samples_take(struct ifr_comparison *comparison, const int counter[2], unsigned layouts,
                            struct comparison_samples *samples, struct ifr_error *err);

/* Takes serial disturbances off alternating runs on the hypothesis that new / old is exp(log_ratio): under it both
 * sides are equal once new is divided by the ratio, so that a deviation from the neighbours in time is the machine's.
 * The values keep their own level. May be called again with another ratio. */
void comparison_samples_detrend(struct ifr_comparison *comparison, struct comparison_samples *samples,
                                double log_ratio);

/* Means of a side's layouts as logarithms, by index; NaN where there is none. counts and means: [indices]. */
void comparison_means(const struct comparison_samples *samples, unsigned side, double *means, size_t *counts);

#endif
