/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bounded random window: every object lies in a slot drawn from a few free ones, the topmost of a stack on which
 * freed slots come to lie, and below them what a sweep over the spans finds. Memory stays as dense as with an
 * ordinary allocator.
 * Ref: Curtsinger and Berger 2013, "Stabilizer: statistically sound performance evaluation", section 3.2. */
#include "runtime/slots.h"

#include <string.h>

#include "common/random.h"

enum {
	SET_ASIDE_BYTES = 128 * 1024, /* most that the window, or what lies below it, holds in one class, */
	SET_ASIDE_SLOTS = 4,          /* but at least so many slots */
	BATCH = 16                    /* slots that one search brings */
};

static uint32_t at_most(const struct heap_class *c, uint64_t wanted) {
	uint64_t most = SET_ASIDE_BYTES / (c->granules << GRANULE_SHIFT);
	if (most < SET_ASIDE_SLOTS)
		most = SET_ASIDE_SLOTS;
	return (uint32_t)(wanted < most ? wanted : most);
}

void shuffle_init(struct heap_class *c) {
	c->window = at_most(c, heap_options.window_slots);
	c->low = c->aside + c->window;
	c->high = c->low + at_most(c, SET_ASIDE_SLOTS_MAX / 2);
}

/* Begins with another span at a place of the seed's choice. */
static void scan_from(struct heap_class *c, uint32_t span) {
	c->scan_span = span;
	c->scan_left = c->slots;
	c->scan_slot = (uint32_t)ifr_random_below(heap_draw(c->key, &c->draws), c->slots);
}

/* Sets slots of one span aside until there are enough or the span is through. */
static void scan_span(struct heap *heap, struct heap_class *c, const uint32_t *enough) {
	uint32_t span = c->spans[c->scan_span];
	struct chunk *chunk = &arena.chunks[span];
	uint64_t first = (uint64_t)span * CHUNK_GRANULES;
	while (c->scan_left > 0 && c->top < enough && chunk->held < c->slots) {
		uint64_t granule = first + (uint64_t)c->scan_slot * c->granules, bit = 1ull << (granule & 63);
		c->scan_left--;
		if (++c->scan_slot == c->slots)
			c->scan_slot = 0;
		if (arena.held[granule >> 6] & bit)
			continue;
		arena.held[granule >> 6] |= bit;
		chunk->held++;
		c->used++;
		*c->top++ = (uint32_t)(granule - heap->first_granule);
	}
	if (chunk->held == c->slots)
		c->scan_left = 0;
}

static void look_for_slots(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	const uint32_t *enough = c->low + at_most(c, BATCH);
	slots_drain(heap, class);
	for (uint32_t visited = 0; c->top <= c->low; visited++) {
		if (c->scan_left) {
			scan_span(heap, c, enough);
			continue;
		}
		uint64_t capacity = (uint64_t)c->span_count * c->slots;
		/* A nearly full class grows at once instead of being searched for its last holes. */
		bool search = c->used < capacity - capacity / 8 && visited <= c->span_count;
		if (!search && slots_add_span(heap, class))
			scan_from(c, c->span_count - 1);
		else if (c->used < capacity && visited <= 2 * c->span_count)
			scan_from(c, c->scan_span + 1 < c->span_count ? c->scan_span + 1 : 0);
		else
			return;
	}
}

/* Places among the topmost slots: each is 16 bits of a draw, so that none is preferred by more than 2^-8 of its
 * share, and none at all in a window of a power of two. */
static void draw_places(struct heap_class *c) {
	uint64_t bits = 0;
	for (unsigned i = 0; i < PLACES; i++, bits >>= 16) {
		if (i % 4 == 0)
			bits = heap_draw(c->key, &c->draws);
		c->place[i] = (uint8_t)((bits & 0xffff) * c->window >> 16);
	}
	c->picks = 0;
}

void shuffle_set_aside(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	if (c->top <= c->low)
		look_for_slots(heap, class);
	if (c->picks == PLACES)
		draw_places(c);
	/* When memory has run out the last slots are taken as they come. */
	if (c->top <= c->low)
		c->place[c->picks] = 0;
}

/* A span without held slots is no longer the class's. */
static void drop_span(struct heap *heap, struct heap_class *c, uint32_t span) {
	uint32_t index = arena.chunks[span].index, last = --c->span_count;
	c->spans[index] = c->spans[last];
	arena.chunks[c->spans[index]].index = index;
	if (c->scan_span == index || c->scan_span == last)
		c->scan_left = 0;
	if (c->scan_span >= c->span_count)
		c->scan_span = 0;
	slots_drop_span(heap, span, sizes_chunks((unsigned)(c - heap->class)));
}

static void release(struct heap *heap, struct heap_class *c, uint32_t granule) {
	uint64_t whole = heap->first_granule + granule;
	uint32_t span = chunk_head((uint32_t)(whole / CHUNK_GRANULES));
	arena.held[whole >> 6] &= ~(1ull << (whole & 63));
	c->used--;
	/* A span in the list of pending ones stays. */
	if (--arena.chunks[span].held == 0 && c->span_count > 1 &&
	    !atomic_load_explicit(&arena.chunks[span].pending, memory_order_acquire) &&
	    c->used < (uint64_t)c->span_count * c->slots / 2)
		drop_span(heap, c, span);
}

void shuffle_spill(struct heap *heap, struct heap_class *c, struct chunk *span) {
	(void)span;
	size_t half = (size_t)(c->high - c->low) / 2, left = (size_t)(c->top - c->aside) - half;
	for (size_t i = 0; i < half; i++)
		release(heap, c, c->aside[i]);
	memmove(c->aside, c->aside + half, left * sizeof *c->aside);
	c->top = c->aside + left;
}
