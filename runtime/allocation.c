/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation: the fast path, the slow path, and the next allocator. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/allocator.h"
#include "runtime/log.h"
#include "runtime/next.h"
#include "runtime/os.h"
#include "runtime/requests.h"
#include "runtime/side.h"
#include "runtime/slots.h"

void *out_of_memory(void) {
	errno = ENOMEM;
	return NULL;
}

static void *allocate_next(size_t size, size_t alignment, bool zero) {
	bool ours = size > SIZES_SMALL_MAX || alignment > OS_PAGE_BYTES ? requests.blocks : requests.small;
	if (ours)
		atomic_fetch_add_explicit(&report->elsewhere, 1, memory_order_relaxed);
	if (!requests.next_used)
		requests.next_used = true;
	return next_allocate(size, alignment, zero);
}

static void *allocate_from(struct heap *heap, size_t size, size_t alignment, bool zero) {
	size_t granule = heap_options.granule_bytes, rounded = size ? size : 1;
	if (granule > GRANULE_BYTES)
		rounded = (rounded + granule - 1) / granule * granule;
	/* A size that is a multiple of a power of two has a class of such multiples (sizes.h). */
	rounded = (rounded + alignment - 1) & ~(alignment - 1);
	if (requests.small && rounded <= SIZES_SMALL_MAX && alignment <= OS_PAGE_BYTES) {
		size_t multiple = granule & -granule;
		unsigned class = sizes_aligned_class(slots_class(rounded), alignment > multiple ? alignment : multiple);
		void *object = slots_allocate(heap, class);
		return object && zero ? memset(object, 0, size) : object;
	}
	if (requests.blocks && (size > SIZES_SMALL_MAX || requests.small))
		return blocks_allocate(heap, size, alignment, zero);
	return NULL;
}

/* The slow path: the first request, signal handlers inside another request, threads without a heap, requests for
 * the next allocator. */
static __attribute__((noinline)) void *allocate_slowly(size_t size, size_t alignment, bool zero) {
	struct thread *thread = &this_thread;
	/* Such a size would overflow when it is rounded. */
	if (size > PTRDIFF_MAX - 2 * alignment)
		return out_of_memory();
	if (!requests.started && !allocator_start()) {
		void *early = next_early(size);
		return early && alignment <= 16 ? early : allocate_next(size, alignment, zero);
	}
	if (!arena.base)
		return allocate_next(size, alignment, zero);
	threads_heap();
	struct heap *heap = thread_enter(thread);
	void *memory = heap ? allocate_from(heap, size, alignment, zero) : NULL;
	thread_leave(thread, heap);
	if (!heap && (heap = threads_enter_shared())) {
		memory = allocate_from(heap, size, alignment, zero);
		threads_leave_shared();
	}
	return memory ? memory : allocate_next(size, alignment, zero);
}

/* The fast path. Returns NULL, without effect, if anything is unusual. The heap is entered before its slots are looked
 * at: a signal handler in between could take them. */
static inline __attribute__((always_inline)) void *allocate_fast(struct thread *thread, size_t size) {
	if (!LIKELY(thread->idle && size < requests.fast_end))
		return NULL;
	struct heap *heap = thread_enter(thread);
	struct heap_class *c = &heap->class[slots_class(size)];
	void *object = LIKELY(slots_are_set_aside(c)) ? slots_pop(heap, c) : NULL;
	thread_leave(thread, heap);
	return object;
}

void *allocate(size_t size, size_t alignment, bool zero) {
	void *object = alignment <= GRANULE_BYTES ? allocate_fast(&this_thread, size) : NULL;
	if (!LIKELY(object != NULL))
		return allocate_slowly(size, alignment, zero);
	return zero ? memset(object, 0, size) : object;
}

static __attribute__((noinline)) void *allocate_and_log(size_t size, size_t alignment, bool zero) {
	void *memory = allocate_slowly(size, alignment, zero);
	enum ifr_log_call call = alignment > GRANULE_BYTES ? IFR_LOG_ALIGNED : zero ? IFR_LOG_CALLOC : IFR_LOG_MALLOC;
	if (log_on && memory)
		log_event(call, size, memory, NULL);
	return memory;
}

void *allocator_allocate(size_t size, size_t alignment, bool zero) {
	/* No request takes the fast path while a log is written. */
	void *object = alignment <= GRANULE_BYTES ? allocate_fast(&this_thread, size) : NULL;
	if (!LIKELY(object != NULL))
		return allocate_and_log(size, alignment, zero);
	return zero ? memset(object, 0, size) : object;
}
