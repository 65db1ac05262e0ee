/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of single runs of a comparison. Private to this folder. */
#ifndef IFR_HARNESS_COMPARISON_NOISE_H
#define IFR_HARNESS_COMPARISON_NOISE_H

#include "harness/analysis/comparison_ratio.h"

struct comparison_noise {
	double variance;   /* of a run's logarithm within a layout; 0 without repeats */
	size_t repeats;    /* its degrees of freedom: the runs of each layout beyond the first */
	double *residuals; /* errors of runs, not winsorised */
	size_t residual_count;
	double shipped[2]; /* medians of the layouts that ship; not winsorised */
};

/* Measures the noise by repeats, and by twins where there are more of them. Sorts the samples by layout. layouts as in
 * comparison_samples_take. */
void comparison_noise_measure(const struct ifr_comparison *comparison, const int counter[2], unsigned layouts,
                              struct comparison_samples *samples, const struct comparison_layouts *means,
                              struct comparison_noise *noise);
void comparison_noise_release(struct comparison_noise *noise);

#endif
