/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace replayed under plans: what "interfero replay" does and what the counter source `model` does. */
#ifndef IFR_HARNESS_REPLAYING_H
#define IFR_HARNESS_REPLAYING_H

#include "common/plan.h"
#include "model/model.h"

/* Most layouts that are replayed together, reading the trace once; the engines take them by sixteen. Several lots
 * are replayed at once where there are processors. */
enum { IFR_REPLAY_LANES = 64, IFR_REPLAY_VECTOR = 16 };

struct ifr_plan_replay {
	struct ifr_trace *trace;
	const struct ifr_machine *const *machines;
	size_t machine_count;
	enum ifr_engine engine;
	const char *engine_name; /* set by ifr_replay_plans: the one that was used */
};

/* Stores the counters of the trace under each plan on each machine, those of plan p on machine m at m * count + p:
 * each layout is made once. Plans with axes of the relinker need the kit of the program
 * that was recorded. Errors: IFR_E_USAGE if there is none, or if the program has changed since; what
 * ifr_layout_of_plan and ifr_count_events say. */
int ifr_replay_plans(struct ifr_plan_replay *replaying, const struct ifr_plan *plans, size_t count,
                     struct ifr_counts *counters, struct ifr_error *err);

#endif
