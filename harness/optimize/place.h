/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places for single functions: hot branches that share an entry of the BTB or of the predictor, and hot blocks across
 * windows, get other addresses, one function at a time, and the model says what each gains.
 *
 * A function that moves goes behind all others, so that nothing else changes. A gain of the model is a proposal: by the
 * clock, `interfero cure` confirms or refutes it. */
#ifndef IFR_HARNESS_OPTIMIZE_PLACE_H
#define IFR_HARNESS_OPTIMIZE_PLACE_H

#include "common/buffer.h"
#include "common/plan.h"
#include "harness/optimize/shared_entries.h"

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

struct ifr_place_result {
	const char *machine;
	bool has_core;                /* cycles are the core's; else an estimate */
	struct ifr_named_pair *pairs; /* the most executed ones */
	size_t pairs_count, all_pairs;
	struct ifr_placed_function *functions; /* the largest gain first */
	size_t functions_count, tried;
	double gain;          /* of all functions with a gain, together */
	struct ifr_plan plan; /* with them */
};

/* Errors: IFR_E_USAGE if the program has no kit, or no function that moves; those of replays. */
int ifr_place_find(const struct ifr_place_request *request, struct ifr_place_result *result,
                   struct ifr_error *err);
void ifr_place_release(struct ifr_place_result *result);

void ifr_place_text(const struct ifr_place_result *result, struct ifr_buffer *out);
void ifr_place_json(const struct ifr_place_result *result, struct ifr_buffer *out);

#endif
