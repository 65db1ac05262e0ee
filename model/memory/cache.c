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

void ifr_cache_init(struct ifr_cache *cache, struct ifr_cache_shape shape) {
	const size_t count = (size_t)shape.sets * shape.ways;
	size_t hints = 1;
	while (hints < 2 * count && hints < HINTS_MOST)
		hints *= 2;
	*cache = (struct ifr_cache){.shape = shape, .keys = empty_keys(count), .lasts = empty_keys(shape.sets)};
	cache->hints = ifr_alloc(hints * sizeof *cache->hints);
	cache->hint_mask = hints - 1;
	if (shape.policy == IFR_POLICY_PLRU)
		plant_tree(cache);
	else
		cache->stamps = ifr_alloc((count + 1) * sizeof *cache->stamps);
}

void ifr_cache_release(struct ifr_cache *cache) {
	free(cache->keys);
	free(cache->lasts);
	free(cache->hints);
	free(cache->stamps);
	free(cache->trees);
	free(cache->paths);
	free(cache->away);
	*cache = (struct ifr_cache){0};
}

/* The way that was touched longest ago; an empty one was never. */
static unsigned oldest(const uint64_t *stamps, unsigned ways) {
	unsigned way = 0;
	for (unsigned i = 1; i < ways; i++)
		way = stamps[i] < stamps[way] ? i : way;
	return way;
}

static unsigned pointed_at(uint64_t tree, unsigned ways) {
	unsigned node = 1;
	while (node < ways)
		node = 2 * node + (tree >> node & 1);
	return node - ways;
}

static unsigned victim_of(const struct ifr_cache *cache, size_t set) {
	const unsigned ways = cache->shape.ways;
	if (cache->shape.policy == IFR_POLICY_LRU)
		return oldest(cache->stamps + set * ways, ways);
	for (unsigned way = 0; way < ways; way++)
		if (cache->keys[set * ways + way] == IFR_CACHE_EMPTY)
			return way;
	return pointed_at(cache->trees[set], ways);
}

bool ifr_cache_search(struct ifr_cache *cache, size_t set, uint64_t key) {
	const unsigned ways = cache->shape.ways;
	uint64_t *keys = cache->keys + set * ways;
	unsigned way = 0;
	while (way < ways && keys[way] != key)
		way++;
	const bool hit = way < ways;
	if (!hit)
		way = victim_of(cache, set);
	keys[way] = cache->lasts[set] = key;
	cache->hints[key & cache->hint_mask] = (uint16_t)way;
	ifr_cache_use(cache, set, way);
	return hit;
}
