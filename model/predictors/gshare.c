/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters indexed by address xor global history. Ref: McFarling 1993, "Combining branch predictors", section 7.
 */
#include "model/predictors/run.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "model/memory/cache.h"

struct gshare {
	uint64_t history; /* the last outcome is the lowest bit of those kept, which stand at the top of the index */
	uint64_t mask, step, history_mask;
	uint8_t *counters;
};

enum { COUNTERS, HISTORY };

static const struct ifr_parameter parameters[] = {
	{"counters", 32768, 4, 1u << 24,
     "2-bit counters, a power of two (8 KiB, as Program Interferometry's middle size)"},
	{"history", 15, 0, 24,
     "outcomes, at most log2(counters): as many as there are, as McFarling's best for large tables"},
	{0},
};

static const char *refuse(const unsigned *values) {
	if (values[COUNTERS] & (values[COUNTERS] - 1))
		return "counters is not a power of two";
	return values[HISTORY] > ifr_log2_of(values[COUNTERS]) ? "history is longer than the index, log2(counters)"
	                                                       : NULL;
}

static bool resize(unsigned bytes, unsigned *values) {
	values[COUNTERS] = bytes * 4;
	values[HISTORY] = ifr_log2_of(values[COUNTERS]);
	return true;
}

static void *create(const unsigned *values) {
	struct gshare *gshare = ifr_alloc(sizeof *gshare);
	gshare->mask = values[COUNTERS] - 1;
	/* A short history meets the upper bits of the index: the lower tell neighbours apart (section 7). */
	gshare->step = 1ull << (ifr_log2_of(values[COUNTERS]) - values[HISTORY]);
	gshare->history_mask = gshare->mask & ~(gshare->step - 1);
	if (!values[HISTORY])
		gshare->step = gshare->history_mask = 0;
	gshare->counters = ifr_alloc(values[COUNTERS]);
	memset(gshare->counters, 1, values[COUNTERS]);
	return gshare;
}

static void destroy(void *state) {
	free(((struct gshare *)state)->counters);
	free(state);
}

static inline uint8_t *counter_of(struct gshare *gshare, uint64_t pc) {
	return &gshare->counters[(pc ^ gshare->history) & gshare->mask];
}

static inline bool predict(void *state, const struct ifr_branch_seen *branch) {
	return *counter_of(state, branch->pc) >> 1;
}

static inline void train(void *state, const struct ifr_branch_seen *branch) {
	uint8_t *counter = counter_of(state, branch->pc);
	*counter = ifr_counter2(*counter, branch->taken);
}

static inline void track(void *state, const struct ifr_branch_seen *branch) {
	struct gshare *gshare = state;
	if (branch->kind == IFR_BRANCH_CONDITIONAL)
		gshare->history = (gshare->history << 1 | (branch->taken ? gshare->step : 0)) & gshare->history_mask;
}

static uint64_t run(void *state, const struct ifr_branches *branches, const struct ifr_branch_places *places) {
	/* A copy stays in registers: stores to the counters could change *state for all the compiler knows. */
	struct gshare local = *(struct gshare *)state;
	const uint64_t misses =
		ifr_predictor_loop(&local, branches, places, IFR_STREAM_CONDITIONAL, predict, train, track);
	*(struct gshare *)state = local;
	return misses;
}

const struct ifr_predictor ifr_predictor_gshare = {
	.name = "gshare",
	.about = "global history xor address (McFarling 1993)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create,
	.destroy = destroy,
	.predict = predict,
	.train = train,
	.track = track,
	.run = run,
	.refuse = refuse,
	.resize = resize,
};
