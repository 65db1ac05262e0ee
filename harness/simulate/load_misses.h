/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads of a recording by their misses in one layout on one machine, and the contexts of those that miss now and then. */
#ifndef IFR_HARNESS_LOAD_MISSES_H
#define IFR_HARNESS_LOAD_MISSES_H

#include "common/plan.h"
#include "harness/simulate/conflict_names.h"
#include "model/model.h"

struct ifr_load_misses_request {
	const struct ifr_plan *plan;    /* NULL: the layout of the recorded program */
	const struct ifr_plan *against; /* another layout, whose misses are counted beside; NULL: none */
	const struct ifr_machine *machine;
	enum ifr_core_use core;
	unsigned level;          /* of the data caches whose misses count: 0, 1 or 2 */
	size_t top;              /* loads with the most misses that contexts may be counted of */
	double least, most;      /* and whose miss ratio is between these */
	const unsigned *lengths; /* as in struct ifr_load_context_request; length_count 0: no contexts are counted */
	size_t length_count;
	size_t most_bytes;
	/* Called a few times a second with the share that is done, up to 1, after so much time; NULL: none. */
	void (*progress)(double share, int64_t spent_ns);
};

struct ifr_load_name {
	char *code; /* "walk (tree.c:12)" */
	char *data; /* that it missed: "table", "heap objects of 32 bytes", "stack"; two of several */
};

struct ifr_load_misses {
	struct ifr_load_summary summary;
	uint32_t *order; /* the loads that miss, the most misses of the level first */
	size_t count;
	struct ifr_load_name *names; /* by order, of the first `top` */
	size_t named;
	struct ifr_profiled_load *contexts; /* the most misses first */
	size_t context_count;
	uint64_t references, misses;           /* of all loads together, at the level */
	struct ifr_load_prefetches prefetches; /* of the program, at the level */
	uint64_t *against;       /* misses of the level in the other layout, by load; NULL: none was asked for */
	uint64_t against_misses; /* their sum */
	struct ifr_named_conflicts conflicts; /* sets of L1D or L2 that miss more than there, by what meets in them */
};

/* Profiles a trace: one replay for the summary, one for the contexts of the loads that it chooses, and two to compare
 * with another layout. Errors: those of
 * ifr_layout_of_plan and ifr_load_summary_make; IFR_E_USAGE for a level that the machine has not;
 * IFR_E_ENVIRONMENT if interrupted. The caller releases the profile, after an error, too. */
int ifr_load_misses_make(struct ifr_trace *trace, const struct ifr_load_misses_request *request,
                         struct ifr_load_misses *profile, struct ifr_error *err);
void ifr_load_misses_release(struct ifr_load_misses *profile);

#endif
