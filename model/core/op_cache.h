/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The op cache: lines of decoded instructions, in the set of their window, by a key; the least recently used goes. */
#ifndef IFR_MODEL_CORE_OP_CACHE_H
#define IFR_MODEL_CORE_OP_CACHE_H

#include <stdlib.h>

#include "model/core/parameters.h"
#include "model/memory/cache.h"

struct ifr_op_cache_line {
	uint64_t key, used; /* used: number of its last use; 0: empty */
};

struct ifr_op_cache {
	struct ifr_op_cache_line *lines; /* by set */
	uint64_t uses;
	unsigned sets, ways; /* both 0: there is none, and so no line */
};

static inline void ifr_op_cache_init(struct ifr_op_cache *cache, const struct ifr_core *core) {
	*cache = (struct ifr_op_cache){.sets = core->cache_sets, .ways = core->cache_sets ? core->cache_ways : 0};
	cache->lines = ifr_alloc((size_t)cache->sets * cache->ways * sizeof *cache->lines + 1);
	for (size_t i = 0; i < (size_t)cache->sets * cache->ways; i++)
		cache->lines[i].key = IFR_CACHE_EMPTY;
}

/* The number of a set's first line. */
static inline uint32_t ifr_op_cache_set(const struct ifr_op_cache *cache, uint64_t window) {
	return (uint32_t)(window & (cache->sets - 1)) * cache->ways;
}

/* Returns a line of a set; NULL if it is not there. */
static inline struct ifr_op_cache_line *ifr_op_cache_find(const struct ifr_op_cache *cache, uint32_t set,
                                                          uint64_t key) {
	for (unsigned i = 0; i < cache->ways; i++)
		if (cache->lines[set + i].key == key)
			return &cache->lines[set + i];
	return NULL;
}

/* Uses a line that may be there. Returns whether it is. */
static inline bool ifr_op_cache_use(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	struct ifr_op_cache_line *line = ifr_op_cache_find(cache, ifr_op_cache_set(cache, window), key);
	if (line)
		line->used = ++cache->uses;
	return line;
}

/* Puts a line in, in place of the one whose last use is longest ago. */
static inline void ifr_op_cache_fill(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	if (!cache->sets || ifr_op_cache_use(cache, window, key))
		return;
	struct ifr_op_cache_line *set = &cache->lines[ifr_op_cache_set(cache, window)], *oldest = set;
	for (unsigned i = 1; i < cache->ways; i++)
		if (set[i].used < oldest->used)
			oldest = &set[i];
	*oldest = (struct ifr_op_cache_line){key, ++cache->uses};
}

/* Takes a line out, if it is there. */
static inline void ifr_op_cache_drop(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	struct ifr_op_cache_line *line = ifr_op_cache_find(cache, ifr_op_cache_set(cache, window), key);
	if (line)
		*line = (struct ifr_op_cache_line){.key = IFR_CACHE_EMPTY};
}

#endif
