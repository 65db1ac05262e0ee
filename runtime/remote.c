/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frees across threads: a bit beside the object's, and the span in a list of its class. The owner looks at the
 * list only when it needs more slots, so that the moment of a remote free hardly ever shows in its addresses. Ref:
 * the sharded free lists of mimalloc (Leijen, Zorn and de Moura 2019, section 2.4), with bits instead of links
 * through the objects. */
#include "runtime/heap.h"

#include "runtime/os.h"

void pending_push(_Atomic uint32_t *list, uint32_t chunk) {
	uint32_t head = atomic_load_explicit(list, memory_order_relaxed);
	do {
		arena.chunks[chunk].next = head;
	} while (
		!atomic_compare_exchange_weak_explicit(list, &head, chunk, memory_order_release, memory_order_relaxed));
}

static void mark(uint64_t granule) {
	uint64_t bit = 1ull << (granule & 63);
	if (atomic_fetch_or_explicit(&arena.remote[granule >> 6], bit, memory_order_acq_rel) & bit)
		os_stop("double free of", arena_address(granule));
}

enum { PURGE_BYTES = 256 * 1024 };

/* The owner may be long in coming: a large block's memory goes back at once. */
static void give_block(struct heap *heap, uint32_t chunk, uint64_t granule) {
	mark(granule);
	if (arena.blocks[chunk].bytes >= PURGE_BYTES)
		os_purge(arena_chunk_address(chunk), (size_t)arena.blocks[chunk].chunks << CHUNK_SHIFT);
	pending_push(&heap->blocks.pending, chunk);
}

void remote_free(struct heap *heap, uint32_t chunk, uint64_t granule) {
	if (arena.chunks[chunk].kind == CHUNK_BLOCK) {
		give_block(heap, chunk, granule);
		return;
	}
	unsigned class = arena.chunks[chunk].kind - CHUNK_SPAN;
	/* Counted before it is marked: a span that is counted for stays what it is. */
	uint32_t before = atomic_fetch_add_explicit(&arena.chunks[chunk].pending, 1, memory_order_acq_rel);
	mark(granule);
	if (!before)
		pending_push(&heap->class[class].pending, chunk);
}
