/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gshare: counters indexed by address xor global history.
 * Ref: McFarling 1993, "Combining branch predictors", section 7. For sixteen lanes: model/replay/vector/counters.c. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct gshare {
	/* The last outcome is at the bit newest, older ones above it; the index mask cuts off the oldest. A history
	 * shorter than the index meets its upper bits, as the lower ones tell neighbouring branches apart. */
	uint64_t history, newest;
	uint64_t mask;
	uint8_t *counters;
};

enum { COUNTERS, HISTORY, START };

static const struct ifr_parameter parameters[] = {
	{"counters", 32768, 4, 1u << 24,
     "2-bit counters, a power of two (8 KiB, as Program Interferometry's middle size)"},
	{"history", 15, 0, 24,
     "outcomes, at most log2(counters): as many as there are, as McFarling's best for large tables"},
	{"start", 1, 0, 3, "counters at the start: 1 is weakly not taken"},
	{0},
};

static const char *refuse_gshare(const unsigned *values) {
	if (!ifr_is_power(values[COUNTERS]))
		return "counters is not a power of two";
	return values[HISTORY] > ifr_log2_of(values[COUNTERS]) ? "history is longer than the index, log2(counters)"
	                                                       : NULL;
}

static bool resize_gshare(unsigned bytes, unsigned *values) {
	values[COUNTERS] = bytes * 4;
	values[HISTORY] = ifr_log2_of(values[COUNTERS]);
	return true;
}

static void *create_gshare(const unsigned *values) {
	struct gshare *gshare = ifr_alloc(sizeof *gshare);
	gshare->mask = values[COUNTERS] - 1;
	gshare->newest = 1ull << (ifr_log2_of(values[COUNTERS]) - values[HISTORY]);
	gshare->counters = ifr_counters2_new(values[COUNTERS], values[START]);
	return gshare;
}

static void destroy_gshare(void *state) {
	free(((struct gshare *)state)->counters);
	free(state);
}

static inline uint8_t *counter_of(struct gshare *gshare, uint64_t pc) {
	return &gshare->counters[(pc ^ gshare->history) & gshare->mask];
}

static inline bool predict_gshare(void *state, const struct ifr_branch_instance *branch) {
	return *counter_of(state, branch->pc) >> 1;
}

static inline void train_gshare(void *state, const struct ifr_branch_instance *branch) {
	uint8_t *counter = counter_of(state, branch->pc);
	*counter = ifr_counter2(*counter, branch->taken);
}

static inline void track_gshare(void *state, const struct ifr_branch_instance *branch) {
	struct gshare *gshare = state;
	gshare->history = gshare->history * 2 + branch->taken * gshare->newest;
}

/* By outcome and counter: the counter's next value, plus 1 << 32 if it predicted wrong. */
static const uint64_t outcomes[2][4] = {{0, 0, 1ull << 32 | 1, 1ull << 32 | 2},
                                        {1ull << 32 | 1, 1ull << 32 | 2, 3, 3}};

/* predict, train and track in one loop, by hand: replays spend most of their time here. One addition counts the
 * misses: a chunk has at most 2^30 executions, so the values' sum stays below 2^32. */
static uint64_t run_gshare(void *state, const struct ifr_branches *branches,
                           const struct ifr_branch_layout *layout) {
	struct gshare *gshare = state;
	const uint32_t *executions = branches->executions, *end = executions + branches->count;
	const uint64_t *pcs = layout->pcs;
	const uint64_t mask = gshare->mask, newest = gshare->newest;
	uint8_t *counters = gshare->counters;
	uint64_t history = gshare->history, sum = 0;
	for (; executions < end; executions++) {
		const uint64_t taken = *executions & 1;
		uint8_t *counter = &counters[(pcs[*executions >> 1] ^ history) & mask];
		const uint64_t next = outcomes[taken][*counter];
		*counter = (uint8_t)next;
		sum += next;
		history = history * 2 + (-taken & newest);
	}
	gshare->history = history;
	return sum >> 32;
}

const struct ifr_predictor ifr_predictor_gshare = {
	.name = "gshare",
	.about = "global history xor address (McFarling 1993)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_gshare,
	.destroy = destroy_gshare,
	.predict = predict_gshare,
	.train = train_gshare,
	.track = track_gshare,
	.run = run_gshare,
	.refuse = refuse_gshare,
	.resize = resize_gshare,
};
