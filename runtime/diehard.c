/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement mode diehard: each object gets a slot drawn from all slots of its size class, of which at most a set
 * share is in use. When more are needed the class grows by a quarter, so that at least about four fifths of that
 * share is in use while a program grows.
 *
 * Ref: Berger and Zorn 2006, "DieHard: probabilistic memory safety for unsafe languages", section 4.2; growth as
 * in Novark and Berger 2010, "DieHarder", section 4.1, by a quarter instead of doubling.
 *
 * The remaining cost is the random order itself: when the same code draws consecutive slots, trees of small tables
 * (tests/bench/heap_work/trees.lua) run as fast as with glibc; with random draws a third slower. */
#include "runtime/slots.h"

#include "runtime/os.h"

enum {
	FIRST_BYTES = 4096,     /* initial size of a class, */
	FIRST_SLOTS = 16,       /* but at least so many slots */
	DRAWN_AHEAD = 8,        /* slots drawn at a time, so that their cache misses overlap; */
	DRAWN_AHEAD_SHARE = 32, /* at most this fraction of the class */
	DRAWS_MAX = 1024        /* draws before a linear search, which a half full class never needs */
};

void diehard_init(struct heap_class *c) {
	c->window = 0;
	c->low = c->aside;
}

static uint32_t draw_count(const struct heap_class *c) {
	uint32_t share = c->capacity / DRAWN_AHEAD_SHARE;
	return share < 1 ? 1 : share < DRAWN_AHEAD ? share : DRAWN_AHEAD;
}

static bool grow_class(struct heap *heap, unsigned class) {
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

/* The read-only state of a class that a draw needs. */
struct class_slots {
	const uint32_t *spans;
	_Atomic uint64_t *live;
	uint64_t slots_inverse, capacity;
	uint32_t slots, granules;
};

/* Granule of a slot, counted from the heap's first. */
static inline uint32_t granule_of(const struct class_slots *r, uint64_t slot) {
	uint64_t number = (uint64_t)(((unsigned __int128)slot * r->slots_inverse) >> 64);
	return r->spans[number] + (uint32_t)(slot - number * r->slots) * r->granules;
}

/* Marks a slot as live. Returns 1 if it was free. Without a branch, which would be unpredictable. */
static inline unsigned mark_live(const struct class_slots *r, uint32_t granule) {
	_Atomic uint64_t *word = &r->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);
	atomic_store_explicit(word, bits | 1ull << (granule & 63), memory_order_relaxed);
	return ~bits >> (granule & 63) & 1;
}

/* Draws count different free slots, which must exist. */
static void draw_slots(struct heap_class *c, const struct class_slots slots, unsigned count, uint32_t *granule) {
	uint64_t slot = 0, key = c->key, draws = c->draws;
	unsigned found = 0;
	for (int i = 0; found < count && i < DRAWS_MAX; i++) {
		slot = (uint64_t)(((unsigned __int128)heap_draw(key, &draws) * slots.capacity) >> 64);
		granule[found] = granule_of(&slots, slot);
		found += mark_live(&slots, granule[found]);
	}
	c->draws = draws;
	while (found < count) {
		slot = slot + 1 < slots.capacity ? slot + 1 : 0;
		granule[found] = granule_of(&slots, slot);
		found += mark_live(&slots, granule[found]);
	}
}

/* Sets drawn slots aside; they become live when they are allocated. */
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
	if (c->used + draw_count(c) > c->limit)
		slots_drain(heap, class);
	while (c->used + draw_count(c) > c->limit && grow_class(heap, class))
		;
	if (c->used + draw_count(c) > c->capacity)
		return;
	struct class_slots slots = {c->spans, heap->live, c->slots_inverse, c->capacity, c->slots, c->granules};
	uint32_t granule[DRAWN_AHEAD + 1] = {0};
	unsigned count = draw_count(c);
	draw_slots(c, slots, count, granule);
	set_aside(heap, c, count, granule);
}

void diehard_empty(struct heap *heap, struct heap_class *c, struct chunk *span) {
	(void)heap;
	/* Returns an empty span's memory to the kernel, at most as often as the span could have been filled. */
	if (c->frees <= 4 * c->slots || c->used >= c->limit / 2)
		return;
	c->frees = 0;
	size_t bytes = (size_t)sizes_chunks(span->kind - CHUNK_SPAN) << CHUNK_SHIFT;
	os_purge(arena_chunk_address((uint32_t)(span - arena.chunks)), bytes);
}
