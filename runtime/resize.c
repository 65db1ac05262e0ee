/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resizing of objects. */
#include <stdint.h>
#include <string.h>

#include "runtime/allocator.h"
#include "runtime/log.h"
#include "runtime/next.h"
#include "runtime/requests.h"

/* Resizes in place or by moving pages. Returns NULL if the object must be copied. */
static void *resize_in_place(void *memory, size_t size) {
	struct thread *thread = &this_thread;
	uint32_t chunk;
	struct heap *heap = find_heap_of(memory, &chunk);
	if (arena.chunks[chunk].kind >= CHUNK_SPAN) {
		size_t bytes = sizes_bytes(arena.chunks[chunk].kind - CHUNK_SPAN);
		/* An object stays as long as it uses half of its slot. */
		return size <= bytes && size >= bytes / 2 ? memory : NULL;
	}
	struct heap *own = NULL;
	if (atomic_load_explicit(&heap->owner, memory_order_relaxed) != thread || !(own = thread_enter(thread)))
		return NULL;
	void *moved = blocks_resize(heap, memory, size);
	thread_leave(thread, own);
	return moved;
}

static void *resize_object(void *memory, size_t size) {
	void *moved = arena_has(memory) ? resize_in_place(memory, size) : NULL;
	if (moved)
		return moved;
	size_t old = allocator_usable(memory);
	moved = allocate(size, GRANULE_BYTES, false);
	if (!moved)
		return NULL;
	memcpy(moved, memory, old < size ? old : size);
	return moved;
}

void *allocator_resize(void *memory, size_t size) {
	if (!memory)
		return allocator_allocate(size, GRANULE_BYTES, false);
	if (!size) {
		allocator_free(memory); /* as glibc does */
		return NULL;
	}
	bool ours = arena_has(memory);
	if (size > PTRDIFF_MAX - 2 * GRANULE_BYTES)
		return out_of_memory();
	if (!ours)
		check_foreign(memory);
	/* An object that becomes small moves to the arena: the next allocator would leave it in place. */
	bool here = ours || (requests.small && size <= SIZES_SMALL_MAX);
	void *moved = here ? resize_object(memory, size) : next_resize(memory, size);
	if (!LIKELY(!log_on) && moved)
		log_event(IFR_LOG_REALLOC, size, moved, memory);
	/* A block whose pages have moved is no longer live at its old address. */
	if (here && moved && moved != memory && !ours)
		next_free(memory);
	else if (here && moved && moved != memory && live_test(arena_granule(memory)))
		free_object(memory);
	return moved;
}
