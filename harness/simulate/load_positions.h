/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads of a trace by their places in the source, and the calls from which they miss. */
#ifndef IFR_HARNESS_LOAD_POSITIONS_H
#define IFR_HARNESS_LOAD_POSITIONS_H

#include "harness/code/code.h"
#include "model/model.h"

struct ifr_load_position {
	bool known;   /* false: no debug information */
	bool program; /* of the program, not of a library */
	struct ifr_source_position source;
	unsigned number; /* of the loads in that line and column of its block, from 1 */
};

/* Finds the positions of loads; *positions: one of each, which the caller releases. */
void ifr_load_positions_find(const struct ifr_trace *trace, const struct ifr_load_sites *sites,
                             const uint32_t *loads, size_t count, struct ifr_load_position **positions);
/* The same of prefetch instructions, which have no numbers. */
void ifr_prefetch_positions_find(const struct ifr_trace *trace, const struct ifr_load_prefetches *prefetches,
                                 struct ifr_load_position **positions);
void ifr_load_positions_release(struct ifr_load_position *positions, size_t count);

/* References and misses of a load by the call of its function. */
struct ifr_load_caller {
	struct ifr_source_position source; /* of the call; function NULL: not known */
	uint64_t call;                     /* the normalised address of the branch's last byte; 0: not known */
	uint64_t references, misses;
};

/* Sums control-flow contexts of one load and length up by the call that entered its function, those of most references
 * first. *callers: the caller releases them. Returns their number. Reads the trace once. */
size_t ifr_load_callers_find(struct ifr_trace *trace, const struct ifr_load_sites *sites,
                             const struct ifr_load_context_list *contexts, unsigned length,
                             struct ifr_load_caller **callers);
void ifr_load_callers_release(struct ifr_load_caller *callers, size_t count);

#endif
