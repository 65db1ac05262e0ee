/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the events, as perf spells them where it has the event. */
#include "model/replay/events.h"

#include <string.h>

static const char *const names[IFR_EVENT_COUNT] = {
	[IFR_EVENT_INSTRUCTIONS] = "instructions",
	[IFR_EVENT_CYCLES] = "cycles",
	[IFR_EVENT_CYCLES_ADDITIVE] = "cycles-additive",
	[IFR_EVENT_BRANCHES] = "branches",
	[IFR_EVENT_BRANCH_MISSES] = "branch-misses",
	[IFR_EVENT_CONDITIONAL_BRANCHES] = "conditional-branches",
	[IFR_EVENT_CONDITIONAL_MISSES] = "conditional-branch-misses",
	[IFR_EVENT_INDIRECT_BRANCHES] = "indirect-branches",
	[IFR_EVENT_INDIRECT_MISSES] = "indirect-branch-misses",
	[IFR_EVENT_RETURNS] = "returns",
	[IFR_EVENT_RETURN_MISSES] = "return-misses",
	[IFR_EVENT_BTB_MISSES] = "btb-misses",
	[IFR_EVENT_L1I_LOADS] = "L1-icache-loads",
	[IFR_EVENT_L1I_MISSES] = "L1-icache-load-misses",
	[IFR_EVENT_L1D_LOADS] = "L1-dcache-loads",
	[IFR_EVENT_L1D_LOAD_MISSES] = "L1-dcache-load-misses",
	[IFR_EVENT_L1D_STORES] = "L1-dcache-stores",
	[IFR_EVENT_L1D_STORE_MISSES] = "L1-dcache-store-misses",
	[IFR_EVENT_L2_REFERENCES] = "l2-references",
	[IFR_EVENT_L2_MISSES] = "l2-misses",
	[IFR_EVENT_LLC_REFERENCES] = "cache-references",
	[IFR_EVENT_LLC_MISSES] = "cache-misses",
	[IFR_EVENT_ITLB_LOADS] = "iTLB-loads",
	[IFR_EVENT_ITLB_MISSES] = "iTLB-load-misses",
	[IFR_EVENT_DTLB_LOADS] = "dTLB-loads",
	[IFR_EVENT_DTLB_LOAD_MISSES] = "dTLB-load-misses",
	[IFR_EVENT_DTLB_STORES] = "dTLB-stores",
	[IFR_EVENT_DTLB_STORE_MISSES] = "dTLB-store-misses",
	[IFR_EVENT_STLB_MISSES] = "page-walks",
	[IFR_EVENT_ADDRESS_ALIAS] = "ld_blocks_partial.address_alias",
	[IFR_EVENT_SPLIT_LOADS] = "misalign_mem_ref.loads",
	[IFR_EVENT_SPLIT_STORES] = "misalign_mem_ref.stores",
	[IFR_EVENT_PAGE_SPLIT_LOADS] = "page-split-loads",
	[IFR_EVENT_PAGE_SPLIT_STORES] = "page-split-stores",
	[IFR_EVENT_PREFETCHES] = "sw_prefetch_access.any",
	[IFR_EVENT_PREFETCHES_PRESENT] = "ls_inef_sw_pref.all",
	[IFR_EVENT_PREFETCHES_USED] = "prefetches-used",
	[IFR_EVENT_PREFETCHES_UNUSED] = "prefetches-unused",
	[IFR_EVENT_WINDOWS_16] = "windows-16",
	[IFR_EVENT_WINDOWS_32] = "windows-32",
	[IFR_EVENT_WINDOWS_64] = "windows-64",
	[IFR_EVENT_OP_CACHE_SLOTS] = "idq.dsb_uops",
	[IFR_EVENT_DECODER_SLOTS] = "idq.mite_uops",
	[IFR_EVENT_LOOP_BUFFER_SLOTS] = "lsd.uops",
	[IFR_EVENT_UNDELIVERED] = "idq_uops_not_delivered.core",
	[IFR_EVENT_STALLS] = "resource_stalls.any",
	[IFR_EVENT_STALLS_WINDOW] = "resource_stalls.rob",
	[IFR_EVENT_STALLS_SCHEDULER] = "resource_stalls.rs",
	[IFR_EVENT_STALLS_LOADS] = "resource_stalls.lb",
	[IFR_EVENT_STALLS_STORES] = "resource_stalls.sb",
	[IFR_EVENT_ALIASES] = "alias-delayed-loads",
	[IFR_EVENT_BLOCKED] = "ld_blocks.store_forward",
	[IFR_EVENT_CLEARS] = "machine_clears.memory_ordering",
	[IFR_EVENT_PREFETCHES_LATE] = "load_hit_pre.sw_pf",
};

bool ifr_event_needs_core(enum ifr_event event) {
	return event == IFR_EVENT_CYCLES_ADDITIVE || event > IFR_EVENT_WINDOWS_64;
}

const char *ifr_event_name(enum ifr_event event) {
	return names[event];
}

enum ifr_event ifr_event_find(const char *name) {
	unsigned event = 0;
	while (event < IFR_EVENT_COUNT && strcmp(names[event], name))
		event++;
	return event;
}
