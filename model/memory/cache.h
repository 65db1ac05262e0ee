/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set-associative memory of keys: caches hold line numbers, TLBs page numbers, BTBs the addresses of branches.
 *
 * Keys are whole: nothing aliases. A key is looked for and, when it is absent, put in the place of a victim: the
 * first empty way, then what the policy names. LRU is exact. PLRU is the tree of ways - 1 bits that each point
 * away from the half used last. Ref: Smith 1982, "Cache memories", section 2.2 (LRU by set); Al-Zoubi, Milenković
 * and Milenković 2004, "Performance evaluation of cache replacement policies for the SPEC CPU2000 benchmark
 * suite", section 2 (PLRUt). */
#ifndef INTERFERO_MODEL_CACHE_H
#define INTERFERO_MODEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ifr_policy { IFR_POLICY_LRU, IFR_POLICY_PLRU };

struct ifr_cache_shape {
	unsigned sets;        /* a power of two; 0: there is no such structure */
	unsigned ways;        /* 1 to 65536; for PLRU a power of two, at most 64 */
	unsigned index_shift; /* the set is the key's bits from this one on */
	enum ifr_policy policy;
};

struct ifr_cache {
	struct ifr_cache_shape shape;
	/* By set, ways of each. LRU: in the order of their touches, the last one first. */
	uint64_t *keys;
	/* PLRU, by set: the key touched last, which changes nothing when it is touched again; and the tree: bit n is
	 * node n, from 1 at the root, and 1 points to the upper half. By way: the bits on its path, and those of them
	 * that are 1 after a touch. */
	uint64_t *lasts, *trees, *paths, *away;
	/* By key's low bits: the way where such a key was seen last. Most hits are found there, without a search. */
	uint16_t *hints;
	uint64_t hint_mask;
};

#define IFR_CACHE_EMPTY UINT64_MAX

void ifr_cache_init(struct ifr_cache *cache, struct ifr_cache_shape shape);
void ifr_cache_release(struct ifr_cache *cache);

/* Puts key (not IFR_CACHE_EMPTY) first in a set of LRU; what has no place any more is forgotten. True if it was
 * there. */
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

/* The same for a set of PLRU, when the key is not the last. */
bool ifr_cache_search(struct ifr_cache *cache, size_t set, uint64_t key);

static inline size_t ifr_cache_set(const struct ifr_cache_shape *shape, uint64_t key) {
	return (key >> shape->index_shift) & (shape->sets - 1);
}

/* True if key (not IFR_CACHE_EMPTY) was there; it is afterwards, as the one used last. */
static inline bool ifr_cache_touch(struct ifr_cache *cache, uint64_t key) {
	const struct ifr_cache_shape *shape = &cache->shape;
	const size_t set = ifr_cache_set(shape, key);
	if (shape->policy == IFR_POLICY_LRU)
		return ifr_recency_touch(cache->keys + set * shape->ways, shape->ways, key);
	return cache->lasts[set] == key || ifr_cache_search(cache, set, key);
}

#endif
