/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependence graph of one layout: when each operation arrives in the queue, is renamed, executes and retires.
 *
 * An operation has five times: A (its slot arrives in the queue), D (its slot is renamed), E (it executes), P (its
 * result is there), C (its slot retires). Each is the latest of its edges, so operations are computed once, in program
 * order, with no clock:
 *
 *   A   after the slot before, `width` a cycle from one window; behind bubbles, misses of code, predecoding and
 *       decoders; not before the slot `queue` before left the queue; after a mispredicted branch not before
 *       P(branch) + its penalty; where the branch predictor runs ahead, not before it found the window: `prediction`
 *       cycles after the window before, behind its bubble, and not before A of the window `ahead` before
 *   D   A + 1; `issue` slots a cycle; not before C of the slot `window` before, nor before scheduler, load queue and
 *       store queue have room
 *   E   D + 1, P of each source; a cycle in which its port is free, oldest first. The port is chosen at D: the one
 *       that the fewest operations wait for, the highest of them
 *   P   E + latency; of loads see graph_memory.c
 *   C   P + 1, after the slot before, `retire` a cycle
 *
 * Ref: Fields, Bodík, Hill and Newburn 2004, "Interaction cost and shotgun profiling", section 3 and table 2. */
#ifndef IFR_MODEL_CORE_GRAPH_H
#define IFR_MODEL_CORE_GRAPH_H

#include "model/core/front.h"
#include "model/replay/replay.h"

/* The outcome of a block execution in this layout. */
struct ifr_core_outcome {
	const uint64_t *addresses; /* of its accesses */
	const struct ifr_access *accesses;
	const uint8_t *levels; /* by access: IFR_CORE_LEVEL; NULL: all in the first levels */
	uint32_t first_access; /* number of its first access, for ifr_graph_note_stalls */
	unsigned fetch_wait;   /* cycles for lines of code that were not in the first level … */
	unsigned page_wait;    /* … and for pages of it */
	bool decoded;          /* the decoders deliver a part of it, even if the op cache is idealised */
	uint8_t btb;           /* of the branch before, if taken: level that had it; IFR_CORE_BTB_NONE: none had it */
	bool taken;            /* entered by a taken branch */
	bool leaves;           /* left by one */
	bool mispredicted;     /* the branch before was */
	bool several;          /* it is an indirect jump or call that has led to several targets */
	bool divides;          /* it is not taken, and goes on where taken ones have led lately */
	bool known;            /* the branch before is taken, or was taken lately: the predictor knows it */
};
#define IFR_CORE_BTB_NONE 3
/* line: 0 to 3, the level that has it (0: the first, 3: memory). page: 0 to 2. */
#define IFR_CORE_LEVEL(line, page) ((uint8_t)((line) | (page) << 2))

/* Events that depend on time. */
struct ifr_core_counts {
	uint64_t undelivered;   /* slots that rename could have taken and the front end did not deliver */
	uint64_t stalls;        /* cycles in which rename waited for the back end … */
	uint64_t stalls_window; /* … for the window */
	uint64_t stalls_scheduler, stalls_loads, stalls_stores;
	uint64_t aliases; /* loads delayed by a store with equal low 12 bits */
	uint64_t blocked; /* loads delayed by a store that has a part of them */
	uint64_t clears;  /* loads that were wrongly ahead of a store */
	uint64_t late;    /* loads that wait for a line that a prefetch has under way */
};

struct ifr_graph;
struct ifr_graph *ifr_graph_new(const struct ifr_core *core);
void ifr_graph_free(struct ifr_graph *graph);
/* Adds a block execution. */
void ifr_graph_add(struct ifr_graph *graph, const struct ifr_core_program *program,
                   const struct ifr_placed *placed, const struct ifr_delivery *deliveries, size_t count,
                   const struct ifr_core_outcome *outcome);
/* From now on adds to stalls[n] the cycles for which retirement waits for the load that makes access n, and for nothing
 * older: from its execution on. NULL: to none. Borrowed. */
void ifr_graph_note_stalls(struct ifr_graph *graph, uint64_t *stalls);
/* From now on adds to cycles[n] the cycles by which slots of instruction n of the program retire later than the slots
 * before them: all together, the cycles of the run. NULL: to none. Borrowed. */
void ifr_graph_note_retirement(struct ifr_graph *graph, uint64_t *cycles);
/* Retires the last slot. */
void ifr_graph_finish(struct ifr_graph *graph);
/* Retires the last slot, and lets the next one arrive behind that: it neither waits for anything before nor runs beside
 * it. */
void ifr_graph_drain(struct ifr_graph *graph);
/* Returns the cycle in which the last slot retired; of the slots that are not retired yet, none counts. */
int64_t ifr_graph_cycle(const struct ifr_graph *graph);
const struct ifr_core_counts *ifr_graph_counts(const struct ifr_graph *graph);
/* Sets both, for samples of a graph that runs elsewhere (model/replay/vector/). */
void ifr_graph_set(struct ifr_graph *graph, int64_t cycle, const struct ifr_core_counts *counts);

#endif
