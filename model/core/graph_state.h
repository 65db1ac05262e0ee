/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a graph: the latest times. Private to graph.c, graph_arrival.c and graph_memory.c. */
#ifndef IFR_MODEL_CORE_GRAPH_STATE_H
#define IFR_MODEL_CORE_GRAPH_STATE_H

#include "model/core/graph.h"
#include "model/core/names.h"
#include "model/core/ports.h"
#include "model/core/targets.h"

enum {
	SLOTS_LEAST = 1024, /* of the rings, which are larger where a larger window is described */
	STORES_LEAST = 256,
	LOADS_LEAST = 512,
	UNITS_OF_PAGE = 1024, /* of four bytes */
	LINES_KEPT = 256,
	WINDOWS_AHEAD = 256, /* a power of two, more than fetch.ahead */
	COUNTER_MOST = 15,
	NO_VALUE = -1,
	AHEAD_MOST = CALENDAR / 2, /* cycles that rename may be ahead of retirement: bookings fit into the calendar */
};

/* A place in a sequence of so many a cycle. */
struct pace {
	int64_t cycle;
	unsigned used;
};

struct store {
	uint64_t address;
	int64_t known, data;   /* P of its address and of its data */
	int64_t value;         /* when the register that it stores was there */
	int64_t commit, drain; /* C, and when it leaves the queue */
	uint32_t number;       /* from 1 on */
	uint16_t bytes;
	uint8_t level;
};

struct ifr_graph {
	const struct ifr_core *core;
	struct ifr_core site_core; /* for operations of idealised sites */
	uint16_t sites;            /* that are idealised, or delayed */
	bool branch_ideal;         /* the last branch belongs to one */
	struct ports ports;
	int64_t registers[IFR_REGISTERS];
	/* front end */
	struct pace arrival;
	int64_t predicted;    /* when the branch predictor found the last window */
	unsigned places;      /* for branches, in the group that it finds at once (entry.h) */
	bool paired;          /* together with the one before */
	bool wide;            /* as the second window of a block */
	uint8_t left_by;      /* enum ifr_branch: of the last block */
	uint64_t left_at;     /* address behind it */
	struct groups groups; /* the last two (targets.h) */
	uint32_t rows[TARGET_ROWS];
	uint32_t windows;                       /* that it found so far */
	int64_t window_arrivals[WINDOWS_AHEAD]; /* by window: when its slots could arrive */
	int64_t predecoded;                     /* when the bytes under way are predecoded */
	uint64_t predecode_bytes;               /* number of the bytes under way */
	unsigned predecode_count;               /* instructions of them so far */
	unsigned decoded;                       /* instructions decoded in the cycle of arrival */
	int64_t passed_cycle;                   /* of arrival, in which fetch passed so many taken branches */
	unsigned passed;
	int64_t lines_cycle, window_cycle;  /* when lines began; when the window's last to arrive at once did */
	unsigned lines_begun, window_lines; /* lines of the op cache of that cycle, and of the window */
	bool joined, window_entered;        /* arrival is in the taken branch's cycle; no line began in the window */
	bool decoding;                      /* the decoders delivered last */
	uint32_t arrivals;                  /* slots so far */
	uint32_t slots_mask;                /* the rings' sizes, less 1: powers of two */
	int64_t *left;                      /* by slot, a ring: when it left the queue */
	/* rename and retirement */
	struct pace rename, retire;
	uint32_t renamed;
	int64_t *retired; /* a ring */
	bool slot_open;
	int64_t slot_done; /* P of the open slot */
	unsigned slot_loads;
	/* Of the slot's latest load: its execution at the earliest, its P (0: the slot has none), its access. */
	int64_t slot_load_ready, slot_load_done;
	uint32_t slot_load_access;
	uint64_t *stalls;                       /* by access; NULL: not noted */
	uint64_t *retirement;                   /* by instruction; NULL: not noted */
	uint32_t instruction, slot_instruction; /* number of the one under way, and of the open slot's */
	uint32_t slot_stores;                   /* number of the first store of the open slot */
	int64_t branch_done;                    /* P of the last branch */
	int64_t rename_floor;                   /* after a memory-order clear or a serialising instruction */
	/* memory */
	uint32_t loads, stores;
	uint32_t fill; /* the next of fill_done */
	uint32_t loads_mask, stores_mask;
	int64_t *loads_retired; /* rings: at least as many as the queues have room for */
	struct store *queue;
	struct ifr_names names;
	int64_t taken_value;              /* when the load under way has a value by its name; NO_VALUE: it has none */
	uint32_t youngest[UNITS_OF_PAGE]; /* by four bytes of a page: number of the last store */
	int64_t stores_known, drained, loads_floor;
	int64_t fill_done[64];
	uint64_t lines[LINES_KEPT];
	int64_t line_done[LINES_KEPT];
	bool line_prefetched[LINES_KEPT]; /* by software */
	uint8_t *counters;
	struct ifr_core_counts counts;
};

