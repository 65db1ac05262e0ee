/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Full spread: every object lies in a slot drawn from all slots of its size class, of which at most a set share is
 * in use. When more is needed the class grows by a quarter, so that at least about four fifths of that share is in
 * use while a program grows.
 * Ref: Berger and Zorn 2006, "DieHard: probabilistic memory safety for unsafe languages", section 4.2; growing as
 * in Novark and Berger 2010, "DieHarder", section 4.1, by steps instead of doubling. */
#include "runtime/slots.h"

#include "common/random.h"
#include "runtime/os.h"

enum {
	FIRST_BYTES = 4096, /* what a class begins with, */
	FIRST_SLOTS = 16,   /* but at least so many slots */
	AHEAD = 8,          /* slots drawn at a time: their bits and memory are fetched side by side; */
	AHEAD_SHARE = 32,   /* at most this part of all */
	MOST_TRIES = 1024   /* draws before a plain search: at half full, more happen once in 2^128 */
};

void diehard_init(struct heap_class *c) {
	c->window = 0;
}

static uint32_t ahead(const struct heap_class *c) {
	uint32_t share = c->capacity / AHEAD_SHARE;
	return share < 1 ? 1 : share < AHEAD ? share : AHEAD;
}

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

/* Whether a slot was free; it is marked either way. Without a branch, as nobody could predict it. */
static unsigned mark(uint64_t granule) {
	_Atomic uint64_t *word = &arena.live[granule >> 6];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);
	atomic_store_explicit(word, bits | 1ull << (granule & 63), memory_order_relaxed);
	return ~bits >> (granule & 63) & 1;
}

/* The granules of so many different free slots; there are as many. */
static void draw_slots(struct heap_class *c, unsigned count, uint64_t granule[AHEAD + 1]) {
	uint32_t slot = 0;
	unsigned found = 0;
	for (int i = 0; found < count && i < MOST_TRIES; i++) {
		slot = (uint32_t)ifr_random_below(heap_draw(c->key, &c->draws), c->capacity);
		granule[found] = granule_of(c, slot);
		found += mark(granule[found]);
	}
	while (found < count) {
		slot = slot + 1 < c->capacity ? slot + 1 : 0;
		granule[found] = granule_of(c, slot);
		found += mark(granule[found]);
	}
}

void diehard_choose(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	uint64_t granule[AHEAD + 1];
	if (c->used + ahead(c) > c->limit)
		slots_drain(heap, class);
	while (c->used + ahead(c) > c->limit && grow(heap, class))
		;
	if (c->used + ahead(c) > c->capacity)
		return;
	unsigned count = ahead(c);
	draw_slots(c, count, granule);
	/* They become alive when they are taken, from the last to the first. */
	for (unsigned i = 0; i < count; i++) {
		live_clear(granule[i]);
		__builtin_prefetch(arena_address(granule[i]), 1);
		arena.chunks[chunk_head((uint32_t)(granule[i] / CHUNK_GRANULES))].held++;
		c->aside[i] = (uint32_t)(granule[i] - heap->first_granule);
	}
	c->aside_count = count;
	c->used += count;
}

void diehard_empty(struct heap *heap, unsigned class, uint32_t span) {
	struct heap_class *c = &heap->class[class];
	(void)heap;
	/* An empty span's memory goes back, but not more often than the span could have been filled. */
	if (c->frees <= 4 * c->slots || c->used >= c->limit / 2)
		return;
	c->frees = 0;
	os_purge(arena_chunk_address(span), (size_t)sizes_chunks(class) << CHUNK_SHIFT);
}
