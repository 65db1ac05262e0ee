/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The op cache: lines of decoded instructions, in the set of their window, by a key; the least recently used goes. */
#ifndef IFR_MODEL_CORE_OP_CACHE_H
#define IFR_MODEL_CORE_OP_CACHE_H

#include <stdlib.h>

#include "model/core/parameters.h"
#include "model/memory/cache.h"

struct ifr_op_cache {
	uint64_t *keys; /* by set, most recent first */
	unsigned sets, ways;
};

static inline void ifr_op_cache_init(struct ifr_op_cache *cache, const struct ifr_core *core) {
	*cache = (struct ifr_op_cache){.sets = core->cache_sets, .ways = core->cache_ways};
	cache->keys = ifr_alloc((size_t)cache->sets * cache->ways * sizeof *cache->keys + 1);
	for (size_t i = 0; i < (size_t)cache->sets * cache->ways; i++)
		cache->keys[i] = IFR_CACHE_EMPTY;
}

static inline uint64_t *ifr_op_cache_set(const struct ifr_op_cache *cache, uint64_t window) {
	return cache->keys + (window & (cache->sets - 1)) * cache->ways;
}

/* Uses a line that may be there. Returns whether it is. */
static inline bool ifr_op_cache_use(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	if (!cache->sets)
		return false;
	const uint64_t *keys = ifr_op_cache_set(cache, window);
	for (unsigned i = 0; i < cache->ways; i++)
		if (keys[i] == key) {
			if (i)
				ifr_recency_touch(ifr_op_cache_set(cache, window), cache->ways, key);
			return true;
		}
	return false;
}

/* Puts a line in. */
static inline void ifr_op_cache_fill(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	if (cache->sets)
		ifr_recency_touch(ifr_op_cache_set(cache, window), cache->ways, key);
}

/* Takes a line out, if it is there. */
static inline void ifr_op_cache_drop(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	if (!ifr_op_cache_use(cache, window, key))
		return;
	uint64_t *keys = ifr_op_cache_set(cache, window);
	for (unsigned i = 1; i < cache->ways; i++)
		keys[i - 1] = keys[i];
	keys[cache->ways - 1] = IFR_CACHE_EMPTY;
}

#endif
