/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two-level local predictor: a branch's own history chooses a counter.
 *   address bits in the second level    name
 *   none                                PAg
 *   as many as select a history         PAp
 *   some                                PAs
 * Ref: Yeh and Patt 1991, "Two-level adaptive training branch prediction"; 1993 for the names. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct local {
	uint64_t entry_mask, history_mask, address_mask;
	unsigned history_bits;
	uint16_t *histories; /* the last outcome in bit 0 */
	uint8_t *counters;
};

enum { ENTRIES, HISTORY, ADDRESS_BITS, START };

static const struct ifr_parameter parameters[] = {
	{"entries", 1024, 1, 1u << 20, "histories, a power of two, by the branch's low bits (Alpha 21264: 1024)"},
	{"history", 10, 1, 16, "outcomes of each (Kessler 1999, The Alpha 21264 microprocessor: 10)"},
	{"address_bits", 0, 0, 12, "address bits beside the history in the counters' index: 0 is PAg"},
	{"start", 1, 0, 3, "counters at the start: 1 is weakly not taken"},
	{0},
};

static const char *refuse_local(const unsigned *values) {
	return ifr_is_power(values[ENTRIES]) ? NULL : "entries is not a power of two";
}

static void *create_local(const unsigned *values) {
	struct local *local = ifr_alloc(sizeof *local);
	const size_t counters = (size_t)1 << (values[HISTORY] + values[ADDRESS_BITS]);
	local->entry_mask = values[ENTRIES] - 1;
	local->history_mask = (1u << values[HISTORY]) - 1;
	local->address_mask = (1u << values[ADDRESS_BITS]) - 1;
	local->history_bits = values[HISTORY];
	local->histories = ifr_alloc(values[ENTRIES] * sizeof *local->histories);
	local->counters = ifr_counters2_new(counters, values[START]);
	return local;
}

static void destroy_local(void *state) {
	struct local *local = state;
	free(local->histories);
	free(local->counters);
	free(local);
}

static inline uint8_t *counter_of(struct local *local, uint64_t pc) {
	const uint64_t history = local->histories[pc & local->entry_mask];
	return &local->counters[(pc & local->address_mask) << local->history_bits | history];
}

static inline bool predict_local(void *state, const struct ifr_branch_instance *branch) {
	return *counter_of(state, branch->pc) >> 1;
}

static inline void train_local(void *state, const struct ifr_branch_instance *branch) {
	uint8_t *counter = counter_of(state, branch->pc);
	*counter = ifr_counter2(*counter, branch->taken);
}

static inline void track_local(void *state, const struct ifr_branch_instance *branch) {
	struct local *local = state;
	uint16_t *history = &local->histories[branch->pc & local->entry_mask];
	*history = (uint16_t)((*history << 1 | branch->taken) & local->history_mask);
}

static uint64_t run_local(void *state, const struct ifr_branches *branches,
                          const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_CONDITIONAL, predict_local, train_local,
	                          track_local);
}

const struct ifr_predictor ifr_predictor_local = {
	.name = "local",
	.about = "each branch's own history (Yeh and Patt 1991)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_local,
	.destroy = destroy_local,
	.predict = predict_local,
	.train = train_local,
	.track = track_local,
	.run = run_local,
	.refuse = refuse_local,
};
