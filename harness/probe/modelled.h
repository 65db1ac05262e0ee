/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A described machine as the source of values: kernels are replayed, and their events counted.
 *
 * Problem: outcome predictors of today take most of the time, also of a chase that asks for a cache.
 * Idea: the machine of a replay has only the structures that the wanted event depends on; predictions of the others are
 * perfect.
 * Invariant: no structure of a group (caches, TLBs, BTBs, predictors, return stack, store buffer) reads another group, so
 * its events are the same. Gain: a probe of a description with L-TAGE takes a tenth of the time. */
#ifndef IFR_HARNESS_PROBE_MODELLED_H
#define IFR_HARNESS_PROBE_MODELLED_H

#include "harness/probe/curve.h"
#include "harness/probe/kernel.h"

struct ifr_replay;
/* Replays so many periods of a kernel. Errors: those of ifr_replay_chunk. */
int probe_replay_periods(struct ifr_replay *replay, const struct probe_kernel *kernel, size_t periods,
                         struct ifr_error *err);

/* Another source of events than the model, such as a processor's counters. */
struct probe_event_source {
	/* Stores the events of an element of the kernel, warm. Returns false, with nothing told, where the source does
	 * not have the event. */
	bool (*count)(void *data, const struct probe_kernel *kernel, enum ifr_event event,
	              struct probe_estimate *rate);
	void *data;
};

/* Whether predictors of a kind have a parameter. */
bool probe_has_parameter(const struct ifr_parameter *parameters, const char *name);

struct probe_modelled {
	const struct ifr_machine *machine;
	const struct probe_event_source *source; /* in place of the model; NULL: the model */
	bool unclear;                            /* a rate of the source was not told, or has a wide interval */
	struct ifr_error err;                    /* the first one; then all rates are 0 */
};

/* Counts all events of some periods, and cycles, with all structures, warm or not. */
void probe_modelled_count(struct probe_modelled *model, const struct probe_kernel *kernel,
                          struct ifr_counts *counts);
/* Counts the events of an element with all structures, warm. */
void probe_modelled_count_warm(struct probe_modelled *model, const struct probe_kernel *kernel,
                               double events[IFR_EVENT_COUNT]);
/* Returns the events for each element of the kernel, with their interval. Only the structures that the event depends
 * on are replayed. */
struct probe_estimate probe_modelled_estimate(struct probe_modelled *model, const struct probe_kernel *kernel,
                                              enum ifr_event event);
/* The same, its value; an unclear one is noted. Releases the kernel. */
double probe_modelled_rate(struct probe_modelled *model, struct probe_kernel *kernel, enum ifr_event event);
/* Stores the events of an element of the kernel by the machine's core, warm, with perfect predictors but for
 * a hard kernel. Errors:
 * IFR_E_USAGE if the core has no table of instructions. */
int probe_modelled_core(const struct ifr_machine *machine, const struct probe_kernel *kernel,
                        double events[IFR_EVENT_COUNT], struct ifr_error *err);
/* The same, its cycles alone. */
int probe_modelled_cycles(const struct ifr_machine *machine, const struct probe_kernel *kernel, double *cycles,
                          struct ifr_error *err);

#endif
