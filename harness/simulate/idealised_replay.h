/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays a trace in one layout, with sets of causes idealised, on all processors. */
#ifndef IFR_HARNESS_IDEALISED_REPLAY_H
#define IFR_HARNESS_IDEALISED_REPLAY_H

#include "harness/simulate/plan_replay.h"

struct ifr_idealised_replay {
	struct ifr_trace *trace;
	const struct ifr_plan *plan;
	const struct ifr_machine *machine;
	enum ifr_core_use core; /* not IFR_CORE_NONE */
	const uint32_t *sets;
	size_t sets_count;
	const struct ifr_site_marks *marks;               /* sites among the causes; NULL: none */
	void (*progress)(double share, int64_t spent_ns); /* as in struct ifr_plan_replay */
};

/* Stores the cycles of each set, which the caller releases, and the run's instructions. Errors: those of
 * ifr_replay_plans. */
int ifr_replay_idealised(const struct ifr_idealised_replay *replay, struct ifr_ideal_times *times,
                         uint64_t *instructions, struct ifr_error *err);

#endif
