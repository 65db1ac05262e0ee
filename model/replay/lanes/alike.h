/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cache (LRU) of up to 64 lanes that mostly touch the same keys: lanes of a data group, behind their first
 * levels.
 *
 * Lanes whose set holds the same keys in the same order share that set, and a touch by all of them is one. Where
 * one touches alone, say a line of its own code, it gets a copy of the set. It gives that back when the two are
 * alike again: most often when the line is forgotten. */
#ifndef INTERFERO_MODEL_ALIKE_H
#define INTERFERO_MODEL_ALIKE_H

#include <stddef.h>
#include <stdint.h>

#include "model/memory/cache.h"

#define IFR_ALIKE_LANES 64

struct ifr_alike {
	struct ifr_cache_shape shape;
	uint64_t lanes;                 /* that there are, as bits */
	uint64_t *apart;                /* by set: lanes with a copy of their own, as bits */
	uint64_t *keys;                 /* by set, as in struct ifr_cache */
	uint64_t *own[IFR_ALIKE_LANES]; /* the same by lane, of sets apart */
};

/* lanes_count: 1 to 64. */
void ifr_alike_init(struct ifr_alike *alike, struct ifr_cache_shape shape, size_t lanes_count);
void ifr_alike_release(struct ifr_alike *alike);
/* Touches a key in some lanes, as bits. Returns those that missed. A cache of no sets misses always. */
uint64_t ifr_alike_touch(struct ifr_alike *alike, uint64_t key, uint64_t lanes);

/* Gets what a touch of this key will look at. */
static inline void ifr_alike_prefetch(const struct ifr_alike *alike, uint64_t key) {
	if (!alike->shape.sets)
		return;
	const size_t set = ifr_cache_set(&alike->shape, key), ways = alike->shape.ways;
	__builtin_prefetch(&alike->apart[set]);
	for (size_t way = 0; way < ways; way += 8)
		__builtin_prefetch(&alike->keys[set * ways + way]);
}

#endif
