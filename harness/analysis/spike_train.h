/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spikes of a sweep as a train: neighbouring values that stand out in the same direction are one spike. A
 * value below a tenth of the highest spike belongs to none: where the others have no noise, as in the model, every event
 * stands out. Part of harness/analysis/analysis.h. */
#ifndef IFR_HARNESS_SPIKE_TRAIN_H
#define IFR_HARNESS_SPIKE_TRAIN_H

#include <stddef.h>
#include <stdint.h>

struct ifr_sweep_findings;

struct ifr_spike_train {
	size_t spikes; /* 0: none, or the sweep is a grid */
	int64_t first; /* the value at which the first begins */
	int64_t width; /* of each, in the unit of the sweep; 0: they differ in width */
	int64_t
		period; /* from the begin of one to that of the next, or of groups that come again; 0: neither is known */
	double height; /* the largest deviation from the median, relative; below 0: faster */
};

/* Finds the train. Its width cannot be less than a step. */
void ifr_spike_train_find(const struct ifr_sweep_findings *sweep, struct ifr_spike_train *train);

#endif
