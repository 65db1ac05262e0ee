/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remote frees: a thread frees an object of another thread's heap.
 *
 * The freeing thread sets the object's bit in `remote` and pushes its span on a list of the class. The owner
 * drains the list only when it needs slots, so that the moment of a remote free hardly ever affects addresses.
 *
 * Invariant: a span with a marked object is on the list or about to be pushed, and does not change its class
 * meanwhile. It holds because `pending` is incremented before the bit is set, the thread that increments it from 0
 * pushes the span, and the owner subtracts only the bits that it has taken.
 *
 * Ref: the sharded free lists of mimalloc (Leijen, Zorn and de Moura 2019, section 2.4), with bits instead of
 * links through the objects. */
#include "runtime/heap.h"

#include "runtime/os.h"

void pending_push(_Atomic uint32_t *list, uint32_t chunk) {
	uint32_t head = atomic_load_explicit(list, memory_order_relaxed);
	do {
		arena.chunks[chunk].next = head;
	} while (
		!atomic_compare_exchange_weak_explicit(list, &head, chunk, memory_order_release, memory_order_relaxed));
}

static void mark_remote(uint64_t granule) {
	uint64_t bit = 1ull << (granule & 63);
	if (atomic_fetch_or_explicit(&arena.remote[granule >> 6], bit, memory_order_acq_rel) & bit)
		os_stop("double free of", arena_address(granule));
}

enum { PURGE_BYTES = 256 * 1024 };

/* The owner may drain late: a large block's memory is returned at once. */
static void free_block(struct heap *heap, uint32_t chunk, uint64_t granule) {
	mark_remote(granule);
	if (arena.blocks[chunk].bytes >= PURGE_BYTES)
		os_purge(arena_chunk_address(chunk), (size_t)arena.blocks[chunk].chunks << CHUNK_SHIFT);
	pending_push(&heap->blocks.pending, chunk);
}

void remote_free(struct heap *heap, uint32_t chunk, uint64_t granule) {
	if (arena.chunks[chunk].kind == CHUNK_BLOCK) {
		free_block(heap, chunk, granule);
		return;
	}
	unsigned class = arena.chunks[chunk].kind - CHUNK_SPAN;
	/* Counted before it is marked: a span with a pending count keeps its class. */
	uint32_t before = atomic_fetch_add_explicit(&arena.chunks[chunk].pending, 1, memory_order_acq_rel);
	mark_remote(granule);
	if (!before)
		pending_push(&heap->class[class].pending, chunk);
}
