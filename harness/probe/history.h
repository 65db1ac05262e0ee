/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outcome predictor's histories, by patterns of outcomes.
 * Ref: Milenković et al. 2004, figure 10 (the flow) and figures 11 to 17 (the steps). */
#ifndef IFR_HARNESS_PROBE_HISTORY_H
#define IFR_HARNESS_PROBE_HISTORY_H

#include "harness/probe/kernels.h"

/* The longest pattern and the most branches between two correlated ones that are tried. */
enum { PROBE_LONGEST_PATTERN = 64, PROBE_FARTHEST_BRANCH = 1024 };

struct probe_outcomes {
	/* Mispredicted branches in a round of a loop over these items. */
	double (*missed)(void *data, const struct probe_item *items, size_t count, size_t rounds);
	/* Takes a row of the steps' tables. */
	void (*step)(void *data, unsigned step, unsigned parameter, double missed);
	void *data;
	uint64_t seed;
};

enum probe_part_of_history { PROBE_HISTORY_UNTOLD, PROBE_HISTORY_NONE, PROBE_HISTORY_BITS };

struct probe_histories {
	unsigned longest_pattern; /* of step 1: predicted; PROBE_LONGEST_PATTERN: at least */
	enum probe_part_of_history local, global;
	unsigned local_bits, global_bits; /* where they are told; of a global history by step 2: an even number */
};

/* Goes through the flow. */
void probe_histories_find(const struct probe_outcomes *outcomes, struct probe_histories *histories);
/* Finds how many branches, of that kind, may lie between a branch with random outcomes and one that does the same, for
 * the second to be predicted, plus one: 0 where it never is, PROBE_FARTHEST_BRANCH where it always is. local_bits: of the
 * flow; so many random outcomes are drawn that this local history does not know them by heart. */
unsigned probe_correlation_find(const struct probe_outcomes *outcomes, enum probe_item_kind between,
                                unsigned local_bits);

#endif
