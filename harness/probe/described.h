/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The experiments on a described machine, by events. */
#ifndef IFR_HARNESS_PROBE_DESCRIBED_H
#define IFR_HARNESS_PROBE_DESCRIBED_H

#include "harness/probe/kernels.h"
#include "harness/probe/modelled.h"
#include "harness/probe/organisation.h"
#include "harness/probe/probe.h"

struct probe_described {
	struct probe_modelled model;
	struct ifr_probe_result *result;
	uint64_t seed;
};

void probe_described_btb(struct probe_described *probe);     /* described_branches.c */
void probe_described_history(struct probe_described *probe); /* described_branches.c */
void probe_described_returns(struct probe_described *probe); /* described_branches.c */
void probe_described_caches(struct probe_described *probe);  /* described_caches.c */
void probe_described_tlbs(struct probe_described *probe);    /* described_caches.c */
/* The same of a processor, by its counters. */
void probe_counted_caches(struct probe_described *probe);      /* described_caches.c */
void probe_counted_tlbs(struct probe_described *probe);        /* described_caches.c */
void probe_described_memory(struct probe_described *probe);    /* described_caches.c */
void probe_described_penalties(struct probe_described *probe); /* described_penalties.c */

void probe_described_core(struct probe_described *probe); /* described_core.c */
/* Loads behind stores, and stores that leave; window, queues, issue and retirement are told before. */
void probe_described_stores(struct probe_described *probe, double load_latency); /* described_stores.c */
/* Tells inner levels of a BTB of so many, and the bubbles. Returns the number of inner levels; 0 if not all show. */
unsigned probe_described_levels(struct probe_described *probe, unsigned levels); /* described_levels.c */
/* The bytes of the op cache's windows; 0 where none shows. */
unsigned probe_described_window(struct probe_described *probe);   /* described_front.c */
void probe_described_front(struct probe_described *probe);        /* described_front.c */
void probe_described_loop_buffer(struct probe_described *probe);  /* described_loop.c */
void probe_described_instructions(struct probe_described *probe); /* described_instructions.c */

void probe_described_kinds(struct probe_described *probe);   /* described_kinds.c */
void probe_described_loops(struct probe_described *probe);   /* described_predictors.c */
void probe_described_targets(struct probe_described *probe); /* described_predictors.c */
/* Lists the description's other settings of these parts, with the reason why they are not told. */
void probe_described_untold(struct probe_described *probe, unsigned parts); /* untold.c */

/* Returns an event of an element by the described core, and releases the kernel. */
double probe_described_event(struct probe_described *probe, struct probe_kernel *kernel, enum ifr_event event);

/* Cycles of a round of these instructions (probe_steps). */
double probe_described_steps(struct probe_described *probe, const struct probe_run *runs, size_t count,
                             size_t rounds);
/* Cycles of a round with up to two runs of instructions between two loads that miss all caches. */
double probe_described_misses(struct probe_described *probe, const struct probe_run *between, size_t count);
enum { PROBE_RATE_POINTS = 49 };
/* Steps for each cycle, by cycles with 0 … count - 1 steps more; 0 if they take none. */
double probe_described_rate(const double *cycles, size_t count);
/* Tells a setting of the core if its cycles are a whole number. */
void probe_described_tell_cycles(struct probe_described *probe, enum ifr_probe_part part, const char *key,
                                 double cycles, const char *experiment);

/* A question about sets, answered by an event of kernels: the elements fit if a period has none of them. */
struct probe_events_question {
	struct probe_modelled *model;
	void (*build)(struct probe_kernel *kernel, const struct probe_places *places);
	enum ifr_event event;
};
enum probe_answer probe_events_fit(void *data, const struct probe_places *places);

#endif
