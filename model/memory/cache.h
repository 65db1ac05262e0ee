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

#define IFR_PLRU_WAYS 64

enum ifr_policy { IFR_POLICY_LRU, IFR_POLICY_PLRU };

struct ifr_cache_shape {
	unsigned sets;        /* a power of two; 0: there is no such structure */
	unsigned ways;        /* 1 to 65536; for PLRU a power of two, at most IFR_PLRU_WAYS */
	unsigned index_shift; /* the set is the key's bits from this one on */
	enum ifr_policy policy;
};

struct ifr_cache {
	struct ifr_cache_shape shape;
	uint64_t *keys; /* by set and way; of a large LRU in the order of their touches, the last one first */
	/* Of all others, by set and way: when it was touched last, by a clock of touches. A victim is found by these:
	 * LRU's is the oldest, and a node of a tree points away from the half that was touched later. */
	uint64_t *times;
	uint64_t clock;
	/* By key's low bits: where such a key was seen last. Most hits are found there, without a search. */
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

/* Which way the policy gives up, of a full set whose ways were touched at these times. */
unsigned ifr_cache_victim(enum ifr_policy policy, const uint64_t *times, unsigned ways);

/* Where hints are kept, for a key that is not where its hint says. */
bool ifr_cache_search(struct ifr_cache *cache, uint64_t key);

static inline size_t ifr_cache_set(const struct ifr_cache_shape *shape, uint64_t key) {
	return (key >> shape->index_shift) & (shape->sets - 1);
}

/* True if key (not IFR_CACHE_EMPTY) was there; it is afterwards, as the one used last. */
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
