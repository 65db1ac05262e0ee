/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This machine's events, by perf, as the source of values: the experiments for described machines, whose kernels the
 * processor executes while a group of its counters counts.
 *
 * Problem: a counter also counts what is not the kernel's, and caches and tables of a processor differ from a
 * description's.
 * Idea: an answer is clear if the whole interval of the median is, over repetitions that no other thread shared
 * (clock.h); one that is not leaves the value to the clock. */
#ifndef IFR_HARNESS_PROBE_COUNTED_H
#define IFR_HARNESS_PROBE_COUNTED_H

#include "harness/probe/clocked.h"
#include "harness/probe/modelled.h"

/* Perf's events for those of the model. */
struct probe_counters {
	struct probe_clocked *clocked;     /* that runs batches */
	const char *sums[IFR_EVENT_COUNT]; /* as ifr_own_events_open takes them; NULL: perf has none here */
	int64_t deadline;                  /* after which nothing is told */
};

/* Finds perf's events. Errors: IFR_E_ENVIRONMENT where there is none, with the reason and what to do. */
int probe_counters_find(struct probe_counters *counters, struct ifr_error *err);
/* The source: data is a struct probe_counters. */
bool probe_counters_count(void *data, const struct probe_kernel *kernel, enum ifr_event event,
                          struct probe_estimate *rate);

/* Whether a part has experiments by events. */
bool probe_counted_has(enum ifr_probe_part part);
/* Makes them by a source. machine: of which the number of the BTB's largest level is taken. Where a count is unclear
 * nothing is told of the part. */
void probe_counted_run(const struct probe_event_source *source, const struct ifr_machine *machine,
                       enum ifr_probe_part part, uint64_t seed, struct ifr_probe_result *result);

#endif
