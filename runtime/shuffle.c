/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement mode shuffle: each object gets a slot drawn from a window, the topmost slots of a stack. Freed slots
 * are pushed on the stack; below them are free slots that a sweep over the spans has found. Memory stays as dense
 * as with an ordinary allocator.
 *
 * Ref: Curtsinger and Berger 2013, "Stabilizer: statistically sound performance evaluation", section 3.2. */
#include "runtime/slots.h"

#include <string.h>

#include "common/random.h"
#include "runtime/os.h"

enum {
	SET_ASIDE_BYTES = 128 * 1024, /* largest part of a class in the window, and below it, */
	SET_ASIDE_SLOTS = 4,          /* but at least so many slots */
	BATCH = 16                    /* slots that one search sets aside */
};
/* The window and the slots below it. */
_Static_assert(2 * SET_ASIDE_BYTES / OS_PAGE_BYTES <= SET_ASIDE_PAGED_MAX, "slots of a page fit");

static uint32_t limit_slots(const struct heap_class *c, uint64_t wanted) {
	uint64_t most = SET_ASIDE_BYTES / (c->granules << GRANULE_SHIFT);
	if (most < SET_ASIDE_SLOTS)
		most = SET_ASIDE_SLOTS;
	return (uint32_t)(wanted < most ? wanted : most);
}

void shuffle_init(struct heap_class *c) {
	c->window = limit_slots(c, heap_options.window_slots);
	c->low = c->aside + c->window;
	c->high = c->low + limit_slots(c, SET_ASIDE_SLOTS_MAX / 2);
}

/* Starts the sweep of a span at a slot that the seed chooses. */
static void start_scan(struct heap_class *c, uint32_t span) {
	c->scan_span = span;
	c->scan_left = c->slots;
	c->scan_slot = (uint32_t)ifr_random_below(heap_draw(c->key, &c->draws), c->slots);
}

/* Sets free slots of a span aside until there are enough or the span is finished. */
static void scan_span(struct heap *heap, struct heap_class *c, const uint32_t *enough) {
	uint64_t first = heap->first_granule + c->spans[c->scan_span];
	struct chunk *chunk = &arena.chunks[first / CHUNK_GRANULES];
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

static void search_slots(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	const uint32_t *enough = c->low + limit_slots(c, BATCH);
	slots_drain(heap, class);
	for (uint32_t visited = 0; c->top <= c->low; visited++) {
		if (c->scan_left) {
			scan_span(heap, c, enough);
			continue;
		}
		uint64_t capacity = (uint64_t)c->span_count * c->slots;
		/* A nearly full class grows at once: searching for its last free slots would take long. */
		bool search = c->used < capacity - capacity / 8 && visited <= c->span_count;
		if (!search && slots_add_span(heap, class))
			start_scan(c, c->span_count - 1);
		else if (c->used < capacity && visited <= 2 * c->span_count)
			start_scan(c, c->scan_span + 1 < c->span_count ? c->scan_span + 1 : 0);
		else
			return;
	}
}

/* Draws positions in the window, each from 16 bits: no position is preferred by more than 2^-8 of its probability,
 * and none if the window is a power of two. */
static void draw_positions(struct heap_class *c) {
	uint64_t bits = 0;
	for (unsigned i = 0; i < DRAWN_POSITIONS; i++, bits >>= 16) {
		if (i % 4 == 0)
			bits = heap_draw(c->key, &c->draws);
		c->position[i] = (uint8_t)((bits & 0xffff) * c->window >> 16);
	}
	c->picks = 0;
}

void shuffle_set_aside(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	if (c->top <= c->low)
		search_slots(heap, class);
	if (c->picks == DRAWN_POSITIONS)
		draw_positions(c);
	/* Without memory the last slots are allocated in order. */
	if (c->top <= c->low)
		c->position[c->picks] = 0;
}

/* Removes an empty span from its class. */
static void remove_span(struct heap *heap, struct heap_class *c, uint32_t span) {
	uint32_t index = arena.chunks[span].index, last = --c->span_count;
	c->spans[index] = c->spans[last];
	arena.chunks[(heap->first_granule + c->spans[index]) / CHUNK_GRANULES].index = index;
	if (c->scan_span == index || c->scan_span == last)
		c->scan_left = 0;
	if (c->scan_span >= c->span_count)
		c->scan_span = 0;
	slots_drop_span(heap, span, sizes_chunks((unsigned)(c - heap->class)));
}

static void release_slot(struct heap *heap, struct heap_class *c, uint32_t granule) {
	uint64_t whole = heap->first_granule + granule;
	uint32_t span = chunk_head((uint32_t)(whole / CHUNK_GRANULES));
	arena.held[whole >> 6] &= ~(1ull << (whole & 63));
	c->used--;
	/* A span with pending frees stays. */
	if (--arena.chunks[span].held == 0 && c->span_count > 1 &&
	    !atomic_load_explicit(&arena.chunks[span].pending, memory_order_acquire) &&
	    c->used < (uint64_t)c->span_count * c->slots / 2)
		remove_span(heap, c, span);
}

void shuffle_spill(struct heap *heap, struct heap_class *c, struct chunk *span) {
	(void)span;
	size_t half = (size_t)(c->high - c->low) / 2, left = (size_t)(c->top - c->aside) - half;
	for (size_t i = 0; i < half; i++)
		release_slot(heap, c, c->aside[i]);
	memmove(c->aside, c->aside + half, left * sizeof *c->aside);
	c->top = c->aside + left;
}
