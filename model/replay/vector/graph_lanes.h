/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependence graph of model/core/graph.h for sixteen layouts at once.
 *
 * Problem: an operation costs the scalar graph some hundred instructions of the host, and every layout executes the
 * same operations.
 * Idea: the lanes of a vector are layouts. Operations, registers, numbers of slots, loads and stores are the same in all
 * lanes; times and ports are not. Where a layout breaks the fusion of a block's last pair, the pair runs twice: for the
 * lanes in which it is fused, and for the others, which have slots more; their rings are then moved, so that a slot has
 * one number in all lanes, and a row of a ring is a vector (graph_slots.c).
 * Invariant: each lane does what the scalar graph does, in the same order, so their cycles and counts are equal. Times
 * are 32 bits, from a base of each lane's own that follows it; a time long past is as good as any before the window. */
#ifndef INTERFERO_MODEL_GRAPH_LANES_H
#define INTERFERO_MODEL_GRAPH_LANES_H

#include <stdbool.h>

#include "model/core/graph.h"
#include "model/core/graph_state.h"
#include "model/replay/joint_front.h"
#include "model/replay/vector/graph_vec.h"

/* A block execution in all lanes. */
struct lanes_step {
	const struct joint_entry *entry;
	const struct joint_front *front;             /* deliveries of slow lanes */
	const struct ifr_core_code *codes;           /* unfused, fused */
	bool taken, known, several, divides, leaves; /* as in struct ifr_core_outcome */
	unsigned mispredicted;                       /* lanes */
	unsigned btb_lanes;                          /* lanes in which the branch before is not in the first BTB … */
	uint8_t btb[LANES];                          /* … and where it is then */
	unsigned waiting;                            /* lanes that wait for code, if the decoders deliver … */
	uint32_t fetch_wait[LANES];                  /* … and for how long */
	const struct ifr_access *accesses;           /* of the block */
	const uint64_t *addresses[LANES];            /* the first of the block's */
	const uint8_t *levels[LANES];                /* the same */
	bool same_addresses;                         /* in all lanes */
	const struct lane_words
		*next_level; /* of each lane: number of the next access that is not in the first levels */
	uint32_t number; /* of the block's first access */
};

#define ALL_LANES 0xffffu
enum { LANE_LONG_AGO = -(1 << 30), LANE_NEVER = INT32_MAX, CALENDAR_BITS = 17 };

struct lanes_store {
	struct lane_words low, high; /* of its address */
	struct lane_words known, data, value, commit, drain, level;
	uint32_t bytes;
	uint32_t reserved[LANES - 1];
};

struct lanes_graph {
	struct ifr_core core;
	int64_t base[LANES]; /* of each lane's times */
	/* front end */
	struct lane_words arrival, arrival_used, width;
	struct lane_words branch_done;
	struct lane_words predicted, places, passed_cycle, passed;
	struct lane_words windows,
		window_room;           /* windows so far; place of the window so many before (window_arrivals) */
	uint32_t *window_arrivals; /* by lane and window */
	int32_t predecoded[LANES];
	uint32_t predecode_count[LANES], decoded[LANES];
	uint64_t predecode_bytes[LANES];
	unsigned joined, decoding, odd; /* lanes; odd: whose width is not the op cache's */
	struct lane_words lines_cycle, lines_begun, window_lines, window_cycle;
	unsigned window_entered; /* lanes */
	unsigned paired;         /* lanes whose last window was found together with the one before … */
	unsigned wide;           /* … as the second window of a block */
	uint8_t left_by;         /* enum ifr_branch: of the last block */
	uint32_t left_block;
	struct lane_words left_at;             /* address behind it */
	struct lane_words group, group_before; /* the last two, and where jumps went, by lane (model/core/targets.h) */
	uint32_t (*rows)[TARGET_ROWS];
	uint32_t arrivals, renamed; /* slots so far */
	uint32_t slots_mask, loads_mask, stores_mask;
	struct lane_words *left, *retired, *loads_retired; /* rings */
	/* rename and retirement */
	struct lane_words rename, rename_used, retire, retire_used, rename_floor;
	bool slot_open;
	struct lane_words slot_done, slot_loads;
	unsigned slot_loads_most; /* of any lane */
	uint32_t slot_stores;
	struct lane_words registers[IFR_REGISTERS];
	/* ports (graph_ports.h) */
	struct lane_words day;         /* of bit 0 of each word of own and held */
	struct lane_words own[PORTS];  /* days on which an operation leaves for the port */
	struct lane_words held[PORTS]; /* days on which it is held */
	struct lane_words in_scheduler;
	bool any_held;
	unsigned ports_count;
	unsigned far;                     /* lanes with days beyond */
	struct lane_words far_own[PORTS]; /* how many operations leave for the port on such days */
	uint32_t far_count[LANES];        /* bits of the calendar */
	uint32_t *calendar;               /* of such days, by lane: as that of model/core/ports.h */
	uint32_t calendar_bits, calendar_mask;
	struct lane_words unit_free[IFR_UNITS];
	/* memory */
	struct ifr_names names;
	unsigned value_lanes; /* in which the load under way takes a value by its name, at these times */
	struct lane_words values;
	uint32_t loads, stores;
	struct lanes_store *queue;
	struct lane_words youngest[UNITS_OF_PAGE];
	struct lane_words stores_known, drained, loads_floor;
	struct lane_words fill, fill_done[64];
	struct lane_words lines[LINES_KEPT], lines_high[LINES_KEPT], line_done[LINES_KEPT];
	struct lane_words line_latest;                 /* the latest of line_done */
	struct lane_words line_prefetched[LINES_KEPT]; /* 1: by software */
	bool any_prefetched;
	struct lane_words *counters;
	/* events */
	struct lane_words undelivered, stalls, stalls_window, stalls_scheduler, stalls_loads, stalls_stores, aliases,
		blocked, clears, late;
	struct ifr_core_counts counts[LANES];
	/* the step under way */
	uint16_t *begins; /* by instruction: slow lanes in which a delivery begins */
	size_t begins_room;
	const struct ifr_delivery *next[LANES];
};

