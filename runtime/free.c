/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free, and the checks of addresses. */
#include <stdint.h>

#include "runtime/allocator.h"
#include "runtime/log.h"
#include "runtime/next.h"
#include "runtime/os.h"
#include "runtime/requests.h"
#include "runtime/side.h"
#include "runtime/slots.h"

/* Reports bad pointers outside the arena where this allocator can tell: the next allocator would report less, or
 * would read in front of the pointer and fault. */
void check_foreign(const void *memory) {
	if (!arena.base || atomic_load_explicit(&report->elsewhere, memory_order_relaxed))
		return;
	bool bad =
		(next_is_glibc() && (uintptr_t)memory % 16) || (requests.small && requests.blocks && !requests.next_used);
	/* With small objects in the arena, glibc has only large or highly aligned ones. */
	if (!bad && requests.small && next_is_glibc() && (uintptr_t)memory % (2 * OS_PAGE_BYTES))
		bad = next_glibc_bytes(memory) < SIZES_SMALL_MAX;
	if (bad)
		os_stop("invalid free of", memory);
}

static _Noreturn void stop_free(const void *memory, uint32_t chunk) {
	uint8_t kind = arena.chunks[chunk].kind;
	uint64_t granule = arena_granule(memory);
	bool is_object = (uintptr_t)memory % GRANULE_BYTES == 0;
	if (kind >= CHUNK_SPAN)
		is_object = is_object && slots_is_slot(heap_of(memory), chunk, granule);
	else if (kind == CHUNK_BLOCK)
		is_object = is_object && (uintptr_t)memory % CHUNK_BYTES == arena.blocks[chunk].offset;
	os_stop(is_object && kind != CHUNK_NONE ? "double free of" : "invalid free of", memory);
}

struct heap *find_heap_of(const void *memory, uint32_t *chunk) {
	struct heap *heap = heap_of(memory);
	if (!LIKELY(heap != NULL))
		os_stop("invalid free of", memory);
	*chunk = chunk_head(arena_chunk(memory));
	if (!LIKELY(live_test(arena_granule(memory)) && !((uintptr_t)memory & 15)))
		stop_free(memory, *chunk);
	return heap;
}

static inline bool freed_remotely(uint32_t chunk, uint64_t granule) {
	return arena.chunks[chunk].pending &&
	       atomic_load_explicit(&arena.remote[granule >> 6], memory_order_relaxed) >> (granule & 63) & 1;
}

void free_object(void *memory) {
	struct thread *thread = &this_thread;
	uint32_t chunk;
	struct heap *heap = find_heap_of(memory, &chunk), *own;
	uint64_t granule = arena_granule(memory);
	bool mine = atomic_load_explicit(&heap->owner, memory_order_relaxed) == thread;
	if (!mine || !(own = thread_enter(thread))) {
		remote_free(heap, chunk, granule);
		return;
	}
	if (freed_remotely(chunk, granule))
		os_stop("double free of", memory);
	if (arena.chunks[chunk].kind >= CHUNK_SPAN)
		slots_free(heap, &arena.chunks[chunk], (uint32_t)(granule - heap->first_granule));
	else
		blocks_free(heap, chunk, granule);
	thread_leave(thread, own);
}

static __attribute__((noinline)) void free_slowly(void *memory) {
	if (!memory)
		return;
	if (log_on)
		log_event(IFR_LOG_FREE, 0, memory, NULL);
	if (arena_has(memory)) {
		free_object(memory);
	} else {
		check_foreign(memory);
		next_free(memory);
	}
}

/* Frees a small object of a heap that is entered. Returns false, without effect, if anything is unusual. */
static inline __attribute__((always_inline)) bool push_fast(struct heap *heap, size_t offset) {
	uint32_t granule = (uint32_t)(offset >> GRANULE_SHIFT);
	struct chunk *span = slots_span(heap, offset);
	bool live = atomic_load_explicit(&heap->live[granule / 64], memory_order_relaxed) >> (granule & 63) & 1;
	if (!LIKELY(live && !span->pending))
		return false;
	struct heap_class *c = slots_class_of(heap, span);
	if (!LIKELY(slots_push_suffices(c, span)))
		return false;
	slots_push(heap, c, span, granule);
	return true;
}

/* Frees a small object of the calling thread's own heap. Returns false, without effect, if anything is unusual. The
 * heap is entered before its slots are looked at: a signal handler in between could change them. */
static inline bool free_fast(struct thread *thread, void *memory) {
	struct heap *heap = thread->idle;
	if (!LIKELY(heap != NULL))
		return false;
	size_t offset = (uintptr_t)memory - (uintptr_t)heap->base;
	if (!LIKELY(offset < heap->small_bytes && !(offset & (GRANULE_BYTES - 1)) && !log_on))
		return false;
	thread_enter(thread);
	bool freed = push_fast(heap, offset);
	thread_leave(thread, heap);
	return freed;
}

void allocator_free(void *memory) {
	if (!LIKELY(free_fast(&this_thread, memory)))
		free_slowly(memory);
}

size_t allocator_usable(void *memory) {
	uint32_t chunk;
	if (!memory)
		return 0;
	if (!arena_has(memory))
		return next_usable(memory);
	find_heap_of(memory, &chunk);
	uint8_t kind = arena.chunks[chunk].kind;
	return kind >= CHUNK_SPAN ? sizes_bytes(kind - CHUNK_SPAN) : arena.blocks[chunk].bytes;
}
