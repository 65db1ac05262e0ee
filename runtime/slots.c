/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spans and their slots, as both placement modes use them. */
#include "runtime/slots.h"

#include "common/random.h"
#include "runtime/os.h"

uint8_t slots_class_table[SLOTS_TABLE_BYTES / GRANULE_BYTES + 1];

void slots_init(void) {
	for (unsigned i = 0; i < sizeof slots_class_table; i++)
		slots_class_table[i] = (uint8_t)sizes_class((size_t)i * GRANULE_BYTES);
}

void *slots_allocate(struct heap *heap, unsigned class) {
	struct heap_class *c = &heap->class[class];
	if (heap_options.heap == HEAP_DIEHARD)
		diehard_set_aside(heap, class);
	else
		shuffle_set_aside(heap, class);
	return c->top > c->aside ? slots_pop(heap, c) : NULL;
}

void slots_free(struct heap *heap, struct chunk *span, uint32_t granule) {
	struct heap_class *c = slots_class_of(heap, span);
	bool suffices = slots_push_suffices(c, span);
	slots_push(heap, c, span, granule);
	if (!suffices)
		(c->window ? shuffle_spill : diehard_empty)(heap, c, span);
}

bool slots_is_slot(const struct heap *heap, uint32_t span, uint64_t granule) {
	const struct heap_class *c = &heap->class[arena.chunks[span].kind - CHUNK_SPAN];
	uint64_t first = heap->first_granule + c->spans[arena.chunks[span].index];
	return granule >= first && (granule - first) % c->granules == 0 && (granule - first) / c->granules < c->slots;
}

enum {
	KEEP_BYTES = 4 << 20, /* bytes of empty spans that stay committed */
	POPULATE_SPANS = 2,   /* from the third span on, a class is assumed to fill its spans */
	POPULATE_SLOT = 1024  /* diehard: pages of at least four slots are assumed to be all touched */
};

static uint32_t find_chunks(struct heap *heap, unsigned chunks) {
	uint32_t span = heap->free_spans[chunks];
	if (!span)
		return area_allocate(&heap->spans, chunks);
	heap->free_spans[chunks] = arena.chunks[span].next;
	if (arena.chunks[span].index)
		heap->kept_bytes -= (uint64_t)chunks << CHUNK_SHIFT;
	return span;
}

void slots_drop_span(struct heap *heap, uint32_t span, unsigned chunks) {
	uint64_t bytes = (uint64_t)chunks << CHUNK_SHIFT;
	bool keep = heap->kept_bytes + bytes <= KEEP_BYTES;
	for (unsigned i = 0; i < chunks; i++)
		arena.chunks[span + i].kind = CHUNK_NONE;
	if (keep)
		heap->kept_bytes += bytes;
	else
		os_purge(arena_chunk_address(span), bytes);
	arena.chunks[span].index = keep;
	arena.chunks[span].next = heap->free_spans[chunks];
	heap->free_spans[chunks] = span;
}

static bool will_be_touched(const struct heap_class *c) {
	return c->span_count > POPULATE_SPANS &&
	       (heap_options.heap == HEAP_SHUFFLE || c->granules <= POPULATE_SLOT / GRANULE_BYTES);
}

/* Draws the page offset of a new span's first slot, in granules. */
static uint32_t draw_offset(struct heap_class *c, uint32_t step) {
	if (!step)
		return 0;
	return (uint32_t)ifr_random_below(heap_draw(c->key, &c->draws), OS_PAGE_BYTES / step) * step >> GRANULE_SHIFT;
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
	uint32_t start = (uint32_t)((uint64_t)span * CHUNK_GRANULES - heap->first_granule);
	uint32_t offset = draw_offset(c, sizes_step(class));
	c->spans[c->span_count++] = start + offset;
	/* One system call instead of a fault for each page. */
	if (will_be_touched(c))
		os_populate(arena_chunk_address(span), (size_t)(offset + c->slots * c->granules) << GRANULE_SHIFT);
	return true;
}

/* Frees the objects marked in one word of `remote`. Returns their number. */
static uint32_t drain_word(struct heap *heap, uint32_t span, uint64_t word) {
	uint64_t bits = atomic_exchange_explicit(&arena.remote[word], 0, memory_order_acquire);
	uint32_t count = 0;
	for (; bits; bits &= bits - 1, count++) {
		uint64_t granule = word << 6 | (unsigned)__builtin_ctzll(bits);
		if (!live_test(granule))
			os_stop("double free of", arena_address(granule));
		slots_free(heap, &arena.chunks[span], (uint32_t)(granule - heap->first_granule));
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
	/* The span stays on the list while a thread has counted a free and not marked it yet. */
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
