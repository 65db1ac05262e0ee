/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places for single functions: hot branches that share an entry of the BTB or of the predictor, and hot blocks across
 * windows, get other addresses, one function at a time, and the model says what each gains.
 *
 * Where the program's kit allows, nops in front of one of two branches part them, too (place_nops.h). What the predictor
 * mispredicts for want of history, copies of code may help (branch_copies.h).
 *
 * A function that moves goes behind all others, so that nothing else changes. A gain of the model is a proposal: by the
 * clock, `interfero cure` confirms or refutes it. */
#ifndef IFR_HARNESS_OPTIMIZE_PLACE_H
#define IFR_HARNESS_OPTIMIZE_PLACE_H

#include "common/buffer.h"
#include "common/plan.h"
#include "harness/optimize/shared_entries.h"
#include "harness/simulate/simulate.h"

struct ifr_place_request {
	struct ifr_trace *trace; /* of the shipped program, which has a kit */
	const struct ifr_machine *machine;
	const char *machine_name;
	unsigned functions;                               /* that are tried, at most: those most in their own way */
	void (*progress)(double share, int64_t spent_ns); /* may be NULL */
};

/* A function and its best place. Index 0: in the shipped layout; 1: there. */
struct ifr_placed_function {
	char *name; /* of its unit */
	uint64_t address[2];
	struct shared_counts counts[2]; /* of all hot code, with this function there */
	double gain;                    /* part of the modelled cycles; 0 or less: no place is better */
};

struct ifr_named_pair {
	enum shared_structure structure;
	char *names[2]; /* "f+0x12" */
	uint64_t executions;
};

/* Nops in front of a branch; counters as shipped and with them. */
struct ifr_placed_nops {
	char *function;
	uint64_t site;
	unsigned bytes;
	uint64_t misses[2], btb_misses[2]; /* mispredicted conditional branches; taken branches that the BTB misses */
	double gain;
};

/* A copy of code in a function that the compiler's axes may change. */
struct ifr_placed_copy {
	char *function;
	const struct ifr_branch_copy *copy;
	char *axis; /* "split-loops history=4 only=f" */
};

struct ifr_place_result {
	const char *machine;
	bool has_core;                /* cycles are the core's; else an estimate */
	struct ifr_named_pair *pairs; /* the most executed ones */
	size_t pairs_count, all_pairs;
	struct ifr_placed_function *functions; /* the largest gain first */
	size_t functions_count, tried;
	double gain;                  /* of all functions with a gain, together */
	struct ifr_plan plan;         /* with them */
	struct ifr_placed_nops *nops; /* the largest gain first */
	size_t nops_count;
	struct ifr_branch_copies found;
	struct ifr_placed_copy *copies; /* the most saving first */
	size_t copies_count;
	bool compiles; /* the kit has the sources for them */
	/* Changes of code: the copies; without any that can be compiled, the best nops. */
	struct ifr_plan code;
};

/* Errors: IFR_E_USAGE if the program has no kit, or no function that moves; those of replays. */
int ifr_place_find(const struct ifr_place_request *request, struct ifr_place_result *result,
                   struct ifr_error *err);
void ifr_place_release(struct ifr_place_result *result);

void ifr_place_text(const struct ifr_place_result *result, struct ifr_buffer *out);
void ifr_place_json(const struct ifr_place_result *result, struct ifr_buffer *out);

#endif
