/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pace of a replay: how much of it is done, and whether it can end in time. It knows no clock. */
#ifndef IFR_HARNESS_REPLAY_PACE_H
#define IFR_HARNESS_REPLAY_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct replay_pace {
	int64_t begun_ns, deadline_ns; /* deadline_ns 0: none */
	uint64_t done, planned;        /* block executions, of all batches and machines */
	int64_t expected_ns;           /* of the whole replay, where it cannot end in time; else 0 */
};

void replay_pace_init(struct replay_pace *pace, int64_t now_ns, int64_t deadline_ns, uint64_t planned);
/* Adds executions. Returns false once the deadline has passed, or as soon as the first fiftieth tells that it will. */
bool replay_pace_advance(struct replay_pace *pace, uint64_t executions, int64_t now_ns);
/* The share that is done, at most 1: a replay may have to begin again. */
double replay_pace_share(const struct replay_pace *pace);

#endif
