/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines and branches that meet in sets of the model's caches and BTB in one layout, and not in another, by name. */
#ifndef IFR_HARNESS_SIMULATE_CONFLICT_NAMES_H
#define IFR_HARNESS_SIMULATE_CONFLICT_NAMES_H

#include "common/plan.h"
#include "common/strings.h"
#include "harness/build/build.h"
#include "harness/simulate/site.h"
#include "model/model.h"

/* Sets in which lines of the same names meet. Index 0 is the first layout. */
struct ifr_named_conflict {
	struct ifr_strings
		names;              /* "table in look_up (map.c:5)", "main (map.c:20)": each once, the most misses first */
	struct ifr_site *sites; /* [names.count] of the first line, or branch, of each name */
	uint32_t set;           /* the set that differs most */
	size_t lines;           /* that miss in it again and again */
	size_t sets;            /* of the same names */
	uint64_t misses[2];     /* in all of them, beyond the first of each line */
};

struct ifr_named_conflicts {
	struct ifr_named_conflict *items; /* those that differ most first, by a hundredth of the first at least */
	size_t count;
	size_t rest_sets; /* sets without a name here */
	uint64_t rest;    /* their misses in the second layout beyond the first's */
	unsigned ways;
	uint64_t set_bytes;    /* addresses that are so far apart share a set; 0: of branches */
	const char *structure; /* "L1D" */
};

/* The structure whose misses an event counts; -1: none whose conflicts have names. */
int ifr_conflicts_structure(enum ifr_event event);

/* Names the sets that miss more under the second of two plans, `most` at most. builder: of the kit, for plans that need
 * one; else NULL. Errors: those of ifr_layout_of_plan and ifr_conflicts_count. The caller releases the names. */
int ifr_conflicts_name(struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *const plans[2],
                       const struct ifr_machine *machine, enum ifr_conflict_structure structure, size_t most,
                       struct ifr_named_conflicts *named, struct ifr_error *err);
void ifr_named_conflicts_release(struct ifr_named_conflicts *named);

#endif
