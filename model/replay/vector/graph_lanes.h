/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependence graph of model/core/graph.h for sixteen layouts at once.
 *
 * Problem: an operation costs the scalar graph some hundred instructions of the host, and every layout executes the
 * same operations.
 * Idea: the lanes of a vector are layouts. Operations, registers, numbers of loads and stores are the same in all
 * lanes; times, ports and slots are not. Where a layout breaks the fusion of a block's last pair, the pair runs twice:
 * for the lanes in which it is fused, and for the others.
 * Invariant: each lane does what the scalar graph does, in the same order, so their cycles and counts are equal. Times
 * are 32 bits, from a base of each lane's own that follows it; a time long past is as good as any before the window. */
#ifndef INTERFERO_MODEL_GRAPH_LANES_H
#define INTERFERO_MODEL_GRAPH_LANES_H

#include <stdbool.h>

#include "model/core/graph.h"
#include "model/core/graph_state.h"
#include "model/replay/vector/graph_vec.h"

/* A block execution in all lanes. */
struct lanes_step {
	const struct ifr_placed *placed[LANES];
	const struct ifr_delivery *deliveries[LANES];
	uint32_t deliveries_count[LANES];
	const struct ifr_core_outcome *outcomes[LANES];
	const struct ifr_core_code *codes; /* unfused, fused */
};

#define ALL_LANES 0xffffu
enum { LANE_LONG_AGO = -(1 << 30), LANE_NEVER = INT32_MAX, CALENDAR_BITS = 17, PORT_VECTORS = 4 };

struct lanes_store {
	struct lane_words low, high; /* of its address */
	struct lane_words known, data, commit, drain, level;
	uint32_t bytes;
	uint32_t reserved[LANES - 1];
};

struct lanes_graph {
	struct ifr_core core;
	int64_t base[LANES]; /* of each lane's times */
	/* front end */
	struct lane_words arrival, arrival_used, arrivals, width;
	struct lane_words branch_done;
	int32_t predicted[LANES], predecoded[LANES], passed_cycle[LANES];
	uint32_t windows[LANES], predecode_count[LANES], decoded[LANES], passed[LANES];
	uint64_t predecode_bytes[LANES];
	int32_t window_arrivals[LANES][WINDOWS_AHEAD];
	unsigned joined, decoding; /* lanes */
	uint32_t slots_mask, loads_mask, stores_mask;
	struct lane_words *left, *retired, *loads_retired; /* rings */
	/* rename and retirement */
	struct lane_words rename, rename_used, retire, retire_used, renamed, rename_floor;
	bool slot_open;
	struct lane_words slot_done, slot_loads;
	unsigned slot_loads_most; /* of any lane */
	uint32_t slot_stores;
	struct lane_words registers[IFR_REGISTERS];
	/* ports */
	uint32_t *calendar; /* by lane and cycle */
	uint32_t calendar_bits, calendar_mask;
	struct lane_words cursor, in_scheduler;
	struct lane_words waiting[PORT_VECTORS]; /* a byte a port */
	struct lane_words unit_free[IFR_UNITS];
	unsigned port_vectors; /* that the program's ports need */
	/* memory */
	uint32_t loads, stores;
	struct lanes_store *queue;
	struct lane_words youngest[UNITS_OF_PAGE];
	struct lane_words stores_known, drained, loads_floor;
	struct lane_words fill, fill_done[64];
	struct lane_words lines[LINES_KEPT], lines_high[LINES_KEPT], line_done[LINES_KEPT];
	struct lane_words line_latest; /* the latest of line_done */
	struct lane_words *counters;
	/* events */
	struct lane_words undelivered, stalls, stalls_window, stalls_scheduler, stalls_loads, stalls_stores, aliases,
		blocked, clears;
	struct ifr_core_counts counts[LANES];
	/* the step under way */
	uint16_t *begins; /* by instruction: lanes in which a delivery begins */
	size_t begins_room;
	struct lane_words address; /* low bits, of the block */
	const struct ifr_delivery *next[LANES];
};

/* Whether the graph can run a core and program: no cause idealised, counters in a power of two, no fused store. */
bool IFR_VECTOR(graph_fits)(const struct ifr_core *core, const struct ifr_core_program *program);
struct lanes_graph *IFR_VECTOR(graph_new)(const struct ifr_core *core, const struct ifr_core_program *program);
void IFR_VECTOR(graph_free)(struct lanes_graph *graph);
void IFR_VECTOR(graph_add)(struct lanes_graph *graph, const struct ifr_core_program *program,
                           const struct lanes_step *step);
/* Brings the counts up to date. */
void IFR_VECTOR(graph_settle)(struct lanes_graph *graph);

/* Private to graph_*.c. graph_grow: twice as many days. */
void IFR_VECTOR(graph_grow)(struct lanes_graph *graph);
void IFR_VECTOR(graph_follow)(struct lanes_graph *graph);
void IFR_VECTOR(graph_enter)(struct lanes_graph *graph, const struct lanes_step *step, unsigned lane);
void IFR_VECTOR(graph_begin)(struct lanes_graph *graph, const struct ifr_delivery *delivery, bool first,
                             unsigned lane);
void IFR_VECTOR(graph_decode)(struct lanes_graph *graph, const struct ifr_core_instruction *instruction,
                              uint64_t address, unsigned lane);
vec IFR_VECTOR(graph_load)(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op, vec port,
                           vec ready, vec pc, const struct lanes_step *step);
void IFR_VECTOR(graph_store_address)(struct lanes_graph *graph, vec_mask on, const struct ifr_core_op *op,
                                     vec known, const struct lanes_step *step);
void IFR_VECTOR(graph_store_data)(struct lanes_graph *graph, vec_mask on, vec data);
void IFR_VECTOR(graph_store_retire)(struct lanes_graph *graph, vec_mask on, uint32_t number, vec commit);

#endif
