/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/lanes/shared_cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void ifr_shared_cache_init(struct ifr_shared_cache *cache, struct ifr_cache_shape shape, size_t lanes_count) {
	const size_t count = (size_t)shape.sets * shape.ways;
	*cache =
		(struct ifr_shared_cache){.shape = shape, .lanes = UINT64_MAX >> (IFR_SHARED_CACHE_LANES - lanes_count)};
	cache->private = ifr_alloc((shape.sets + 1) * sizeof *cache->private);
	cache->keys = ifr_alloc((count + 1) * sizeof *cache->keys);
	memset(cache->keys, 0xff, count * sizeof *cache->keys);
	/* Private sets lie in pages that are never touched, and take no memory, as long as no lane needs them. */
	for (size_t i = 0; i < lanes_count; i++)
		cache->private_keys[i] = ifr_alloc((count + 1) * sizeof *cache->private_keys[i]);
}

void ifr_shared_cache_release(struct ifr_shared_cache *cache) {
	for (size_t i = 0; i < IFR_SHARED_CACHE_LANES; i++)
		free(cache->private_keys[i]);
	free(cache->private);
	free(cache->keys);
}

static void make_private(struct ifr_shared_cache *cache, size_t set, uint64_t lanes) {
	const size_t ways = cache->shape.ways;
	cache->private[set] |= lanes;
	for (; lanes; lanes &= lanes - 1)
		memcpy(cache->private_keys[__builtin_ctzll(lanes)] + set * ways, cache->keys + set * ways,
		       ways * sizeof(uint64_t));
}

static uint64_t touch_private(struct ifr_shared_cache *cache, size_t set, uint64_t key, uint64_t lanes) {
	const unsigned ways = cache->shape.ways;
	const uint64_t *keys = cache->keys + set * ways;
	uint64_t missed = 0;
	for (; lanes; lanes &= lanes - 1) {
		const uint64_t lane = lanes & -lanes;
		uint64_t *private_keys = cache->private_keys[__builtin_ctzll(lanes)] + set * ways;
		missed |= ifr_recency_touch(private_keys, ways, key) ? 0 : lane;
		if (!memcmp(private_keys, keys, ways * sizeof *keys))
			cache->private[set] &= ~lane;
	}
	return missed;
}

/* If only some of the lanes that share a set touch it, the smaller part gets private sets. A touch by all lanes
 * also touches the shared set, even if all lanes have private ones, so that a private set can become equal to it
 * again. */
uint64_t ifr_shared_cache_touch(struct ifr_shared_cache *cache, uint64_t key, uint64_t lanes) {
	const unsigned ways = cache->shape.ways;
	if (!cache->shape.sets)
		return lanes;
	const size_t set = ifr_cache_set(&cache->shape, key);
	const uint64_t together = cache->lanes & ~cache->private[set], touching = together & lanes;
	uint64_t missed = 0;
	if (touching && touching != together)
		make_private(cache, set,
		             2 * __builtin_popcountll(touching) > __builtin_popcountll(together) ? together & ~lanes
		                                                                                 : touching);
	const uint64_t private_keys = lanes & cache->private[set];
	if ((touching & ~private_keys) || lanes == cache->lanes)
		missed = ifr_recency_touch(cache->keys + set * ways, ways, key) ? 0 : lanes & ~private_keys;
	return private_keys ? missed | touch_private(cache, set, key, private_keys) : missed;
}
