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

static inline unsigned oldest(const uint64_t *times, unsigned ways) {
	unsigned way = 0;
	for (unsigned i = 1; i < ways; i++)
		way = times[i] < times[way] ? i : way;
	return way;
}

/* Down the tree, at each node to the half that was not touched last. */
static inline unsigned pointed_at(const uint64_t *times, unsigned ways) {
	unsigned first = 0;
	for (unsigned half = ways / 2; half; half /= 2) {
		uint64_t low = 0, high = 0;
		for (unsigned i = first; i < first + half; i++) {
			low = times[i] > low ? times[i] : low;
			high = times[i + half] > high ? times[i + half] : high;
		}
		first += low > high ? half : 0;
	}
	return first;
}

static inline unsigned victim_of(enum ifr_policy policy, const uint64_t *times, unsigned ways) {
	return policy == IFR_POLICY_LRU ? oldest(times, ways) : pointed_at(times, ways);
}

unsigned ifr_cache_victim(enum ifr_policy policy, const uint64_t *times, unsigned ways) {
	return victim_of(policy, times, ways);
}

/* Where in a set the key is, or else where it goes: ways are filled upwards. Without a branch for each way, for
 * where it is cannot be foreseen. */
static inline __attribute__((always_inline)) unsigned way_of(const uint64_t *keys, const uint64_t *times,
                                                             uint64_t key, enum ifr_policy policy, unsigned ways) {
	unsigned found = ways;
	for (unsigned way = 0; way < ways; way++)
		found = keys[way] == key ? way : found;
	if (found < ways)
		return found;
	if (__builtin_expect(keys[ways - 1] != IFR_CACHE_EMPTY, 1))
		return victim_of(policy, times, ways);
	for (found = 0; keys[found] != IFR_CACHE_EMPTY;)
		found++;
	return found;
}

/* The compiler is told of the usual numbers of ways. */
static unsigned search(const uint64_t *keys, const uint64_t *times, uint64_t key, enum ifr_policy policy,
                       unsigned ways) {
	if (ways == 4)
		return way_of(keys, times, key, policy, 4);
	return ways == 8 ? way_of(keys, times, key, policy, 8) : way_of(keys, times, key, policy, ways);
}

bool ifr_cache_search(struct ifr_cache *cache, uint64_t key) {
	const struct ifr_cache_shape shape = cache->shape;
	const size_t first = ifr_cache_set(&shape, key) * shape.ways;
	const size_t at = first + search(cache->keys + first, cache->times + first, key, shape.policy, shape.ways);
	const bool hit = cache->keys[at] == key;
	cache->hints[key & cache->hint_mask] = (uint16_t)at;
	cache->keys[at] = key;
	cache->times[at] = ++cache->clock;
	return hit;
}
