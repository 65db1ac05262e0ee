/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that a replay counts. */
#ifndef IFR_MODEL_EVENTS_H
#define IFR_MODEL_EVENTS_H

#include <stdbool.h>

/* Events, under perf's names where perf has one. */
enum ifr_event {
	IFR_EVENT_INSTRUCTIONS,
	IFR_EVENT_CYCLES,          /* by the core; without one, as cycles-additive */
	IFR_EVENT_CYCLES_ADDITIVE, /* a sum over misses: see ifr_replay_counters */
	IFR_EVENT_BRANCHES,
	IFR_EVENT_BRANCH_MISSES, /* sum of the three kinds below */
	IFR_EVENT_CONDITIONAL_BRANCHES,
	IFR_EVENT_CONDITIONAL_MISSES,
	IFR_EVENT_INDIRECT_BRANCHES,
	IFR_EVENT_INDIRECT_MISSES,
	IFR_EVENT_RETURNS,
	IFR_EVENT_RETURN_MISSES,
	IFR_EVENT_BTB_MISSES, /* taken branches that the BTB misses: a front-end resteer, no misprediction */
	IFR_EVENT_L1I_LOADS,  /* loads of caches and TLBs: lines and pages touched */
	IFR_EVENT_L1I_MISSES,
	IFR_EVENT_L1D_LOADS,
	IFR_EVENT_L1D_LOAD_MISSES,
	IFR_EVENT_L1D_STORES,
	IFR_EVENT_L1D_STORE_MISSES,
	IFR_EVENT_L2_REFERENCES,
	IFR_EVENT_L2_MISSES,
	IFR_EVENT_LLC_REFERENCES, /* of the last level: L3, or L2 on a machine without L3 */
	IFR_EVENT_LLC_MISSES,
	IFR_EVENT_ITLB_LOADS,
	IFR_EVENT_ITLB_MISSES,
	IFR_EVENT_DTLB_LOADS,
	IFR_EVENT_DTLB_LOAD_MISSES,
	IFR_EVENT_DTLB_STORES,
	IFR_EVENT_DTLB_STORE_MISSES,
	IFR_EVENT_STLB_MISSES, /* page walks */
	IFR_EVENT_ADDRESS_ALIAS, /* loads whose bytes meet, modulo 4096, those of one of the last stores, and in truth do not
	                            meet those of the youngest such store; 0 without a store buffer */
	IFR_EVENT_SPLIT_LOADS, /* accesses across a line of the first data cache */
	IFR_EVENT_SPLIT_STORES,
	IFR_EVENT_PAGE_SPLIT_LOADS,
	IFR_EVENT_PAGE_SPLIT_STORES,
	IFR_EVENT_PREFETCHES, /* by software; lines that the L1D had or awaited, and that came and were of use or not */
	IFR_EVENT_PREFETCHES_PRESENT,
	IFR_EVENT_PREFETCHES_USED,
	IFR_EVENT_PREFETCHES_UNUSED,
	IFR_EVENT_WINDOWS_16, /* windows of so many bytes that block executions enter */
	IFR_EVENT_WINDOWS_32,
	IFR_EVENT_WINDOWS_64,
	/* Only with a core: slots by source, and events of the graph. */
	IFR_EVENT_OP_CACHE_SLOTS,
	IFR_EVENT_DECODER_SLOTS,
	IFR_EVENT_LOOP_BUFFER_SLOTS,
	IFR_EVENT_UNDELIVERED,
	IFR_EVENT_STALLS,
	IFR_EVENT_STALLS_WINDOW,
	IFR_EVENT_STALLS_SCHEDULER,
	IFR_EVENT_STALLS_LOADS,
	IFR_EVENT_STALLS_STORES,
	IFR_EVENT_ALIASES,
	IFR_EVENT_BLOCKED,
	IFR_EVENT_CLEARS,
	IFR_EVENT_PREFETCHES_LATE, /* loads that wait for a line that a prefetch has under way */
	IFR_EVENT_COUNT
};

const char *ifr_event_name(enum ifr_event event);
/* Tells whether an event says something only where a core is replayed. */
bool ifr_event_needs_core(enum ifr_event event);
/* Returns the event of that name, or IFR_EVENT_COUNT. */
enum ifr_event ifr_event_find(const char *name);

#endif
