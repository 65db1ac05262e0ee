/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tournament: a bimodal and a global predictor, and counters by address that choose between them.
 * Ref: McFarling 1993, "Combining branch predictors", section 8; sizes: Fields et al. 2004, table VII. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct tournament {
	uint64_t history; /* the last outcome in bit 0 */
	uint64_t bimodal_mask, global_mask, history_mask, meta_mask;
	unsigned shift; /* of the history in the global index */
	bool beside;
	uint8_t *bimodal, *global, *meta; /* meta: 2 and 3 choose the global predictor */
};

enum { BIMODAL, GLOBAL, HISTORY, META, BESIDE };

static const struct ifr_parameter parameters[] = {
	{"bimodal", 8192, 2, 1u << 24, "2-bit counters by address, a power of two (Fields et al. 2004, table VII)"},
	{"global", 8192, 2, 1u << 24, "2-bit counters by history and address, a power of two (the same)"},
	{"history", 13, 0, 24, "outcomes, at most log2(global)"},
	{"meta", 8192, 2, 1u << 24, "2-bit counters that choose, by address, a power of two (the same)"},
	{"beside", 0, 0, 1, "0: history xor address, as gshare; 1: history beside the address, as GAs"},
	{0},
};

static const char *refuse_tournament(const unsigned *values) {
	static const unsigned powers[] = {BIMODAL, GLOBAL, META};
	for (size_t i = 0; i < 3; i++)
		if (!ifr_is_power(values[powers[i]]))
			return "bimodal, global and meta must be powers of two";
	return values[HISTORY] > ifr_log2_of(values[GLOBAL]) ? "history is longer than the index, log2(global)" : NULL;
}

/* Splits the bytes: half for the global counters, a quarter for each of the others. */
static bool resize_tournament(unsigned bytes, unsigned *values) {
	values[GLOBAL] = bytes * 2;
	values[BIMODAL] = values[META] = bytes;
	values[HISTORY] = ifr_log2_of(values[GLOBAL]);
	return true;
}

static void *create_tournament(const unsigned *values) {
	struct tournament *tournament = ifr_alloc(sizeof *tournament);
	*tournament = (struct tournament){
		.bimodal_mask = values[BIMODAL] - 1,
		.global_mask = values[GLOBAL] - 1,
		.meta_mask = values[META] - 1,
		.history_mask = (1ull << values[HISTORY]) - 1,
		.shift = ifr_log2_of(values[GLOBAL]) - values[HISTORY],
		.beside = values[BESIDE],
		.bimodal = ifr_counters2_new(values[BIMODAL], 1),
		.global = ifr_counters2_new(values[GLOBAL], 1),
		.meta = ifr_counters2_new(values[META], 1),
	};
	return tournament;
}

static void destroy_tournament(void *state) {
	struct tournament *tournament = state;
	free(tournament->bimodal);
	free(tournament->global);
	free(tournament->meta);
	free(tournament);
}

static inline uint8_t *global_of(struct tournament *t, uint64_t pc) {
	const uint64_t history = t->history << t->shift;
	const uint64_t below = (1ull << t->shift) - 1;
	return &t->global[t->beside ? history | (pc & below) : (pc ^ history) & t->global_mask];
}

static inline bool predict_tournament(void *state, const struct ifr_branch_instance *branch) {
	struct tournament *t = state;
	const bool global = t->meta[branch->pc & t->meta_mask] >> 1;
	return (global ? *global_of(t, branch->pc) : t->bimodal[branch->pc & t->bimodal_mask]) >> 1;
}

static inline void train_tournament(void *state, const struct ifr_branch_instance *branch) {
	struct tournament *t = state;
	uint8_t *bimodal = &t->bimodal[branch->pc & t->bimodal_mask], *global = global_of(t, branch->pc);
	uint8_t *meta = &t->meta[branch->pc & t->meta_mask];
	/* The chooser is trained only where the two differ. */
	if (*bimodal >> 1 != *global >> 1)
		*meta = ifr_counter2(*meta, *global >> 1 == branch->taken);
	*bimodal = ifr_counter2(*bimodal, branch->taken);
	*global = ifr_counter2(*global, branch->taken);
}

static inline void track_tournament(void *state, const struct ifr_branch_instance *branch) {
	struct tournament *t = state;
	t->history = (t->history << 1 | branch->taken) & t->history_mask;
}

static uint64_t run_tournament(void *state, const struct ifr_branches *branches,
                               const struct ifr_branch_layout *layout) {
	/* A local copy can stay in registers: for all the compiler knows, a store to a counter could change *state. */
	struct tournament local = *(struct tournament *)state;
	const uint64_t misses = ifr_predictor_loop(&local, branches, layout, IFR_STREAM_CONDITIONAL,
	                                           predict_tournament, train_tournament, track_tournament);
	*(struct tournament *)state = local;
	return misses;
}

const struct ifr_predictor ifr_predictor_tournament = {
	.name = "tournament",
	.about = "bimodal and global, and which to believe (McFarling 1993)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_tournament,
	.destroy = destroy_tournament,
	.predict = predict_tournament,
	.train = train_tournament,
	.track = track_tournament,
	.run = run_tournament,
	.refuse = refuse_tournament,
	.resize = resize_tournament,
};
