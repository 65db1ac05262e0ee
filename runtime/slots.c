/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans and their slots: what both ways of placing small objects share. */
#include "runtime/heap.h"

#include "runtime/os.h"

uint64_t slots_take(struct heap *heap, unsigned class) {
	uint32_t slot = heap_options.heap == HEAP_DIEHARD ? diehard_take(heap, class) : shuffle_take(heap, class);
	if (slot == NO_SLOT)
		return 0;
	uint64_t granule = heap->first_granule + slot;
	live_set(granule);
	return granule;
}

void slots_give(struct heap *heap, uint32_t span, uint64_t granule) {
	unsigned class = arena.chunks[span].kind - CHUNK_SPAN;
	live_clear(granule);
	if (heap_options.heap == HEAP_DIEHARD)
		diehard_give(heap, class, span);
	else
		shuffle_give(heap, class, span, (uint32_t)(granule - heap->first_granule));
}

bool slots_is_slot(uint32_t span, uint64_t granule) {
	unsigned class = arena.chunks[span].kind - CHUNK_SPAN;
	uint32_t granules = sizes_bytes(class) >> GRANULE_SHIFT;
	uint64_t within = granule - (uint64_t)span * CHUNK_GRANULES;
	return within % granules == 0 && within / granules < sizes_chunks(class) * CHUNK_GRANULES / granules;
}

static uint32_t find_chunks(struct heap *heap, unsigned chunks) {
	uint32_t span = heap->free_spans[chunks];
	if (!span)
		return area_take(&heap->spans, chunks);
	heap->free_spans[chunks] = arena.chunks[span].next;
	return span;
}

bool slots_add_span(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	unsigned chunks = sizes_chunks(class);
	uint32_t span = find_chunks(heap, chunks);
	if (!span)
		return false;
	struct chunk *chunk = &arena.chunks[span];
	for (unsigned i = 0; i < chunks; i++) {
		chunk[i].back = (uint8_t)i;
		chunk[i].kind = (uint8_t)(CHUNK_SPAN + class);
	}
	chunk->held = 0;
	chunk->index = c->span_count;
	c->spans[c->span_count++] = span;
	return true;
}

/* Frees what is marked in one word of the bitmap of remote frees; returns how many that were. */
static uint32_t drain_word(struct heap *heap, uint32_t span, uint64_t word) {
	uint64_t bits = atomic_exchange_explicit(&arena.remote[word], 0, memory_order_acquire);
	uint32_t count = 0;
	for (; bits; bits &= bits - 1, count++) {
		uint64_t granule = word << 6 | (unsigned)__builtin_ctzll(bits);
		if (!live_test(granule))
			os_stop("double free of", arena_address(granule));
		slots_give(heap, span, granule);
	}
	return count;
}

static void drain_span(struct heap *heap, unsigned class, uint32_t span) {
	uint64_t first = (uint64_t)span * (CHUNK_GRANULES / 64);
	uint64_t words = sizes_chunks(class) * (CHUNK_GRANULES / 64);
	uint32_t count = 0;
	for (uint64_t word = first; word < first + words; word++)
		if (atomic_load_explicit(&arena.remote[word], memory_order_relaxed))
			count += drain_word(heap, span, word);
	/* Who has announced a free and not yet marked it keeps the span in the list. */
	if (atomic_fetch_sub_explicit(&arena.chunks[span].pending, count, memory_order_acq_rel) != count)
		pending_push(&heap->class[class].pending, span);
}

void slots_drain(struct heap *heap, unsigned class) {
	_Atomic uint32_t *pending = &heap->class[class].pending;
	if (!atomic_load_explicit(pending, memory_order_relaxed))
		return;
	uint32_t span = atomic_exchange_explicit(pending, 0, memory_order_acquire);
	while (span) {
		uint32_t next = arena.chunks[span].next;
		drain_span(heap, class, span);
		span = next;
	}
}
