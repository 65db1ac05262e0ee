/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Software prefetches of a trace: the misses of loads with them, and how many of them were of use.
 *
 * A prefetched line is there at once: the profile by load tells whether prefetches are of the right lines, not whether
 * they come in time. The core's counters tell that. */
#ifndef IFR_MODEL_LOAD_PREFETCHES_H
#define IFR_MODEL_LOAD_PREFETCHES_H

#include "model/loads/summary.h"

enum { IFR_PREFETCH_LEAD_MOST = 1000 };

/* One prefetch instruction. */
struct ifr_prefetch_count {
	uint64_t normalised;                      /* of the last byte of the instruction */
	uint64_t executed, present, used, unused; /* as in struct ifr_load_prefetches */
	uint64_t lead; /* sum over the used: instructions until the first reference, at most LEAD_MOST each */
};

struct ifr_load_prefetches {
	struct ifr_prefetch_count *items; /* by instruction */
	size_t count;
	uint64_t executed;
	uint64_t present;      /* of lines that the level had already */
	uint64_t used;         /* of lines that were referenced before they left the level */
	uint64_t unused;       /* of lines that left it before, or stayed to the end */
	uint64_t misses;       /* of the level, by all loads */
	uint64_t *load_misses; /* of the level, by load, in the numbers of the summary of the same trace */
	size_t load_count;
	bool in_core;               /* a core was asked for, and has prefetches: */
	struct ifr_counts counters; /* of the replay with them */
};

/* Replays a trace again with its prefetches, under the same map and settings: for the loads without a core, then for its
 * counters with the core that the settings ask for. *prefetches: all 0 for a
 * trace that has none. Errors: those of ifr_count_events and ifr_trace_reopen. The caller releases them, after an error,
 * too. */
int ifr_load_prefetches_make(const struct ifr_trace *trace, struct ifr_address_map *map,
                             const struct ifr_count_settings *settings, unsigned level,
                             struct ifr_load_prefetches *prefetches, struct ifr_error *err);
void ifr_load_prefetches_release(struct ifr_load_prefetches *prefetches);

#endif
