/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops of one execution in two layouts: the windows that their code enters, and how many of their slots a core gets
 * from its loop buffer, its op cache and its decoders. */
#ifndef IFR_MODEL_LOOPS_H
#define IFR_MODEL_LOOPS_H

#include "model/core/front.h"
#include "model/layout/layout.h"
#include "model/machines/machine.h"

enum { IFR_LOOP_LAYOUTS = 2 };

/* A loop goes from the block that a taken jump goes back to, its head, to the end of the furthest such jump. */
struct ifr_loop_change {
	uint32_t head; /* block of the trace (ifr_trace_blocks) */
	uint64_t bytes, iterations;
	uint64_t address[IFR_LOOP_LAYOUTS]; /* of the head */
	uint64_t windows[IFR_LOOP_LAYOUTS]; /* from the first byte to the last */
	/* Of the blocks that are in this loop and in none within it. */
	uint64_t slots[IFR_LOOP_LAYOUTS][IFR_SOURCES];
};

struct ifr_layout_loops {
	struct ifr_loop_change *items; /* in no order */
	size_t count;
	uint64_t slots;        /* of all blocks, in a loop or not */
	unsigned window_bytes; /* of the loop buffer, or of the op cache where there is none; 0: neither */
	bool cut;              /* the execution is longer than IFR_LOOPS_EXECUTIONS blocks: only these were followed */
};

enum { IFR_LOOPS_EXECUTIONS = 1 << 24 };

/* Replays the trace from its beginning under two maps. The caller releases the loops. Errors: IFR_E_USAGE for a machine
 * without a core, and for a layout with an instruction map; those of ifr_core_program_make. */
int ifr_layout_loops_count(struct ifr_trace *trace, const struct ifr_address_map *const maps[2],
                           const struct ifr_machine *machine, struct ifr_layout_loops *loops,
                           struct ifr_error *err);
void ifr_layout_loops_release(struct ifr_layout_loops *loops);

#endif