/* Lanes that take part. */
struct lanes_on {
	vec_mask mask;
	bool all;
};
static inline void words_keep(struct lane_words *words, struct lanes_on on, vec value) {
	if (on.all)
		words_set(words, value);
	else
		words_put(words, on.mask, value);
}

/* Whether the graph can run a core and program: no cause idealised, counters in a power of two, no fused store. */
bool IFR_VECTOR(graph_fits)(const struct ifr_core *core, const struct ifr_core_program *program);
struct lanes_graph *IFR_VECTOR(graph_new)(const struct ifr_core *core, const struct ifr_core_program *program);
void IFR_VECTOR(graph_free)(struct lanes_graph *graph);
void IFR_VECTOR(graph_add)(struct lanes_graph *graph, const struct ifr_core_program *program,
                           const struct lanes_step *step);
/* Brings the counts up to date. */
void IFR_VECTOR(graph_settle)(struct lanes_graph *graph);

/* Private to graph_*.c. graph_days: the first day becomes another one. graph_far, graph_far_hold: book, and hold, a port
 * of a lane beyond the days of `own`. */
void IFR_VECTOR(graph_follow)(struct lanes_graph *graph);
void IFR_VECTOR(graph_days)(struct lanes_graph *graph, vec to);
int32_t IFR_VECTOR(graph_far_free)(struct lanes_graph *graph, unsigned lane, unsigned port, int32_t ready);
int32_t IFR_VECTOR(graph_far)(struct lanes_graph *graph, unsigned lane, unsigned port, int32_t ready);
void IFR_VECTOR(graph_far_hold)(struct lanes_graph *graph, unsigned lane, unsigned port, int32_t cycle);
void IFR_VECTOR(graph_enter)(struct lanes_graph *graph, const struct lanes_step *step);
void IFR_VECTOR(graph_begin)(struct lanes_graph *graph, const struct ifr_delivery *delivery, bool first,
                             uint32_t start, unsigned lane);
void IFR_VECTOR(graph_begin_lanes)(struct lanes_graph *graph, const struct joint_begin *begin, unsigned lanes,
                                   bool first, const struct lanes_step *step,
                                   const struct ifr_core_instruction *instruction);
void IFR_VECTOR(graph_decode)(struct lanes_graph *graph, const struct ifr_core_instruction *instruction,
                              uint64_t address, unsigned lane);
struct port_choice;
vec IFR_VECTOR(graph_load)(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                           const struct port_choice *port, vec ready, vec pc, const struct lanes_step *step);
void IFR_VECTOR(graph_prefetch)(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                                vec execute, const struct lanes_step *step);
void IFR_VECTOR(graph_store_address)(struct lanes_graph *graph, struct lanes_on on, const struct ifr_core_op *op,
                                     vec known, const struct lanes_step *step);
void IFR_VECTOR(graph_store_data)(struct lanes_graph *graph, struct lanes_on on, vec value, vec data);
void IFR_VECTOR(graph_store_retire)(struct lanes_graph *graph, struct lanes_on on, uint32_t number, vec commit);

#endif
