/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Full spread: every object lies in a slot drawn from all slots of its size class, of which at most a set share is
 * in use. When more is needed the class grows by a quarter, so that at least about four fifths of that share is in
 * use while a program grows.
 * Ref: Berger and Zorn 2006, "DieHard: probabilistic memory safety for unsafe languages", section 4.2; growing as
 * in Novark and Berger 2010, "DieHarder", section 4.1, by steps instead of doubling. */
#include "runtime/heap.h"

#include "common/random.h"
#include "runtime/os.h"

enum {
	FIRST_BYTES = 4096, /* what a class begins with, */
	FIRST_SLOTS = 16,   /* but at least so many slots */
	MOST_TRIES = 128    /* draws before a plain search: at half full, more happen once in 2^128 */
};

static bool grow(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	uint32_t first = FIRST_BYTES / (c->granules << GRANULE_SHIFT);
	uint64_t capacity = c->capacity + c->capacity / 4;
	if (!c->capacity)
		capacity = first > FIRST_SLOTS ? first : FIRST_SLOTS;
	while ((uint64_t)c->span_count * c->slots < capacity)
		if (!slots_add_span(heap, class))
			return false;
	c->capacity = (uint32_t)capacity;
	uint64_t limit = capacity * heap_options.fullness_pct / 100;
	c->limit = limit ? (uint32_t)limit : 1;
	return true;
}

static uint32_t span_of(const struct heap_class *c, uint32_t slot) {
	return (uint32_t)(((unsigned __int128)slot * c->slots_inverse) >> 64);
}

static uint64_t granule_of(const struct heap_class *c, uint32_t slot) {
	uint32_t number = span_of(c, slot);
	return (uint64_t)c->spans[number] * CHUNK_GRANULES + (uint64_t)(slot - number * c->slots) * c->granules;
}

/* The granule of a free slot; there is one. */
static uint64_t draw_slot(struct heap_class *c) {
	uint32_t slot = 0;
	for (int i = 0; i < MOST_TRIES; i++) {
		slot = (uint32_t)ifr_random_below(heap_draw(c->key, &c->draws), c->capacity);
		uint64_t granule = granule_of(c, slot);
		if (!live_test(granule))
			return granule;
	}
	while (live_test(granule_of(c, slot)))
		slot = slot + 1 < c->capacity ? slot + 1 : 0;
	return granule_of(c, slot);
}

uint32_t diehard_take(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	/* One more than the object: a slot has to be left for the next. */
	if (__builtin_expect(c->used + 1 >= c->limit, 0)) {
		slots_drain(heap, class);
		if (c->used + 1 >= c->limit && !grow(heap, class) && c->used + 1 >= c->capacity)
			return NO_SLOT;
		c->chosen = 0;
	}
	if (__builtin_expect(!c->chosen, 0))
		c->chosen = (uint32_t)(draw_slot(c) - heap->first_granule) + 1;
	uint32_t taken = c->chosen - 1;
	uint64_t granule = heap->first_granule + taken;
	live_set(granule);
	c->used++;
	arena.chunks[chunk_head((uint32_t)(granule / CHUNK_GRANULES))].held++;
	/* The next slot is drawn now, so that its memory is on its way to the cache when it is asked for. */
	granule = draw_slot(c);
	__builtin_prefetch(arena_address(granule), 1);
	c->chosen = (uint32_t)(granule - heap->first_granule) + 1;
	return taken;
}

void diehard_give(struct heap *heap, unsigned class, uint32_t span) {
	struct heap_class *c = &heap->class[class];
	struct chunk *chunk = &arena.chunks[span];
	c->used--;
	c->frees++;
	/* An empty span's memory goes back, but not more often than the span could have been filled. */
	if (--chunk->held == 0 && c->frees > 4 * c->slots && c->used < c->limit / 2) {
		c->frees = 0;
		os_purge(arena_chunk_address(span), (size_t)sizes_chunks(class) << CHUNK_SHIFT);
	}
}
