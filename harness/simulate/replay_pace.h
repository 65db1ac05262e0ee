/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pace of a replay: how much of it is done, and whether it can end in time. It knows no clock. */
#ifndef IFR_HARNESS_REPLAY_PACE_H
#define IFR_HARNESS_REPLAY_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct replay_pace {
	int64_t begun_ns, deadline_ns; /* deadline_ns 0: none */
	uint64_t done, planned;        /* work: of all batches and machines */
	int64_t expected_ns;           /* of the whole replay, where it cannot end in time; else 0 */
};

/* The work of replaying a batch on one machine, in executions of a block in a layout. A sampled core takes the run's
 * head as a whole (model/core/sample.h): by measurement with dash, an instruction of it costs as much as four behind. */
struct replay_work {
	uint64_t lanes, executions; /* of the whole trace */
	uint64_t head;              /* those of the executions that count four times; 0: none */
	uint64_t replayed;          /* executions so far */
};

/* Returns the work of the whole batch. */
uint64_t replay_work_planned(const struct replay_work *work);
/* Adds executions. Returns the work that they were. */
uint64_t replay_work_advance(struct replay_work *work, uint64_t executions);

void replay_pace_init(struct replay_pace *pace, int64_t now_ns, int64_t deadline_ns, uint64_t planned);
/* Adds work. Returns false once the deadline has passed, or as soon as the first fiftieth, or what a quarter of the
 * time did, tells that it will. */
bool replay_pace_advance(struct replay_pace *pace, uint64_t work, int64_t now_ns);
/* The expected time of the whole replay, as soon as the first fiftieth or some seconds tell; else 0. */
int64_t replay_pace_foresee(const struct replay_pace *pace, int64_t now_ns);
/* The share that is done, at most 1: a replay may have to begin again. */
double replay_pace_share(const struct replay_pace *pace);

#endif
