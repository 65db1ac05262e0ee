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

static uint32_t take_slot(struct heap *heap, struct heap_class *c, uint32_t slot) {
	uint32_t number = span_of(c, slot), span = c->spans[number];
	uint64_t granule = (uint64_t)span * CHUNK_GRANULES + (uint64_t)(slot - number * c->slots) * c->granules;
	if (live_test(granule))
		return NO_SLOT;
	c->used++;
	arena.chunks[span].held++;
	return (uint32_t)(granule - heap->first_granule);
}

static uint32_t search(struct heap *heap, struct heap_class *c, uint32_t from) {
	for (uint32_t i = 0; i < c->capacity; i++) {
		uint32_t found = take_slot(heap, c, (from + i) % c->capacity);
		if (found != NO_SLOT)
			return found;
	}
	return NO_SLOT;
}

uint32_t diehard_take(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	if (__builtin_expect(c->used >= c->limit, 0)) {
		slots_drain(heap, class);
		if (c->used >= c->limit && !grow(heap, class) && c->used >= c->capacity)
			return NO_SLOT;
	}
	uint32_t slot = 0;
	for (int i = 0; i < MOST_TRIES; i++) {
		slot = (uint32_t)ifr_random_below(heap_draw(c->key, &c->draws), c->capacity);
		uint32_t found = take_slot(heap, c, slot);
		if (found != NO_SLOT)
			return found;
	}
	return search(heap, c, slot);
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
