/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/heap.h"

#include <string.h>

#include "common/random.h"
#include "runtime/os.h"

struct options heap_options;

/* The struct is followed by the lists of spans of its classes. */
size_t heap_bytes(uint32_t half_chunks) {
	return sizeof(struct heap) + sizeof(uint32_t) * SIZES_CLASSES * half_chunks;
}

static uint64_t key_of(uint64_t seed, const char *axis, uint64_t id, uint64_t what) {
	const uint64_t name[2] = {id, what};
	struct ifr_random_key key = ifr_random_key_of(seed, axis);
	return ifr_siphash(key.k0, key.k1, name, sizeof name);
}

void heap_set_id(struct heap *heap, uint64_t id) {
	heap->id = id;
	heap->children = 0;
	for (unsigned class = 0; class < SIZES_CLASSES; class ++) {
		heap->class[class].key = key_of(heap_options.heap_seed, "heap", id, class);
		heap->class[class].draws = 0;
		heap->class[class].picks = heap->class[class].window ? DRAWN_POSITIONS : 0;
	}
	heap->blocks.key = key_of(heap_options.blocks_seed, "blocks", id, 0);
	heap->blocks.draws = 0;
}

static void init_class(struct heap *heap, unsigned class, uint32_t *spans) {
	struct heap_class *c = &heap->class[class];
	c->granules = sizes_bytes(class) >> GRANULE_SHIFT;
	c->slots = sizes_chunks(class) * CHUNK_GRANULES / c->granules;
	c->slots_inverse = UINT64_MAX / c->slots + 1;
	c->spans = spans;
	c->top = c->aside;
	(heap_options.heap == HEAP_DIEHARD ? diehard_init : shuffle_init)(c);
}

/* Random offset of an area in its half of the windows, so that lines, pages and sets of all objects shift
 * together, too. */
static uint32_t area_shift(uint64_t key, uint32_t half_chunks) {
	return 1 + (uint32_t)ifr_random_below(key, half_chunks / 64);
}

void heap_init(struct heap *heap, unsigned window, unsigned windows, uint64_t id) {
	uint32_t half = arena_window_chunks() / 2 * windows, first = window * arena_window_chunks();
	uint32_t *spans = (uint32_t *)(heap + 1);
	memset(heap, 0, sizeof *heap);
	heap->half_chunks = half;
	heap->first_granule = (uint64_t)first * CHUNK_GRANULES;
	heap->base = arena_chunk_address(first);
	heap->small_bytes = (size_t)half << CHUNK_SHIFT;
	heap->live = arena.live + heap->first_granule / 64;
	heap->chunks = arena.chunks + first;
	for (unsigned class = 0; class < SIZES_CLASSES; class ++)
		init_class(heap, class, spans + (size_t) class * half);
	heap_set_id(heap, id);
	uint32_t shift = area_shift(key_of(heap_options.heap_seed, "heap", id, SIZES_CLASSES), half);
	area_init(&heap->spans, first + shift, half - shift);
	shift = area_shift(key_of(heap_options.blocks_seed, "blocks", id, 1), half);
	area_init(&heap->blocks.area, first + half + shift, half - shift);
	heap->blocks.rotation = (uint32_t)ifr_random_below(heap->blocks.key, BLOCK_OFFSETS);
	if (heap_options.heap == HEAP_DIEHARD)
		os_small_pages(arena_chunk_address(first), (size_t)half << CHUNK_SHIFT);
}

void heap_drain(struct heap *heap) {
	for (unsigned class = 0; class < SIZES_CLASSES; class ++)
		slots_drain(heap, class);
	blocks_drain(heap);
}
