/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Full spread: every object lies in a slot drawn from all slots of its size class, of which at most a set share is
 * in use. When more is needed the class grows by a quarter, so that at least about four fifths of that share is in
 * use while a program grows.
 * Ref: Berger and Zorn 2006, "DieHard: probabilistic memory safety for unsafe languages", section 4.2; growing as
 * in Novark and Berger 2010, "DieHarder", section 4.1, by steps instead of doubling.
 * What is left of its cost is the order itself: when the same code draws slots one behind the other, trees of
 * small tables (tests/bench/heap_work/trees.lua) are as fast as with glibc, and a third slower when it draws at
 * random.
 */
#include "runtime/slots.h"

#include "runtime/os.h"

enum {
	FIRST_BYTES = 4096, /* what a class begins with, */
	FIRST_SLOTS = 16,   /* but at least so many slots */
	AHEAD = 8,          /* slots drawn at a time: their bits and memory are fetched side by side; */
	AHEAD_SHARE = 32,   /* at most this part of all */
	MOST_TRIES = 1024   /* draws for them before a plain search, which at half full never comes */
};

void diehard_init(struct heap_class *c) {
	c->window = 0;
	c->low = c->aside;
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

/* What a draw needs of a class, apart from what it writes. */
struct region {
	const uint32_t *spans;
	_Atomic uint64_t *live;
	uint64_t slots_inverse, capacity;
	uint32_t slots, granules, first_granule;
};

/* Counted from the heap's first, modulo 2^32, which they are fewer than. */
static inline uint32_t granule_of(const struct region *r, uint64_t slot) {
	uint64_t number = (uint64_t)(((unsigned __int128)slot * r->slots_inverse) >> 64);
	return r->spans[number] * CHUNK_GRANULES - r->first_granule +
	       (uint32_t)(slot - number * r->slots) * r->granules;
}

/* Whether a slot was free; it is marked either way. Without a branch, as nobody could predict it. */
static inline unsigned mark(const struct region *r, uint32_t granule) {
	_Atomic uint64_t *word = &r->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);
	atomic_store_explicit(word, bits | 1ull << (granule & 63), memory_order_relaxed);
	return ~bits >> (granule & 63) & 1;
}

/* So many different free slots, which there are. */
static void draw_slots(struct heap_class *c, const struct region region, unsigned count, uint32_t *granule) {
	uint64_t slot = 0, key = c->key, draws = c->draws;
	unsigned found = 0;
	for (int i = 0; found < count && i < MOST_TRIES; i++) {
		slot = (uint64_t)(((unsigned __int128)heap_draw(key, &draws) * region.capacity) >> 64);
		granule[found] = granule_of(&region, slot);
		found += mark(&region, granule[found]);
	}
	c->draws = draws;
	while (found < count) {
		slot = slot + 1 < region.capacity ? slot + 1 : 0;
		granule[found] = granule_of(&region, slot);
		found += mark(&region, granule[found]);
	}
}

/* They become alive when they are taken. */
static void set_aside(struct heap *heap, struct heap_class *c, unsigned count, const uint32_t *granule) {
	for (unsigned i = 0; i < count; i++) {
		size_t offset = (size_t)granule[i] << GRANULE_SHIFT;
		__builtin_prefetch(heap->base + offset, 1);
		live_clear(heap->first_granule + granule[i]);
		slots_span(heap, offset)->held++;
		c->aside[i] = granule[i];
	}
	c->top = c->aside + count;
	c->used += count;
}

void diehard_set_aside(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	if (c->top > c->low)
		return;
	if (c->used + ahead(c) > c->limit)
		slots_drain(heap, class);
	while (c->used + ahead(c) > c->limit && grow(heap, class))
		;
	if (c->used + ahead(c) > c->capacity)
		return;
	struct region region = {
		c->spans, heap->live, c->slots_inverse, c->capacity, c->slots, c->granules, (uint32_t)heap->first_granule};
	uint32_t granule[AHEAD + 1] = {0};
	unsigned count = ahead(c);
	draw_slots(c, region, count, granule);
	set_aside(heap, c, count, granule);
}

void diehard_empty(struct heap *heap, struct heap_class *c, struct chunk *span) {
	(void)heap;
	/* An empty span's memory goes back, but not more often than the span could have been filled. */
	if (c->frees <= 4 * c->slots || c->used >= c->limit / 2)
		return;
	c->frees = 0;
	size_t bytes = (size_t)sizes_chunks(span->kind - CHUNK_SPAN) << CHUNK_SHIFT;
	os_purge(arena_chunk_address((uint32_t)(span - arena.chunks)), bytes);
}
