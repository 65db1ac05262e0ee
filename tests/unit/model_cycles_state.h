/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the simulator that walks cycles. */
#ifndef IFR_TESTS_MODEL_CYCLES_STATE_H
#define IFR_TESTS_MODEL_CYCLES_STATE_H

#include "tests/unit/model_cycles.h"

#define NEVER (INT64_MAX / 4)

/* A dynamic instruction, and what the front end does with it. */
struct fetched {
	const struct ifr_core_instruction *code;
	const struct cycles_step *step;
	uint64_t address;
	bool first;        /* of its block */
	bool begins;       /* begins a delivery */
	bool window;       /* begins a window */
	bool decoders_any; /* its block needs the decoders */
	int source, wait;
	size_t first_op;
};

/* A dynamic operation. */
struct simulated {
	const struct ifr_core_op *op;
	const struct fetched *in;
	size_t sources[4];    /* producers + 1; 0: none */
	size_t slot;          /* of rename */
	size_t branch_before; /* last branch operation before, + 1 */
	int port;
	int64_t renamed, executed, done;
	/* memory */
	uint64_t address;
	unsigned bytes, level;
	size_t load, store; /* number of loads and stores before it */
	bool is_load, is_store, hasty;
	int64_t ready;
	int64_t cached; /* when the caches answered a load; 0: not asked */
	/* The name of a store's address: displacement, writes of the base register before. The store, + 1, that a load has
	 * its value of at rename; when it has it, 0: not known yet. */
	int64_t named, name_writes;
	size_t value_of;
	int64_t value;
	/* Of a load that stores send back: its last issue (0: none), when it is issued again (0: not), the stores that are
	 * left to look at, and whether none sends it back any more. */
	int64_t issued, due;
	size_t left;
	bool settled;
};

struct line {
	uint64_t key;
	int64_t used;
	bool recent; /* for the policy nru */
};

struct machine {
	uint64_t random; /* the last number that chose a line of the op cache */
	const unsigned *v;
	const struct ifr_core_program *program;
	/* front end */
	struct line *lines;
	int64_t clock;
	struct fetched *fetched;
	size_t fetched_count;
	uint64_t slots[IFR_SOURCES];
	/* back end */
	struct simulated *ops;
	size_t ops_count, slots_count;
	size_t *slot_first;   /* by slot: first operation; one more at the end */
	int64_t *retired;     /* by slot */
	size_t *decoded_slot; /* by arrival slot: last rename slot of it */
	int64_t *drained;     /* by store */
	size_t *store_ops;    /* by store: its address operation */
	size_t stores;
};

struct state {
	int64_t now;
	size_t arrived;     /* instructions whose first slot arrived */
	size_t arrived_ops; /* operations that arrived */
	size_t arrived_slots, left_slots;
	int64_t last_arrival; /* cycle of the last slot that arrived */
	unsigned used, decoded;
	unsigned followed; /* taken branches behind which fetch went on in the cycle of the last arrival */
	int64_t followed_in;
	bool same_cycle;                          /* the block arrives in the cycle of the taken branch before it */
	int64_t next_prediction, *window_arrived; /* when the next window is found; by window */
	unsigned places;                          /* for branches, in the group that is found at once */
	bool second;                              /* the last window was found together with the one before … */
	bool wide;                                /* … as the second window of a block */
	unsigned lines;                           /* of the op cache that arrive in cycle lines_in, so far */
	int64_t lines_in;
	unsigned of_window; /* lines that began in the window */
	int64_t pair_at;    /* when the last of them did that arrive at once */
	bool entered;       /* a window, in which no line has begun */
	size_t windows;
	uint64_t groups[2]; /* where the last two groups of branches begin */
	struct {
		uint64_t groups[2], target;
	} jumps[4096]; /* indirect, so far, and the groups that led to them */
	size_t jumps_count;
	int64_t bytes_since; /* when the aligned bytes under way were predecoded */
	uint64_t bytes;
	unsigned bytes_count;
	int64_t *arrival;        /* by operation: cycle in which it arrived */
	int64_t *left;           /* by arrival slot: when it was renamed */
	size_t *arrival_slot;    /* by operation */
	size_t renamed, retired; /* slots */
	int64_t floor;
	unsigned used_rename;
	unsigned waiting[16];
	int64_t unit_free[IFR_UNITS];
	int64_t taken[16]; /* by port: the last cycle in which an operation left for it */
	int64_t held[16];  /* by port: held until this cycle */
	int64_t split[16]; /* by port: held in this cycle, by a load across lines */
	int64_t again
		[16]; /* by port: held in this cycle for what is younger than this operation, by a load issued again */
	size_t again_op[16];
	size_t drained;
	int64_t last_drain;
	int64_t fills[64];
	size_t fill_count;
	struct {
		uint64_t line;
		int64_t done;
		bool prefetched;
	} line_done[1024];
	size_t line_count;
	uint8_t *counters;
	uint64_t aliases, blocked, clears, late;
};

/* Lists the dynamic instructions, and finds the source of each. */
void cycles_expand(struct machine *m, const struct cycles_step *steps, size_t count);
void cycles_run_front(struct machine *m);
/* Brings the slots of instructions that arrive in this cycle. */
void cycles_arrive(struct machine *m, struct state *s);

/* Finds the store whose value a load has by its name. writes: by register, how often it was
 * written. */
void cycles_find_value(struct machine *m, struct simulated *load, const uint64_t *writes, int64_t stack);
/* The operation that stores the data of a store. */
const struct simulated *cycles_data_of(const struct machine *m, size_t store);
/* Whether a port is free for an operation in this cycle. */
static inline bool cycles_port_free(const struct machine *m, const struct state *s, const struct simulated *o) {
	return s->taken[o->port] != s->now && s->held[o->port] <= s->now && s->split[o->port] != s->now &&
	       !(s->again[o->port] == s->now && s->again_op[o->port] < (size_t)(o - m->ops));
}

/* Finishes a load that waits for a store, when all that is known. Returns NEVER while it is not. */
int64_t cycles_finish_load(struct machine *m, struct state *s, size_t index);
/* Whether a load may execute: older stores' addresses are known, or it is hasty. */
bool cycles_load_allowed(const struct machine *m, struct state *s, struct simulated *o);
/* A prefetch executes in this cycle: its line is under way from then on, unless it is there. */
void cycles_prefetch(struct machine *m, struct state *s, const struct simulated *o);
void cycles_drain_stores(struct machine *m, struct state *s);

static inline int64_t most(int64_t a, int64_t b) {
	return a > b ? a : b;
}

#endif
