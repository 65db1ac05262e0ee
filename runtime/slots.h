/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small objects: the common path of malloc and free, the same for both ways of choosing slots. A class keeps slots
 * set aside, so that most requests choose from a list at hand: diehard draws some ahead from its whole region,
 * shuffle picks one of the topmost on a stack on which freed slots come to lie. */
#ifndef IFR_RUNTIME_SLOTS_H
#define IFR_RUNTIME_SLOTS_H

#include "runtime/heap.h"

/* Small sizes by granules: sizes_class without its branches. */
enum { SLOTS_TABLE_BYTES = 1024 };
extern uint8_t slots_class_table[SLOTS_TABLE_BYTES / GRANULE_BYTES + 1];
void slots_init(void);

static inline unsigned slots_class(size_t size) {
	if (__builtin_expect(size <= SLOTS_TABLE_BYTES, 1))
		return slots_class_table[(size + GRANULE_BYTES - 1) / GRANULE_BYTES];
	return sizes_class(size);
}

/* Number n below `below`, at most 2^9, is 16 bits of draw n / 4: no place is preferred by more than 2^-7 of its
 * share, and none at all if `below` is a power of two. */
static inline uint32_t slots_pick(struct heap_class *c, uint32_t below) {
	if (!(c->picks++ & 3))
		c->bits = heap_draw(c->key, &c->draws);
	uint32_t piece = c->bits & 0xffff;
	c->bits >>= 16;
	return piece * below >> 16;
}

/* The address of a new object; NULL when memory has run out. */
static inline void *slots_take(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	uint32_t window = c->window;
	if (__builtin_expect(c->aside_count <= window, 0)) {
		(heap_options.heap == HEAP_DIEHARD ? diehard_choose : shuffle_choose)(heap, class);
		if (!c->aside_count)
			return NULL;
		window = window < c->aside_count ? window : c->aside_count;
	}
	uint32_t *last = &c->aside[--c->aside_count], granule = *last;
	if (window) {
		uint32_t *picked = last - slots_pick(c, window);
		granule = *picked;
		*picked = *last;
	}
	_Atomic uint64_t *word = &heap->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) | 1ull << (granule & 63);
	atomic_store_explicit(word, bits, memory_order_relaxed);
	return heap->base + ((size_t)granule << GRANULE_SHIFT);
}

/* Frees a live object of the heap: its granule counted from the heap's first, the first chunk of its span from the
 * arena's. */
static inline void slots_give(struct heap *heap, uint32_t span, uint32_t granule) {
	struct chunk *chunk = &arena.chunks[span];
	unsigned class = chunk->kind - CHUNK_SPAN;
	struct heap_class *c = &heap->class[class];
	_Atomic uint64_t *word = &heap->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) & ~(1ull << (granule & 63));
	atomic_store_explicit(word, bits, memory_order_relaxed);
	if (c->window) {
		if (__builtin_expect(c->aside_count == c->aside_most, 0))
			shuffle_spill(heap, class);
		c->aside[c->aside_count++] = granule;
		return;
	}
	c->used--;
	c->frees++;
	if (__builtin_expect(--chunk->held == 0, 0))
		diehard_empty(heap, class, span);
}

#endif
