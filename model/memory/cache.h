/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set-associative cache of keys: line numbers of caches, page numbers of TLBs, branch addresses of BTBs.
 *
 * Keys are whole, so nothing aliases. A touch looks up a key and, if it misses, puts it into the first empty way
 * or in the place of a victim. LRU is exact. PLRU is the tree of ways - 1 bits that each point away from the half
 * used last.
 * Problem: most touches hit, and a search of the set costs more than the rest.
 * Idea: each way has the time of its last touch, and a table of hints remembers where a key was seen last; a hit
 * is a look at the hint and a store of the time. The replacement order is read off the times only at a miss.
 * Invariant: LRU's victim is the way with the oldest time; a node of the tree points away from the half with the
 * latest time, so the times determine all tree bits.
 * A way may be known by a hash of its key (a way predictor): then a set has no two keys of one hash, and one that
 * misses takes the place of the other. The hash is that of Zen: of 16 bits, from the lowest on, 0^15, 1^14, 2^13, 3^8,
 * 4^9, 5^10, 6^11 and 7^12. On a Zen 4 by the clock (2026; tests/bench/ways) loads in turn from two lines of a set take
 * 24 cycles where the hashes of their addresses' bits 12 to 27 are equal, and 4 where they are not. On a Zen 5 three
 * loads of each line in turn take 28 and 12, and 12 where a bit above differs, too.
 * Ref: Lipp, Hadžić, Schwarz, Perais, Maurice and Gruss 2020, "Take A Way: exploring the security implications of AMD's
 * cache way predictors", section 3 (way predictor).
 * Ref: Smith 1982, "Cache memories", section 2.2 (LRU by set); Al-Zoubi, Milenković and Milenković 2004,
 * "Performance evaluation of cache replacement policies for the SPEC CPU2000 benchmark suite", section 2 (PLRUt).
 */
#ifndef INTERFERO_MODEL_CACHE_H
#define INTERFERO_MODEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IFR_PLRU_WAYS 64

enum ifr_policy { IFR_POLICY_LRU, IFR_POLICY_PLRU };

struct ifr_cache_shape {
	unsigned sets;        /* a power of two; 0: the machine has no such structure */
	unsigned ways;        /* 1 to 65536; for PLRU a power of two, at most IFR_PLRU_WAYS */
	unsigned index_shift; /* lowest bit of the key that chooses the set */
	enum ifr_policy policy;
	unsigned hash_bit; /* lowest of 16 bits of the key by whose hash a way is known; 0: by the whole key */
	bool hash_high;    /* by these, and by all bits above */
};

struct ifr_cache {
	struct ifr_cache_shape shape;
	uint64_t *keys; /* by set and way; in a large LRU cache by set and order of use, most recent first */
	/* By set and way, but for large LRU caches: time of the last touch, by a clock of touches. */
	uint64_t *times;
	uint64_t clock;
	/* By low bits of a key: where such a key was seen last. NULL in a large LRU cache. */
	uint16_t *hints;
	uint64_t hint_mask;
};

#define IFR_CACHE_EMPTY UINT64_MAX

void ifr_cache_init(struct ifr_cache *cache, struct ifr_cache_shape shape);
void ifr_cache_release(struct ifr_cache *cache);

/* Moves a key (not IFR_CACHE_EMPTY) to the front of an LRU set; the last key is evicted on a miss. Returns true on
 * a hit. */
static inline bool ifr_recency_touch(uint64_t *keys, unsigned ways, uint64_t key) {
	uint64_t carried = key;
	for (unsigned way = 0; way < ways; way++) {
		const uint64_t was = keys[way];
		keys[way] = carried;
		if (was == key)
			return true;
		carried = was;
	}
	return false;
}

/* Returns the policy's victim of a full set whose ways were touched at these times. */
unsigned ifr_cache_victim(enum ifr_policy policy, const uint64_t *times, unsigned ways);

/* Touches a key that is not where its hint says; for caches with hints. */
bool ifr_cache_search(struct ifr_cache *cache, uint64_t key);

static inline size_t ifr_cache_set(const struct ifr_cache_shape *shape, uint64_t key) {
	return (key >> shape->index_shift) & (shape->sets - 1);
}

/* Touches a key (not IFR_CACHE_EMPTY), which is the most recent one afterwards. Returns true on a hit. */
static inline bool ifr_cache_touch(struct ifr_cache *cache, uint64_t key) {
	const struct ifr_cache_shape *shape = &cache->shape;
	if (!cache->hints)
		return ifr_recency_touch(cache->keys + ifr_cache_set(shape, key) * shape->ways, shape->ways, key);
	const size_t at = cache->hints[key & cache->hint_mask];
	if (cache->keys[at] != key)
		return ifr_cache_search(cache, key);
	cache->times[at] = ++cache->clock;
	return true;
}

#endif
