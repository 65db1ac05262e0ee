/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/icost/subject.h"

static void take_times(void *data, size_t plan, struct ifr_ideal_times *times) {
	(void)plan;
	*(struct ifr_ideal_times *)data = *times;
	*times = (struct ifr_ideal_times){0};
}

int ifr_icost_replay(const struct ifr_icost_subject *subject, const struct ifr_site_marks *marks,
                     struct ifr_icost *icost, uint64_t *instructions, struct ifr_error *err) {
	struct ifr_counts counts = {{0}};
	struct ifr_plan_replay replaying = {.trace = subject->trace,
	                                    .machines = &subject->machine,
	                                    .machine_count = 1,
	                                    .engine = IFR_ENGINE_SCALAR,
	                                    .core = subject->core,
	                                    .sets = icost->sets,
	                                    .sets_count = icost->count,
	                                    .marks = marks,
	                                    .instructions = !marks,
	                                    .take = take_times,
	                                    .taker = &icost->times,
	                                    .progress = subject->progress};
	const int result = ifr_replay_plans(&replaying, subject->plan, 1, &counts, err);
	*instructions = counts.value[IFR_EVENT_INSTRUCTIONS];
	return result;
}
