/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory/cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

static uint64_t *empty_keys(size_t count) {
	uint64_t *keys = ifr_realloc(NULL, count ? count : 1, sizeof *keys);
	memset(keys, 0xff, count * sizeof *keys);
	return keys;
}

/* A touch lets every node on the way to the leaf point to the other half. */
static void plant_tree(struct ifr_cache *cache) {
	const unsigned sets = cache->shape.sets, ways = cache->shape.ways;
	cache->lasts = empty_keys(sets);
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
	*cache = (struct ifr_cache){.shape = shape, .keys = empty_keys((size_t)shape.sets * shape.ways)};
	if (shape.policy == IFR_POLICY_PLRU)
		plant_tree(cache);
}

void ifr_cache_release(struct ifr_cache *cache) {
	free(cache->keys);
	free(cache->lasts);
	free(cache->trees);
	free(cache->paths);
	free(cache->away);
	*cache = (struct ifr_cache){0};
}

bool ifr_cache_touch_lru(uint64_t *keys, unsigned ways, uint64_t key) {
	unsigned way = 0;
	while (way < ways - 1 && keys[way] != key)
		way++;
	const bool hit = keys[way] == key;
	/* Empty ways are the last in the order: they are filled first. */
	memmove(keys + 1, keys, way * sizeof *keys);
	keys[0] = key;
	return hit;
}

static unsigned victim_of(uint64_t tree, unsigned ways) {
	unsigned node = 1;
	while (node < ways)
		node = 2 * node + (tree >> node & 1);
	return node - ways;
}

bool ifr_cache_touch_plru(struct ifr_cache *cache, size_t set, uint64_t key) {
	const unsigned ways = cache->shape.ways;
	uint64_t *keys = cache->keys + set * ways, *tree = &cache->trees[set];
	unsigned way = 0;
	while (way < ways && keys[way] != key && keys[way] != IFR_CACHE_EMPTY)
		way++;
	const bool hit = way < ways && keys[way] == key;
	if (way == ways)
		way = victim_of(*tree, ways);
	keys[way] = cache->lasts[set] = key;
	*tree = (*tree & ~cache->paths[way]) | cache->away[way];
	return hit;
}
