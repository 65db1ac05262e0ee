/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trial: one experiment at the points that a user wants. */
#ifndef IFR_HARNESS_PROBE_TRIAL_H
#define IFR_HARNESS_PROBE_TRIAL_H

#include "harness/probe/clock.h"
#include "harness/probe/experiments.h"
#include "harness/probe/probe.h"

enum { PROBE_TRIAL_POINTS = PROBE_BATCH_MOST - PROBE_REFERENCES };

struct probe_trial_point {
	uint64_t values[PROBE_PARAMETERS_MOST];
	struct probe_estimate cycles; /* of an element; of a described machine by its core, else the sum over misses */
	double events[IFR_EVENT_COUNT]; /* of an element of a described machine */
	double *samples;                /* cycles by repetition, by the clock */
	size_t samples_count;
};

struct ifr_probe_trial {
	const struct probe_experiment *experiment;
	char *machine;
	bool is_described;
	uint64_t seed;
	struct probe_trial_point points[PROBE_TRIAL_POINTS];
	size_t count;
};

#endif
