/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/heap.h"

#include <string.h>

#include "common/random.h"
#include "runtime/os.h"

struct options heap_options;

/* Most spans of a class. */
static size_t spans_most(unsigned class, uint32_t half_chunks) {
	return half_chunks / sizes_chunks(class);
}

/* The struct is followed by the lists of spans of its classes. */
size_t heap_bytes(uint32_t half_chunks) {
	size_t bytes = sizeof(struct heap);
	for (unsigned class = 0; class < SIZES_CLASSES; class ++)
		bytes += sizeof(uint32_t) * spans_most(class, half_chunks);
	return bytes;
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

enum { GAP_LEAST = 512, GAP_SHARE = 16 }; /* bytes; part of a slot */

/* Draws the bytes between two slots, up to a sixteenth of them or 512: with none, all slots of a span whose size is a
 * multiple of 4096 would lie at one page offset, whatever that of the first one is. */
static uint32_t draw_gap(unsigned class, uint64_t id) {
	uint32_t step = sizes_step(class), most = sizes_bytes(class) / GAP_SHARE;
	if (!step)
		return 0;
	most = most < GAP_LEAST ? GAP_LEAST : most;
	return (uint32_t)ifr_random_below(key_of(heap_options.heap_seed, "heap gap", id, class), most / step) * step +
	       step;
}

static void init_class(struct heap *heap, unsigned class, uint32_t *spans) {
	struct heap_class *c = &heap->class[class];
	uint32_t shift = sizes_step(class) ? OS_PAGE_BYTES - sizes_step(class) : 0;
	c->granules = (sizes_bytes(class) + draw_gap(class, heap->id)) >> GRANULE_SHIFT;
	c->slots = (sizes_chunks(class) * CHUNK_GRANULES - (shift >> GRANULE_SHIFT)) / c->granules;
	c->slots_inverse = UINT64_MAX / c->slots + 1;
	c->spans = spans;
	c->aside = class < SIZES_PAGE_CLASS ? heap->aside[class] : heap->aside_paged[class - SIZES_PAGE_CLASS];
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
	heap->id = id; /* init_class draws by it */
	for (unsigned class = 0; class < SIZES_CLASSES; class ++) {
		init_class(heap, class, spans);
		spans += spans_most(class, half);
	}
	heap_set_id(heap, id);
	uint32_t shift = area_shift(key_of(heap_options.heap_seed, "heap", id, SIZES_PLAIN), half);
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
