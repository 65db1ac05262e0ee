/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ratio of two programs' means over layouts, with its interval and p. Private to this folder. */
#ifndef IFR_HARNESS_COMPARISON_RATIO_H
#define IFR_HARNESS_COMPARISON_RATIO_H

#include "harness/analysis/comparison_samples.h"

/* Means of the layouts of both sides, from samples as they are detrended. */
struct comparison_layouts {
	double *mean[2]; /* [indices] of logarithms; NaN without runs */
	size_t *runs[2]; /* [indices] */
	double *b, *a;   /* [count_b] old and [count_a] new, no logarithms; the random layouts, pairs where paired */
	size_t count_b, count_a;
};

void comparison_layouts_init(unsigned indices, struct comparison_layouts *layouts);
void comparison_layouts_release(struct comparison_layouts *layouts);

/* Fills the comparison's layouts, tails, mean, above, ratio, interval, p and z, and the layouts' means at that ratio; an
 * interval without bounds is 0 … infinity. Errors: IFR_E_USAGE for fewer than two random layouts. */
int comparison_ratio_estimate(struct ifr_comparison *comparison, struct comparison_samples *samples,
                              struct comparison_layouts *layouts, struct ifr_error *err);

#endif
