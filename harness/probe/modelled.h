/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A described machine as the source of values: kernels are replayed, and their events counted. */
#ifndef IFR_HARNESS_PROBE_MODELLED_H
#define IFR_HARNESS_PROBE_MODELLED_H

#include "harness/probe/kernel.h"

/* Events of each kernel that ran, as sums over the same number of periods, and cycles. */
struct probe_observation {
	uint64_t value[IFR_EVENT_COUNT];
};

struct probe_modelled {
	const struct ifr_machine *machine;
	struct probe_observation *observations; /* of all kernels so far */
	size_t observations_count, observations_room;
	struct ifr_error err; /* the first one; then all rates are 0 */
};

void probe_modelled_init(struct probe_modelled *model, const struct ifr_machine *machine);
void probe_modelled_release(struct probe_modelled *model);

/* Runs the kernel until its structures are warm, and then counts the events of some periods. */
const struct probe_observation *probe_modelled_run(struct probe_modelled *model,
                                                   const struct probe_kernel *kernel);
/* The same, as events for each element of the kernel; releases the kernel. */
double probe_modelled_rate(struct probe_modelled *model, struct probe_kernel *kernel, enum ifr_event event);

#endif
