/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops that a core gets from another source (loop buffer, op cache, decoders) in one layout than in another, by
 * name. */
#ifndef IFR_HARNESS_SIMULATE_LOOP_NAMES_H
#define IFR_HARNESS_SIMULATE_LOOP_NAMES_H

#include "common/plan.h"
#include "harness/build/build.h"
#include "harness/simulate/site.h"
#include "model/model.h"

/* A loop; index 0 is the first layout. */
struct ifr_named_loop {
	char *code;           /* "spin (loop.c:5)": its first instruction */
	struct ifr_site site; /* of it */
	uint64_t bytes, iterations;
	uint64_t address[2], windows[2];
	uint64_t slots[2][IFR_SOURCES]; /* by enum ifr_slot_source */
};

struct ifr_named_loops {
	struct ifr_named_loop *items; /* those that differ most first, by a hundredth of the first at least */
	size_t count, all;            /* all: that differ by a thousandth of the run's slots, named or not */
	unsigned window_bytes;        /* of `windows`; 0: the machine has none */
	bool cut;                     /* only the head of the run was followed (IFR_LOOPS_EXECUTIONS) */
};

/* "the op cache" */
const char *ifr_source_words(enum ifr_slot_source source);

/* Names the loops whose slots come from other sources under the second of two plans, `most` at most. builder: of the kit,
 * for plans that need one; else NULL. Errors: those of ifr_layout_of_plan and ifr_layout_loops_count. The caller
 * releases the names. */
int ifr_loops_name(struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *const plans[2],
                   const struct ifr_machine *machine, size_t most, struct ifr_named_loops *named,
                   struct ifr_error *err);
void ifr_named_loops_release(struct ifr_named_loops *named);

#endif
