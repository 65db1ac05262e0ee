/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The correlation profile: references and misses of chosen loads by the context that they occur in.
 *
 *   control flow   the last N basic blocks before the load's own, and where its own was entered
 *   self           the last N outcomes of the load, hit or miss
 *   global         the last N outcomes of all references, loads and stores
 *
 * Ref: Mowry and Luk 1997, "Predicting data cache misses in non-numeric applications through correlation profiling",
 * section 2. A basic block here is straight code from where it was entered to its branch: a block of the trace. */
#ifndef IFR_MODEL_LOAD_CONTEXTS_H
#define IFR_MODEL_LOAD_CONTEXTS_H

#include "model/loads/context_chain.h"
#include "model/loads/summary.h"

enum ifr_load_context_kind {
	IFR_LOAD_CONTEXT_CONTROL_FLOW,
	IFR_LOAD_CONTEXT_SELF,
	IFR_LOAD_CONTEXT_GLOBAL,
	IFR_LOAD_CONTEXT_KINDS
};
extern const char *const ifr_load_context_kind_names[IFR_LOAD_CONTEXT_KINDS];

enum { IFR_LOAD_CONTEXT_LENGTH_MOST = 128 };

struct ifr_load_context_request {
	unsigned level;          /* the level of data caches whose misses count: 0 to IFR_DATA_LEVELS - 1 */
	const unsigned *lengths; /* ascending, each 1 to IFR_LOAD_CONTEXT_LENGTH_MOST */
	size_t length_count;     /* at most IFR_LOAD_CONTEXT_LENGTHS */
	const uint32_t *loads;   /* numbers in the summary's sites */
	size_t load_count;
	const struct ifr_miss_stream *misses; /* of the same run and level; NULL or given up: the trace is replayed */
	size_t most_bytes; /* of all contexts together; a length with too many for its share is given up */
};

/* The contexts of one load, kind and length. */
struct ifr_load_context_list {
	struct ifr_load_context *items; /* the most references first */
	size_t count;
	bool too_many; /* given up: nothing is counted */
};

struct ifr_profiled_load {
	uint32_t load; /* number in the sites */
	uint64_t references, misses;
	struct ifr_load_context_list lists[IFR_LOAD_CONTEXT_KINDS][IFR_LOAD_CONTEXT_LENGTHS];
};

/* Goes through the trace, once; it is replayed under a map with the machine of the summary if there is no stream of
 * misses. *loads: one element for each load that is asked
 * for. Memory: most_bytes and a chunk. Errors: those of ifr_count_events. The caller releases the loads. */
int ifr_load_contexts_make(struct ifr_trace *trace, struct ifr_address_map *map,
                           const struct ifr_count_settings *settings, const struct ifr_load_sites *sites,
                           const struct ifr_load_context_request *request, struct ifr_profiled_load **loads,
                           struct ifr_error *err);
void ifr_load_contexts_release(struct ifr_profiled_load *loads, size_t count);

#endif
