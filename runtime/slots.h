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

/* Whether an object can be taken without looking for slots first. */
static inline bool slots_are_set_aside(const struct heap_class *c) {
	return __builtin_expect(c->top > c->low && c->picks < PLACES, 1);
}

/* The address of a new object; they are at hand. */
static inline void *slots_pop(struct heap *heap, struct heap_class *c) {
	uint32_t *last = --c->top, granule = *last;
	if (c->window) {
		uint32_t *picked = last - c->place[c->picks++];
		granule = *picked;
		*picked = *last;
	}
	_Atomic uint64_t *word = &heap->live[granule / 64];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) | 1ull << (granule & 63);
	atomic_store_explicit(word, bits, memory_order_relaxed);
	return heap->base + ((size_t)granule << GRANULE_SHIFT);
}

/* The chunk of the heap with that byte of its small objects, and the first of the same span. */
static inline struct chunk *slots_span(const struct heap *heap, size_t offset) {
	struct chunk *chunk = &heap->chunks[offset >> CHUNK_SHIFT];
	return chunk - chunk->back;
}

/* Whether nothing but slots_push has to be done for a free in that span. */
static inline bool slots_push_suffices(const struct heap_class *c, const struct chunk *span) {
	return __builtin_expect(c->window ? c->top + 1 < c->high : span->held > 1, 1);
}

/* Makes a slot, a granule of the heap, that the program has given up free to take. */
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

/* The address of a new object; NULL when memory has run out. */
void *slots_allocate(struct heap *heap, unsigned class);
/* Frees a live object, whatever has to be done for it. */
void slots_free(struct heap *heap, struct chunk *span, uint32_t granule);

#endif
