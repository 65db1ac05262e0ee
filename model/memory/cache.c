/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory/cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* More are of little use, and many lanes of large caches would fill the memory. */
#define HINTS_MOST 4096

static uint64_t *empty_keys(size_t count) {
	uint64_t *keys = ifr_realloc(NULL, count ? count : 1, sizeof *keys);
	memset(keys, 0xff, count * sizeof *keys);
	return keys;
}

/* A touch lets every node on the way to the leaf point to the other half. */
static void plant_tree(struct ifr_cache *cache) {
	const unsigned sets = cache->shape.sets, ways = cache->shape.ways;
	cache->trees = ifr_alloc((sets + 1) * sizeof *cache->trees);
	cache->paths = ifr_alloc((ways + 1) * sizeof *cache->paths);
	cache->away = ifr_alloc((ways + 1) * sizeof *cache->away);
	for (unsigned way = 0; way < ways; way++)
		for (unsigned node = ways + way; node > 1; node /= 2) {
			cache->paths[way] |= 1ull << node / 2;
			cache->away[way] |= node & 1 ? 0 : 1ull << node / 2;
		}
}

static void plant_hints(struct ifr_cache *cache) {
	const size_t count = (size_t)cache->shape.sets * cache->shape.ways;
	size_t hints = 1;
	while (hints < 2 * count && hints < HINTS_MOST)
		hints *= 2;
	cache->hints = ifr_alloc(hints * sizeof *cache->hints);
	cache->hint_mask = hints - 1;
}

void ifr_cache_init(struct ifr_cache *cache, struct ifr_cache_shape shape) {
	*cache = (struct ifr_cache){.shape = shape, .keys = empty_keys((size_t)shape.sets * shape.ways)};
	if (shape.policy == IFR_POLICY_LRU)
		return;
	cache->lasts = empty_keys(shape.sets);
	plant_hints(cache);
	plant_tree(cache);
}

void ifr_cache_release(struct ifr_cache *cache) {
	free(cache->keys);
	free(cache->lasts);
	free(cache->hints);
	free(cache->trees);
	free(cache->paths);
	free(cache->away);
	*cache = (struct ifr_cache){0};
}

static unsigned pointed_at(uint64_t tree, unsigned ways) {
	unsigned node = 1;
	while (node < ways)
		node = 2 * node + (tree >> node & 1);
	return node - ways;
}

/* Where the key is, or else where it goes. */
static unsigned way_of(const struct ifr_cache *cache, size_t set, uint64_t key) {
	const unsigned ways = cache->shape.ways;
	const uint64_t *keys = cache->keys + set * ways;
	for (unsigned way = 0; way < ways; way++)
		if (keys[way] == key || keys[way] == IFR_CACHE_EMPTY)
			return way;
	return pointed_at(cache->trees[set], ways);
}

bool ifr_cache_search(struct ifr_cache *cache, size_t set, uint64_t key) {
	uint64_t *keys = cache->keys + set * cache->shape.ways;
	uint16_t *hint = &cache->hints[key & cache->hint_mask];
	if (keys[*hint] != key)
		*hint = (uint16_t)way_of(cache, set, key);
	const bool hit = keys[*hint] == key;
	keys[*hint] = cache->lasts[set] = key;
	cache->trees[set] = (cache->trees[set] & ~cache->paths[*hint]) | cache->away[*hint];
	return hit;
}
