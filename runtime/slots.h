/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small objects: the fast path of malloc and free, shared by both placement modes. A class keeps slots set aside,
 * so that most requests need no search: diehard draws some in advance from the whole class; shuffle draws one of
 * the topmost slots of a stack on which freed slots are pushed. */
#ifndef IFR_RUNTIME_SLOTS_H
#define IFR_RUNTIME_SLOTS_H

#include "runtime/heap.h"

/* Table of sizes_class by granules, for small sizes. */
enum { SLOTS_TABLE_BYTES = 1024 };
extern uint8_t slots_class_table[SLOTS_TABLE_BYTES / GRANULE_BYTES + 1];
void slots_init(void);

static inline unsigned slots_class(size_t size) {
	if (__builtin_expect(size <= SLOTS_TABLE_BYTES, 1))
		return slots_class_table[(size + GRANULE_BYTES - 1) / GRANULE_BYTES];
	return sizes_class(size);
}

/* Whether slots_pop can allocate without a search. */
static inline bool slots_are_set_aside(const struct heap_class *c) {
	return __builtin_expect(c->top > c->low && c->picks < DRAWN_POSITIONS, 1);
}

/* Allocates a slot that is set aside; slots_are_set_aside must hold. */
static inline void *slots_pop(struct heap *heap, struct heap_class *c) {
	uint32_t *last = --c->top, granule = *last;
	if (c->window) {
		uint32_t *picked = last - c->position[c->picks++];
		granule = *picked;
		*picked = *last;
	}
	_Atomic uint64_t *word = &heap->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) | 1ull << (granule & 63);
	atomic_store_explicit(word, bits, memory_order_relaxed);
	return heap->base + ((size_t)granule << GRANULE_SHIFT);
}

/* Returns the first chunk of the span that holds the byte at offset of the heap's small objects. */
static inline struct chunk *slots_span(const struct heap *heap, size_t offset) {
	struct chunk *chunk = &heap->chunks[offset >> CHUNK_SHIFT];
	return chunk - chunk->back;
}

/* Whether slots_push completes a free in the span. */
static inline bool slots_push_suffices(const struct heap_class *c, const struct chunk *span) {
	return __builtin_expect(c->window ? c->top + 1 < c->high : span->held > 1, 1);
}

/* Frees a slot, given by its granule in the heap. */
static inline void slots_push(struct heap *heap, struct heap_class *c, struct chunk *span, uint32_t granule) {
	_Atomic uint64_t *word = &heap->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) & ~(1ull << (granule & 63));
	atomic_store_explicit(word, bits, memory_order_relaxed);
	if (c->window) {
		*c->top++ = granule;
	} else {
		c->used--;
		c->frees++;
		span->held--;
	}
}

static inline struct heap_class *slots_class_of(struct heap *heap, const struct chunk *span) {
	return &heap->class[span->kind - CHUNK_SPAN];
}

/* Allocates a slot; NULL without memory. */
void *slots_allocate(struct heap *heap, unsigned class);
/* Frees a slot and does whatever else the free requires. */
void slots_free(struct heap *heap, struct chunk *span, uint32_t granule);

#endif
