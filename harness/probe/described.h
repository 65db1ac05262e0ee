/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments on a described machine, by events. */
#ifndef IFR_HARNESS_PROBE_DESCRIBED_H
#define IFR_HARNESS_PROBE_DESCRIBED_H

#include "harness/probe/modelled.h"
#include "harness/probe/organisation.h"
#include "harness/probe/probe.h"

struct probe_described {
	struct probe_modelled model;
	struct ifr_probe_result *result;
	uint64_t seed;
};

void probe_described_btb(struct probe_described *probe);       /* described_branches.c */
void probe_described_history(struct probe_described *probe);   /* described_branches.c */
void probe_described_returns(struct probe_described *probe);   /* described_branches.c */
void probe_described_caches(struct probe_described *probe);    /* described_caches.c */
void probe_described_tlbs(struct probe_described *probe);      /* described_caches.c */
void probe_described_memory(struct probe_described *probe);    /* described_caches.c */
void probe_described_penalties(struct probe_described *probe); /* described_penalties.c */

/* A question about sets, answered by an event of kernels: the elements fit if a period has none of them. */
struct probe_events_question {
	struct probe_modelled *model;
	void (*build)(struct probe_kernel *kernel, const struct probe_places *places);
	enum ifr_event event;
};
enum probe_answer probe_events_fit(void *data, const struct probe_places *places);

#endif
