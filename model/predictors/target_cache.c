/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target cache: targets indexed by address xor a history of targets. Entries have no tags.
 * Ref: Chang, Hao and Patt 1997, "Target prediction for indirect jumps", section 3: a tagless target cache of 512
 * entries with the path history of indirect branches. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct target_cache {
	uint64_t history, mask, history_mask;
	uint64_t *targets;
	unsigned bits;
};

enum { ENTRIES, HISTORY, BITS };

static const struct ifr_parameter parameters[] = {
	{"entries", 512, 1, 1u << 20, "targets, a power of two (Chang, Hao and Patt 1997: 512)"},
	{"history", 9, 0, 32, "bits of path history"},
	{"bits", 3, 1, 8, "low bits of each target that enter the history, above the lowest two"},
	{0},
};

static const char *refuse_target_cache(const unsigned *values) {
	return ifr_is_power(values[ENTRIES]) ? NULL : "entries is not a power of two";
}

static void *create_target_cache(const unsigned *values) {
	struct target_cache *cache = ifr_alloc(sizeof *cache);
	cache->mask = values[ENTRIES] - 1;
	cache->history_mask = (1ull << values[HISTORY]) - 1;
	cache->bits = values[BITS];
	cache->targets = ifr_alloc(values[ENTRIES] * sizeof *cache->targets);
	return cache;
}

static void destroy_target_cache(void *state) {
	free(((struct target_cache *)state)->targets);
	free(state);
}

static uint64_t *target_of(struct target_cache *cache, uint64_t pc) {
	return &cache->targets[(pc ^ cache->history) & cache->mask];
}

static uint64_t predict_target_cache(void *state, const struct ifr_branch_instance *branch) {
	return *target_of(state, branch->pc);
}

static void train_target_cache(void *state, const struct ifr_branch_instance *branch) {
	*target_of(state, branch->pc) = branch->target;
}

static void track_target_cache(void *state, const struct ifr_branch_instance *branch) {
	struct target_cache *cache = state;
	const uint64_t target = branch->target >> 2 & ((1ull << cache->bits) - 1);
	cache->history = (cache->history << cache->bits ^ target) & cache->history_mask;
}

static uint64_t run_target_cache(void *state, const struct ifr_branches *branches,
                                 const struct ifr_branch_layout *layout) {
	return ifr_target_loop(state, branches, layout, predict_target_cache, train_target_cache, track_target_cache);
}

const struct ifr_target_predictor ifr_target_predictor_cache = {
	.name = "target-cache",
	.about = "by address and the path of indirect branches (Chang, Hao and Patt 1997)",
	.parameters = parameters,
	.stream = IFR_STREAM_INDIRECT,
	.create = create_target_cache,
	.destroy = destroy_target_cache,
	.predict = predict_target_cache,
	.train = train_target_cache,
	.track = track_target_cache,
	.run = run_target_cache,
	.refuse = refuse_target_cache,
};
