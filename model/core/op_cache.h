/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The op cache: lines of decoded instructions, in the set of their window, by a key. The least recently used goes, or,
 * by the policy nru, one at random of those that were not used since all others of its set were. */
#ifndef IFR_MODEL_CORE_OP_CACHE_H
#define IFR_MODEL_CORE_OP_CACHE_H

#include <stdlib.h>

#include "model/core/parameters.h"
#include "model/memory/cache.h"

struct ifr_op_cache_line {
	uint64_t key, used; /* used: number of its last use; by nru: whether it was used lately; 0: empty */
};

struct ifr_op_cache {
	struct ifr_op_cache_line *lines; /* by set */
	uint64_t uses, draws;            /* draws: the last random number */
	unsigned sets, ways;             /* both 0: there is none, and so no line */
	bool nru;
};

static inline void ifr_op_cache_init(struct ifr_op_cache *cache, const struct ifr_core *core) {
	*cache = (struct ifr_op_cache){
		.sets = core->cache_sets, .ways = core->cache_sets ? core->cache_ways : 0, .nru = core->cache_nru};
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

/* Notes a use of a line of a set. */
static inline void ifr_op_cache_touch(struct ifr_op_cache *cache, uint32_t set, struct ifr_op_cache_line *line) {
	line->used = ++cache->uses;
	if (!cache->nru)
		return;
	struct ifr_op_cache_line *lines = &cache->lines[set];
	for (unsigned i = 0; i < cache->ways; i++)
		if (!lines[i].used)
			return;
	for (unsigned i = 0; i < cache->ways; i++)
		lines[i].used = &lines[i] == line;
}

/* Uses a line that may be there. Returns whether it is. */
static inline bool ifr_op_cache_use(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	const uint32_t set = ifr_op_cache_set(cache, window);
	struct ifr_op_cache_line *line = ifr_op_cache_find(cache, set, key);
	if (line)
		ifr_op_cache_touch(cache, set, line);
	return line;
}

/* Returns one of a set's lines that were not used lately (the only line of a set always was), by a generator's next
 * number (Knuth 1997, The Art of Computer Programming, volume 2, section 3.3.4, line 26: of MMIX). */
static inline struct ifr_op_cache_line *ifr_op_cache_draw(struct ifr_op_cache *cache, uint32_t set) {
	struct ifr_op_cache_line *line = &cache->lines[set];
	unsigned unused = 0;
	for (unsigned i = 0; i < cache->ways; i++)
		unused += !line[i].used;
	if (!unused)
		return line;
	cache->draws = cache->draws * 6364136223846793005u + 1442695040888963407u;
	for (unsigned left = (unsigned)((cache->draws >> 33) % unused); line->used || left--;)
		line++;
	return line;
}

/* Returns the line of a set that was used the longest ago. */
static inline struct ifr_op_cache_line *ifr_op_cache_oldest(struct ifr_op_cache *cache, uint32_t set) {
	struct ifr_op_cache_line *oldest = &cache->lines[set];
	for (unsigned i = 1; i < cache->ways; i++)
		if (cache->lines[set + i].used < oldest->used)
			oldest = &cache->lines[set + i];
	return oldest;
}

/* Puts a line in, in place of the one that goes. */
static inline void ifr_op_cache_fill(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	if (!cache->sets || ifr_op_cache_use(cache, window, key))
		return;
	const uint32_t set = ifr_op_cache_set(cache, window);
	struct ifr_op_cache_line *line = cache->nru ? ifr_op_cache_draw(cache, set) : ifr_op_cache_oldest(cache, set);
	line->key = key;
	ifr_op_cache_touch(cache, set, line);
}

/* Takes a line out, if it is there. */
static inline void ifr_op_cache_drop(struct ifr_op_cache *cache, uint64_t window, uint64_t key) {
	struct ifr_op_cache_line *line = ifr_op_cache_find(cache, ifr_op_cache_set(cache, window), key);
	if (line)
		*line = (struct ifr_op_cache_line){.key = IFR_CACHE_EMPTY};
}

#endif
