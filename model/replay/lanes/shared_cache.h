/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An LRU cache of up to 64 lanes that mostly touch the same keys: an outer level (L2, L3, STLB) for lanes of one data
 * group. L1D is shared in model/replay/data.c.
 *
 * Problem: what a data group touches is the same in all its lanes; the lines of code that a lane fetches are its
 * own. A cache for each lane repeats the same work, and its sets are far apart in memory.
 * Idea: lanes whose set holds the same keys in the same order share one set. A lane that touches a set alone gets
 * a private copy of it, and returns to the shared set when both are equal again, most often when the line it
 * fetched has been evicted.
 * Invariant: a lane outside private[set] has exactly the contents of the shared set; a lane inside has its own.
 * Every touch by all lanes reaches the shared set, a touch by some lanes reaches it only if these are all lanes
 * that share it; LRU has no state but the order of keys, so equal sets stay equal under equal touches.
 * Gain: returning to the shared set alone is 1.05 (lua) and 1.07 (bzip2) of the speed of whole replays of 16
 * layouts, with gshare under AVX2; the whole: outer.c. */
#ifndef INTERFERO_MODEL_SHARED_CACHE_H
#define INTERFERO_MODEL_SHARED_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "model/memory/cache.h"

#define IFR_SHARED_CACHE_LANES 64

struct ifr_shared_cache {
	struct ifr_cache_shape shape;
	uint64_t lanes;                                 /* lanes of the cache, as bits */
	uint64_t *private;                              /* by set: lanes with a private copy, as bits */
	uint64_t *keys;                                 /* by set: shared contents, most recent key first */
	uint64_t *private_keys[IFR_SHARED_CACHE_LANES]; /* by lane and set: private contents */
};

/* lanes_count: 1 to 64. */
void ifr_shared_cache_init(struct ifr_shared_cache *cache, struct ifr_cache_shape shape, size_t lanes_count);
void ifr_shared_cache_release(struct ifr_shared_cache *cache);
/* Touches a key in some lanes (bits). Returns the lanes that missed; all of them if the cache has no sets. */
uint64_t ifr_shared_cache_touch(struct ifr_shared_cache *cache, uint64_t key, uint64_t lanes);

#endif
