/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The second look of a sweep: suspicious values are run again beside their neighbours, and these runs alone test them.
 * Part of harness/analysis/analysis.h. */
#ifndef IFR_HARNESS_ANALYSIS_SPIKE_PLAN_H
#define IFR_HARNESS_ANALYSIS_SPIKE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/store/store.h"

enum { IFR_SUSPECTS_MAX = 8, IFR_SUSPECT_NEIGHBOURS = 4 };
#define IFR_SPIKE_PLAN_FACT "spike check"

struct ifr_spike_plan {
	unsigned from, runs; /* the first repetition of the second look, and their number; runs 0: no second look */
	size_t count;
	unsigned suspects[IFR_SUSPECTS_MAX]; /* layouts */
};

/* Plans the second look from all runs of a sweep: suspects for one value in 32, three at least, and repetitions that
 * cost at most half of the runs so far. runs is 0 where that is too few to confirm anything, or for a metric without
 * noise. */
int ifr_spike_plan_make(const struct ifr_dataset *dataset, const char *metric, struct ifr_spike_plan *plan,
                        struct ifr_error *err);
/* Whether a layout is run again: a suspect, or a neighbour of one. needed: [layouts + 1], by layout. */
void ifr_spike_plan_layouts(const struct ifr_spike_plan *plan, const struct ifr_dataset *dataset, bool *needed);

/* As the fact of the experiment has it; print: the caller frees. */
char *ifr_spike_plan_print(const struct ifr_spike_plan *plan);
bool ifr_spike_plan_parse(const char *text, struct ifr_spike_plan *plan);
/* The plan of an experiment; runs 0: none. */
void ifr_spike_plan_read(const struct ifr_dataset *dataset, struct ifr_spike_plan *plan);

#endif
