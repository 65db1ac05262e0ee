/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory/cache.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* More hints gain little, and many lanes of large caches would fill the memory. */
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

/* A large LRU cache keeps its sets in order of use instead: hints for few of its lines would miss most of the
 * time, and a search from the most recent key is short. */
static bool is_large_lru(struct ifr_cache_shape shape) {
	return shape.policy == IFR_POLICY_LRU && !shape.hash_bit && (size_t)shape.sets * shape.ways > HINTS_MOST;
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

static inline unsigned lru_victim(const uint64_t *times, unsigned ways) {
	unsigned way = 0;
	for (unsigned i = 1; i < ways; i++)
		way = times[i] < times[way] ? i : way;
	return way;
}

/* Follows the tree: at each node to the half that was not touched last. */
static inline unsigned plru_victim(const uint64_t *times, unsigned ways) {
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

static inline unsigned choose_victim(enum ifr_policy policy, const uint64_t *times, unsigned ways) {
	return policy == IFR_POLICY_LRU ? lru_victim(times, ways) : plru_victim(times, ways);
}

unsigned ifr_cache_victim(enum ifr_policy policy, const uint64_t *times, unsigned ways) {
	return choose_victim(policy, times, ways);
}

/* Returns the way that has the key, or else the way it goes to: the first empty one, or the victim. The search
 * does not jump at each way, as no processor could predict where the key is. */
static inline __attribute__((always_inline)) unsigned
find_way(const uint64_t *keys, const uint64_t *times, uint64_t key, enum ifr_policy policy, unsigned ways) {
	unsigned found = ways;
	for (unsigned way = 0; way < ways; way++)
		found = keys[way] == key ? way : found;
	if (found < ways)
		return found;
	if (__builtin_expect(keys[ways - 1] != IFR_CACHE_EMPTY, 1))
		return choose_victim(policy, times, ways);
	for (found = 0; keys[found] != IFR_CACHE_EMPTY;)
		found++;
	return found;
}

/* Constants for the usual numbers of ways, so that the compiler unrolls the search. */
static unsigned find_way_of_shape(const uint64_t *keys, const uint64_t *times, uint64_t key,
                                  enum ifr_policy policy, unsigned ways) {
	if (ways == 4)
		return find_way(keys, times, key, policy, 4);
	return ways == 8 ? find_way(keys, times, key, policy, 8) : find_way(keys, times, key, policy, ways);
}

static uint64_t hash_of(const struct ifr_cache_shape *shape, uint64_t key) {
	const unsigned bits = (unsigned)(key >> shape->hash_bit) & 0xffff;
	const uint64_t above = shape->hash_high ? key >> shape->hash_bit >> 16 << 8 : 0;
	/* 0 to 2 with 15 to 13, 3 to 7 with 8 to 12 */
	const unsigned outer = (bits >> 15 & 1) | (bits >> 13 & 2) | (bits >> 11 & 4), inner = bits >> 5 & 0xf8;
	return above | ((bits & 0xff) ^ outer ^ inner);
}

/* The way of a set that a key of the same hash has; else `otherwise`. */
static size_t find_hash(const struct ifr_cache_shape *shape, const uint64_t *keys, uint64_t key,
                        size_t otherwise) {
	for (unsigned way = 0; way < shape->ways; way++)
		if (keys[way] != IFR_CACHE_EMPTY && hash_of(shape, keys[way]) == hash_of(shape, key))
			return way;
	return otherwise;
}

bool ifr_cache_search(struct ifr_cache *cache, uint64_t key) {
	const struct ifr_cache_shape shape = cache->shape;
	const size_t first = ifr_cache_set(&shape, key) * shape.ways;
	size_t way = find_way_of_shape(cache->keys + first, cache->times + first, key, shape.policy, shape.ways);
	const bool hit = cache->keys[first + way] == key;
	if (!hit && shape.hash_bit)
		way = find_hash(&shape, cache->keys + first, key, way);
	const size_t at = first + way;
	cache->hints[key & cache->hint_mask] = (uint16_t)at;
	cache->keys[at] = key;
	cache->times[at] = ++cache->clock;
	return hit;
}
