/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory/cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* More are of little use, and many lanes of large caches would fill the memory. */
#define HINTS_MOST 4096

static uint64_t *empty_keys(size_t count) {
	uint64_t *keys = ifr_realloc(NULL, count ? count : 1, sizeof *keys);
	memset(keys, 0xff, (count ? count : 1) * sizeof *keys);
	return keys;
}

static size_t hints_for(size_t lines) {
	size_t hints = 1;
	while (hints < 8 * lines && hints < HINTS_MOST)
		hints *= 2;
	return hints;
}

/* Hints for few of the lines would send most touches searching. A search in order of touches is the shorter one.
 */
static bool is_large_lru(struct ifr_cache_shape shape) {
	return shape.policy == IFR_POLICY_LRU && (size_t)shape.sets * shape.ways > HINTS_MOST;
}

void ifr_cache_init(struct ifr_cache *cache, struct ifr_cache_shape shape) {
	const size_t lines = (size_t)shape.sets * shape.ways;
	*cache = (struct ifr_cache){.shape = shape, .keys = empty_keys(lines)};
	if (is_large_lru(shape))
		return;
	cache->times = ifr_alloc((lines + 1) * sizeof *cache->times);
	cache->hints = ifr_alloc(hints_for(lines) * sizeof *cache->hints);
	cache->hint_mask = hints_for(lines) - 1;
}

void ifr_cache_release(struct ifr_cache *cache) {
	free(cache->keys);
	free(cache->times);
	free(cache->hints);
	*cache = (struct ifr_cache){0};
}

static unsigned oldest(const uint64_t *times, unsigned ways) {
	unsigned way = 0;
	for (unsigned i = 1; i < ways; i++)
		way = times[i] < times[way] ? i : way;
	return way;
}

/* Down the tree, at each node to the half that was not touched last. */
static unsigned pointed_at(const uint64_t *times, unsigned ways) {
	uint64_t last[2 * IFR_PLRU_WAYS]; /* by node, from 1 at the root: when it was touched last */
	unsigned node = 1;
	memcpy(last + ways, times, ways * sizeof *times);
	for (unsigned i = ways - 1; i; i--)
		last[i] = last[2 * i] > last[2 * i + 1] ? last[2 * i] : last[2 * i + 1];
	while (node < ways)
		node = 2 * node + (last[2 * node] > last[2 * node + 1]);
	return node - ways;
}

unsigned ifr_cache_victim(enum ifr_policy policy, const uint64_t *times, unsigned ways) {
	return policy == IFR_POLICY_LRU ? oldest(times, ways) : pointed_at(times, ways);
}

/* Where the key is, or else where it goes. */
static unsigned way_of(const struct ifr_cache *cache, size_t first, uint64_t key) {
	const unsigned ways = cache->shape.ways;
	for (unsigned way = 0; way < ways; way++)
		if (cache->keys[first + way] == key || cache->keys[first + way] == IFR_CACHE_EMPTY)
			return way;
	return ifr_cache_victim(cache->shape.policy, cache->times + first, ways);
}

bool ifr_cache_search(struct ifr_cache *cache, uint64_t key) {
	const size_t first = ifr_cache_set(&cache->shape, key) * cache->shape.ways;
	const size_t at = first + way_of(cache, first, key);
	const bool hit = cache->keys[at] == key;
	cache->hints[key & cache->hint_mask] = (uint16_t)at;
	cache->keys[at] = key;
	cache->times[at] = ++cache->clock;
	return hit;
}
