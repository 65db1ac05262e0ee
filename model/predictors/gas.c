/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GAs: counters indexed by global history and address side by side; GAg if the history fills the index.
 * Ref: Yeh and Patt 1993, "A comparison of dynamic branch predictors that use two levels of branch history",
 * section 2. Program Interferometry, section 7, predicts GAs of 2 to 16 KiB without giving its history length. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct gas {
	uint64_t history; /* the last outcome in bit 0 */
	uint64_t history_mask, address_mask;
	unsigned address_bits;
	uint8_t *counters;
};

enum { COUNTERS, HISTORY, START };

static const struct ifr_parameter parameters[] = {
	{"counters", 32768, 2, 1u << 24,
     "2-bit counters, a power of two (8 KiB: Program Interferometry, section 7.2)"},
	{"history", 8, 0, 24, "outcomes, at most log2(counters); half of the index, as cachegrind has it"},
	{"start", 1, 0, 3, "counters at the start: 1 is weakly not taken"},
	{0},
};

static const char *refuse_gas(const unsigned *values) {
	if (!ifr_is_power(values[COUNTERS]))
		return "counters is not a power of two";
	return values[HISTORY] > ifr_log2_of(values[COUNTERS]) ? "history is longer than the index, log2(counters)"
	                                                       : NULL;
}

static bool resize_gas(unsigned bytes, unsigned *values) {
	values[COUNTERS] = bytes * 4;
	values[HISTORY] = (ifr_log2_of(values[COUNTERS]) + 1) / 2;
	return true;
}

static void *create_gas(const unsigned *values) {
	struct gas *gas = ifr_alloc(sizeof *gas);
	gas->address_bits = ifr_log2_of(values[COUNTERS]) - values[HISTORY];
	gas->address_mask = (1ull << gas->address_bits) - 1;
	gas->history_mask = (1ull << values[HISTORY]) - 1;
	gas->counters = ifr_counters2_new(values[COUNTERS], values[START]);
	return gas;
}

static void destroy_gas(void *state) {
	free(((struct gas *)state)->counters);
	free(state);
}

static inline uint8_t *counter_of(struct gas *gas, uint64_t pc) {
	return &gas->counters[gas->history << gas->address_bits | (pc & gas->address_mask)];
}

static inline bool predict_gas(void *state, const struct ifr_branch_instance *branch) {
	return *counter_of(state, branch->pc) >> 1;
}

static inline void train_gas(void *state, const struct ifr_branch_instance *branch) {
	uint8_t *counter = counter_of(state, branch->pc);
	*counter = ifr_counter2(*counter, branch->taken);
}

static inline void track_gas(void *state, const struct ifr_branch_instance *branch) {
	struct gas *gas = state;
	gas->history = (gas->history << 1 | branch->taken) & gas->history_mask;
}

static uint64_t run_gas(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *layout) {
	/* A local copy can stay in registers: for all the compiler knows, a store to a counter could change *state. */
	struct gas local = *(struct gas *)state;
	const uint64_t misses =
		ifr_predictor_loop(&local, branches, layout, IFR_STREAM_CONDITIONAL, predict_gas, train_gas, track_gas);
	*(struct gas *)state = local;
	return misses;
}

const struct ifr_predictor ifr_predictor_gas = {
	.name = "gas",
	.about = "global history beside the address (Yeh and Patt 1993)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_gas,
	.destroy = destroy_gas,
	.predict = predict_gas,
	.train = train_gas,
	.track = track_gas,
	.run = run_gas,
	.refuse = refuse_gas,
	.resize = resize_gas,
};

static const struct ifr_parameter gag_parameters[] = {
	{"counters", 32768, 2, 1u << 24, "2-bit counters, a power of two"},
	{"history", 15, 0, 24, "outcomes: log2(counters), or the address comes in as with gas"},
	{"start", 1, 0, 3, "counters at the start: 1 is weakly not taken"},
	{0},
};

static bool resize_gag(unsigned bytes, unsigned *values) {
	values[COUNTERS] = bytes * 4;
	values[HISTORY] = ifr_log2_of(values[COUNTERS]);
	return true;
}

const struct ifr_predictor ifr_predictor_gag = {
	.name = "gag",
	.about = "global history alone, no address: the same in every layout (Yeh and Patt 1993)",
	.parameters = gag_parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_gas,
	.destroy = destroy_gas,
	.predict = predict_gas,
	.train = train_gas,
	.track = track_gas,
	.run = run_gas,
	.refuse = refuse_gas,
	.resize = resize_gag,
};
