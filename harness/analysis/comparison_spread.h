/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spread of both sides of a comparison over the layouts, and their worst layouts. Private to this folder. */
#ifndef IFR_HARNESS_COMPARISON_SPREAD_H
#define IFR_HARNESS_COMPARISON_SPREAD_H

#include "harness/analysis/comparison_noise.h"

/* Fills comparison->spread from samples that comparison_noise_measure has sorted. */
void comparison_spread_measure(struct ifr_comparison *comparison, const struct comparison_samples *samples,
                               const struct comparison_layouts *layouts, const struct comparison_noise *noise);

#endif
