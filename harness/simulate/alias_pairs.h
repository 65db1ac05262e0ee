/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the loads and stores that alias in a layout: instruction, function, source line, variable. */
#ifndef IFR_HARNESS_SIMULATE_ALIAS_PAIRS_H
#define IFR_HARNESS_SIMULATE_ALIAS_PAIRS_H

#include "common/plan.h"
#include "harness/simulate/site.h"
#include "model/model.h"

/* One side of a pair; strings are the pair's. */
struct ifr_alias_name {
	char *
		data; /* "inc", "i in micro", "stack", "heap object 7 of 4096 bytes, malloc in main (micro.c:3)", "heap" */
	char *code;            /* "main (micro.c:5)" */
	uint64_t address;      /* of the data in the layout, when the pair first met */
	unsigned bytes;        /* that are loaded or stored */
	struct ifr_site site;  /* of the data */
	struct ifr_site block; /* of the code */
};

struct ifr_named_alias {
	struct ifr_alias_name load, store;
	uint64_t count;
	uint64_t best_count; /* in the best layout, where two are compared; else 0 */
};

/* An intervention: a static variable of the program moved alone, by half a page modulo 4096, everything else held modulo
 * 4096, heap objects that the plan places included. */
struct ifr_alias_trial {
	char *variable;
	uint64_t from, bytes; /* its ELF address, and size */
	uint64_t events;      /* aliases that remain */
};

enum { IFR_ALIAS_TRIALS = 4, IFR_ALIAS_TRIAL_SHIFT = 2048 };

struct ifr_named_aliases {
	struct ifr_named_alias *items;                   /* at most the number that was asked for */
	size_t count, all;                               /* all: pairs of the layout, named or not */
	uint64_t events;                                 /* of all pairs: ld_blocks_partial.address_alias */
	struct ifr_alias_trial trials[IFR_ALIAS_TRIALS]; /* of the variables of the first pairs */
	size_t trial_count;
	bool compared;        /* with the best layout; the rest is then known */
	uint64_t best_events; /* of all pairs of the best layout */
	size_t differing;     /* pairs that are not as frequent in both layouts, named or not */
	int64_t rest;         /* aliases beyond those of the best layout, of differing pairs without a name */
};

/* Names the pairs of a trace in the layout of a plan on a machine, the most frequent first, `most` at most, and moves
 * their static variables, one after the other; heap objects that the plan places stay there. Errors: IFR_E_USAGE for a
 * plan that needs a kit, or a layout with an instruction map; those of ifr_layout_of_plan. The caller releases the
 * names. */
int ifr_aliases_name(struct ifr_trace *trace, const struct ifr_plan *plan, const struct ifr_machine *machine,
                     size_t most, struct ifr_named_aliases *named, struct ifr_error *err);
/* Names the pairs that are more frequent in the worst layout (plans[1]) than in the best (plans[0]), the largest
 * difference first, by a hundredth of the first at least; moves their variables in the worst layout. The rest as
 * ifr_aliases_name. */
int ifr_aliases_compare(struct ifr_trace *trace, const struct ifr_plan *const plans[2],
                        const struct ifr_machine *machine, size_t most, struct ifr_named_aliases *named,
                        struct ifr_error *err);
/* Aliases of a pair beyond those of the best layout. */
uint64_t ifr_named_alias_excess(const struct ifr_named_alias *pair);
void ifr_named_aliases_release(struct ifr_named_aliases *named);

#endif
