/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of both sides of a comparison, without serial disturbances. Private to this folder. */
#ifndef IFR_HARNESS_COMPARISON_SAMPLES_H
#define IFR_HARNESS_COMPARISON_SAMPLES_H

#include <stdint.h>

#include "harness/analysis/comparison.h"

/* One run that counts, of one side. */
struct comparison_sample {
	int64_t started_ns;
	size_t order; /* as recorded */
	unsigned side, index;
	double detrended; /* logarithm of the value, without serial disturbances */
	double log;       /* the same, winsorised (harness/statistics/disturbance.h) */
};

struct comparison_samples {
	struct comparison_sample *items;
	size_t count;
	unsigned indices; /* every index is below it */
};

/* Collects both sides' runs and removes serial disturbances; fills the comparison's counts. layouts: the highest
 * number, 0 for all. The caller frees items. */
int comparison_samples_take(struct ifr_comparison *comparison, const int counter[2], unsigned layouts,
                            struct comparison_samples *samples, struct ifr_error *err);

/* Means of a side's layouts as logarithms, by index; NaN where there is none. counts and means: [indices]. */
void comparison_means(const struct comparison_samples *samples, unsigned side, double *means, size_t *counts);

#endif