static inline int64_t later(int64_t a, int64_t b) {
	return a > b ? a : b;
}

/* Advances a pace to a cycle, if it is later. */
static inline void pace_wait(struct pace *pace, int64_t cycle) {
	if (cycle > pace->cycle)
		*pace = (struct pace){cycle, 0};
}

static inline void pace_next(struct pace *pace) {
	*pace = (struct pace){pace->cycle + 1, 0};
}

/* Takes a place; a full cycle is left first. Without a branch, as no predictor knows where cycles end. */
static inline void pace_take(struct pace *pace, unsigned width) {
	const unsigned full = pace->used == width;
	pace->cycle += full;
	pace->used = (full ? 0 : pace->used) + 1;
}

/* Takes the next fill buffer of a ring. */
static inline int64_t *next_fill(struct ifr_graph *graph) {
	int64_t *fill = &graph->fill_done[graph->fill];
	graph->fill = graph->fill + 1 == graph->core->fills ? 0 : graph->fill + 1;
	return fill;
}

/* An access of an operation, its pieces joined. */
struct joined_access {
	uint64_t address;
	unsigned bytes, level;
};
static inline struct joined_access join_access(const struct ifr_core *core, const struct ifr_core_op *op,
                                               const struct ifr_core_outcome *outcome) {
	struct joined_access joined = {.address = outcome->addresses[op->access]};
	for (unsigned i = 0; i < op->pieces; i++) {
		joined.bytes += outcome->accesses[op->access + i].bytes;
		if (outcome->levels && outcome->levels[op->access + i] > joined.level)
			joined.level = outcome->levels[op->access + i];
	}
	joined.level &= core->level_mask;
	return joined;
}

/* Cycles of a load beyond the first-level cache's. */
static inline unsigned load_extra(const struct ifr_core *core, const struct ifr_core_op *op) {
	return ifr_core_idealises(core, IFR_CAUSE_DL1) ? 0 : op->latency;
}

/* Enters a block: the time that its first slot loses. decoders: they deliver a part of it, which waits for its code. */
void graph_enter_block(struct ifr_graph *graph, const struct ifr_placed *placed, const struct ifr_delivery *first,
                       const struct ifr_core_outcome *outcome, bool decoders);
/* How a window is reached: the one before goes on into it, a direct jump without a bubble joins them, or otherwise. */
enum window_entry { WINDOW_GOES_ON, WINDOW_JOINED, WINDOW_OTHER };
/* The branch predictor finds the next window, so many cycles after the one before and behind a bubble, or together with
 * it, if it is not too far ahead. Its code is asked for then. start: its first instruction's address. */
void graph_predict_window(struct ifr_graph *graph, enum window_entry entry, uint32_t start, unsigned bubble,
                          unsigned fetch_wait);
/* The first instruction of a delivery: redirection, a new cycle. */
void graph_begin_delivery(struct ifr_graph *graph, const struct ifr_delivery *delivery);
/* Decodes an instruction: its slots arrive together, so many a cycle as there are decoders. */
void graph_decode(struct ifr_graph *graph, const struct ifr_core_instruction *instruction, uint64_t address);
/* Executes a load that is ready; pc: its address. Returns P. */
int64_t graph_load(struct ifr_graph *graph, const struct ifr_core_op *op, unsigned port, int64_t ready,
                   uint64_t pc, const struct ifr_core_outcome *outcome);
/* Executes a prefetch: its line is under way then, unless it is there. */
void graph_prefetch(struct ifr_graph *graph, const struct ifr_core_op *op, int64_t execute,
                    const struct ifr_core_outcome *outcome);
/* Adds a store, whose address is known at this time; sets when the stored register and its data are there; retires it. */
void graph_store_address(struct ifr_graph *graph, const struct ifr_core_op *op, int64_t known,
                         const struct ifr_core_outcome *outcome);
void graph_store_data(struct ifr_graph *graph, int64_t value, int64_t data);
void graph_store_retire(struct ifr_graph *graph, uint32_t number, int64_t commit);

#endif
