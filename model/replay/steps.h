/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block executions that a replay's core runs, with their outcomes, for an observer. */
#ifndef INTERFERO_MODEL_STEPS_H
#define INTERFERO_MODEL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ifr_core_outcome; /* model/core/graph.h */
struct ifr_placed;       /* model/core/front.h */
struct ifr_delivery;
struct ifr_replay;

struct ifr_observed_step {
	uint64_t instructions; /* of the run, before it */
	uint32_t block;
	bool cut; /* the sequence was cut before it */
	const struct ifr_core_outcome *outcome;
	const struct ifr_placed *placed;
	const struct ifr_delivery *deliveries; /* of its instructions */
	size_t deliveries_count;
};

/* Called for each step of the first lane, in order; the step is valid until it returns. */
struct ifr_step_observer {
	void (*step)(void *data, const struct ifr_observed_step *step); /* NULL: none */
	void *data;
};

/* After ifr_replay_set_core and before the lanes. */
void ifr_replay_observe_steps(struct ifr_replay *replay, const struct ifr_step_observer *observer);

#endif
