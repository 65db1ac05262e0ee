/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory/cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void ifr_cache_init(struct ifr_cache *cache, struct ifr_cache_shape shape) {
	const size_t count = (size_t)shape.sets * shape.ways;
	cache->shape = shape;
	cache->keys = ifr_realloc(NULL, count ? count : 1, sizeof *cache->keys);
	memset(cache->keys, 0xff, count * sizeof *cache->keys);
	cache->trees = shape.policy == IFR_POLICY_PLRU ? ifr_alloc((shape.sets + 1) * sizeof *cache->trees) : NULL;
}

void ifr_cache_release(struct ifr_cache *cache) {
	free(cache->keys);
	free(cache->trees);
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

/* Every node on the way to the leaf points to the other half. */
static void point_away(uint64_t *tree, unsigned ways, unsigned way) {
	unsigned node = 1;
	for (unsigned half = ways / 2; half; half /= 2) {
		const bool upper = way & half;
		*tree = upper ? *tree & ~(1ull << node) : *tree | 1ull << node;
		node = 2 * node + upper;
	}
}

static unsigned victim_of(uint64_t tree, unsigned ways) {
	unsigned node = 1;
	while (node < ways)
		node = 2 * node + (tree >> node & 1);
	return node - ways;
}

bool ifr_cache_touch_plru(uint64_t *keys, unsigned ways, uint64_t *tree, uint64_t key) {
	unsigned way = 0;
	while (way < ways && keys[way] != key && keys[way] != IFR_CACHE_EMPTY)
		way++;
	const bool hit = way < ways && keys[way] == key;
	if (way == ways)
		way = victim_of(*tree, ways);
	keys[way] = key;
	point_away(tree, ways, way);
	return hit;
}
