/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/allocator.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "runtime/log.h"
#include "runtime/next.h"
#include "runtime/os.h"
#include "runtime/side.h"
#include "runtime/threads.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

static _Atomic enum { BEFORE, STARTING, STARTED } stage;
static bool places_small, places_blocks;
static _Atomic bool next_used; /* some memory of the program's came from the next allocator */

static void apply(void) {
	places_small = heap_options.heap != HEAP_GLIBC;
	places_blocks = heap_options.blocks != BLOCKS_GLIBC;
	if (places_small || places_blocks)
		report_applied((arena.at_hint ? IFR_APPLIED_ADDRESS : 0) | (places_small ? IFR_APPLIED_HEAP : 0) |
		               (places_blocks ? IFR_APPLIED_BLOCKS : 0));
}

static void start(size_t most_bytes) {
	bool wanted = heap_options.heap != HEAP_GLIBC || heap_options.blocks != BLOCKS_GLIBC;
	next_find();
	side_init();
	report_open(heap_options.report);
	if (*heap_options.refused)
		report_refuse(heap_options.refused, "");
	if (wanted && !arena_init(most_bytes, heap_bytes)) {
		heap_options.heap = HEAP_GLIBC;
		heap_options.blocks = BLOCKS_GLIBC;
		report_refuse("heap and blocks:", "the system gives no address space to place them in");
	} else if (wanted) {
		threads_init();
	}
	apply();
	if (*heap_options.log && log_open(heap_options.log))
		report_applied(IFR_APPLIED_LOG);
	else if (*heap_options.log)
		report_refuse("log:", heap_options.log);
	report_applied(IFR_APPLIED_RUNTIME);
}

void allocator_start(void) {
	int before = BEFORE;
	/* The first request comes from the dynamic loader, which has one thread. */
	if (!atomic_compare_exchange_strong(&stage, &before, STARTING))
		return;
	options_init(&heap_options);
	/* A program with more rights than its user does not listen to its user's environment. */
	if (!os_secure())
		options_read(&heap_options);
	start(SIZE_MAX);
	stage = STARTED;
}

void allocator_start_with(const struct options *options, size_t most_bytes) {
	heap_options = *options;
	start(most_bytes);
	stage = STARTED;
}

void allocator_stop(void) {
	arena_release();
	memset(&this_thread, 0, sizeof this_thread);
	next_used = false;
	log_on = false;
	stage = BEFORE;
}

static void *out_of_memory(void) {
	errno = ENOMEM;
	return NULL;
}

static void *take_elsewhere(size_t size, size_t alignment, bool zero) {
	bool ours = size > SIZES_SMALL_MAX || alignment > OS_PAGE_BYTES ? places_blocks : places_small;
	if (ours)
		atomic_fetch_add_explicit(&report->elsewhere, 1, memory_order_relaxed);
	if (!next_used)
		next_used = true;
	return next_allocate(size, alignment, zero);
}

static inline void *take_from(struct heap *heap, size_t size, size_t alignment, bool zero) {
	size_t rounded = size;
	if (alignment > GRANULE_BYTES || heap_options.granule_bytes > GRANULE_BYTES) {
		size_t step = alignment > heap_options.granule_bytes ? alignment : heap_options.granule_bytes;
		rounded = size ? (size + step - 1) & ~(step - 1) : step;
	}
	if (LIKELY(rounded <= SIZES_SMALL_MAX && alignment <= OS_PAGE_BYTES && places_small)) {
		uint64_t granule = slots_take(heap, sizes_class(rounded));
		if (LIKELY(granule))
			return zero ? memset(arena_address(granule), 0, size) : arena_address(granule);
	} else if (places_blocks && (size > SIZES_SMALL_MAX || places_small)) {
		return blocks_take(heap, size, alignment, zero);
	}
	return NULL;
}

/* Everything but the common case: the first request, signal handlers inside another, threads without a heap,
 * requests that are not for us. */
static __attribute__((noinline)) void *take_slowly(size_t size, size_t alignment, bool zero) {
	struct thread *thread = &this_thread;
	if (stage != STARTED) {
		allocator_start();
		if (stage != STARTED) {
			void *early = next_early(size);
			return early && alignment <= 16 ? early : take_elsewhere(size, alignment, zero);
		}
	}
	if (!arena.base)
		return take_elsewhere(size, alignment, zero);
	struct heap *heap = NULL;
	void *memory = NULL;
	if (!thread->busy) {
		thread->busy = true;
		atomic_signal_fence(memory_order_seq_cst);
		heap = threads_heap();
		memory = heap ? take_from(heap, size, alignment, zero) : NULL;
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = false;
	}
	if (!heap && (heap = threads_enter_shared())) {
		memory = take_from(heap, size, alignment, zero);
		threads_leave_shared();
	}
	return memory ? memory : take_elsewhere(size, alignment, zero);
}

static inline void *take(size_t size, size_t alignment, bool zero) {
	struct thread *thread = &this_thread;
	struct heap *heap = thread->heap;
	void *memory = NULL;
	/* A size that no object may have overflows where it is rounded. */
	if (size > PTRDIFF_MAX - 2 * alignment)
		return out_of_memory();
	if (LIKELY(heap && !thread->busy)) {
		thread->busy = true;
		atomic_signal_fence(memory_order_seq_cst);
		memory = take_from(heap, size, alignment, zero);
		atomic_signal_fence(memory_order_seq_cst);
		thread->busy = false;
	}
	return LIKELY(memory) ? memory : take_slowly(size, alignment, zero);
}

void *allocator_take(size_t size, size_t alignment, bool zero) {
	void *memory = take(size, alignment, zero);
	if (!LIKELY(!log_on) && memory)
		log_event(alignment > GRANULE_BYTES ? IFR_LOG_ALIGNED
		          : zero                    ? IFR_LOG_CALLOC
		                                    : IFR_LOG_MALLOC,
		          size, memory, NULL);
	return memory;
}

/* Memory outside the arena is the next allocator's, which says less about a bad pointer, or reads in front of it
 * and faults. What we know of our own is told here. */
static void check_foreign(const void *memory) {
	if (!arena.base || atomic_load_explicit(&report->elsewhere, memory_order_relaxed))
		return;
	bool bad = (next_is_glibc() && (uintptr_t)memory % 16) || (places_small && places_blocks && !next_used);
	/* With small objects in the arena, what glibc has is large, or aligned to more than a page. */
	if (!bad && places_small && next_is_glibc() && (uintptr_t)memory % (2 * OS_PAGE_BYTES))
		bad = next_glibc_bytes(memory) < SIZES_SMALL_MAX;
	if (bad)
		os_stop("invalid free of", memory);
}

static _Noreturn void stop_free(const void *memory, uint32_t chunk) {
	uint8_t kind = arena.chunks[chunk].kind;
	uint64_t granule = arena_granule(memory);
	bool once = (uintptr_t)memory % GRANULE_BYTES == 0;
	if (kind >= CHUNK_SPAN)
		once = once && slots_is_slot(chunk, granule);
	else if (kind == CHUNK_BLOCK)
		once = once && (uintptr_t)memory % CHUNK_BYTES == arena.blocks[chunk].offset;
	os_stop(once && kind != CHUNK_NONE ? "double free of" : "invalid free of", memory);
}

/* The heap that memory in the arena belongs to, and the first chunk of what it lies in. Stops the program unless
 * it is an object that is alive. */
static inline struct heap *find_owner(const void *memory, uint32_t *chunk) {
	struct heap *heap = heap_of(memory);
	if (!LIKELY(heap != NULL))
		os_stop("invalid free of", memory);
	*chunk = chunk_head(arena_chunk(memory));
	if (!LIKELY(live_test(arena_granule(memory)) && !((uintptr_t)memory & 15)))
		stop_free(memory, *chunk);
	return heap;
}

static inline void free_object(void *memory) {
	struct thread *thread = &this_thread;
	uint32_t chunk;
	struct heap *heap = find_owner(memory, &chunk);
	uint64_t granule = arena_granule(memory);
	bool mine = atomic_load_explicit(&heap->owner, memory_order_relaxed) == thread && !thread->busy;
	if (!LIKELY(mine)) {
		remote_give(heap, chunk, granule);
		return;
	}
	/* Freed by another thread, and by us again? */
	if (arena.chunks[chunk].pending &&
	    atomic_load_explicit(&arena.remote[granule >> 6], memory_order_relaxed) >> (granule & 63) & 1)
		os_stop("double free of", memory);
	thread->busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	if (LIKELY(arena.chunks[chunk].kind >= CHUNK_SPAN))
		slots_give(heap, chunk, granule);
	else
		blocks_give(heap, chunk, granule);
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = false;
}

void allocator_free(void *memory) {
	if (!memory)
		return;
	if (!LIKELY(!log_on))
		log_event(IFR_LOG_FREE, 0, memory, NULL);
	if (LIKELY(arena_has(memory))) {
		free_object(memory);
	} else {
		check_foreign(memory);
		next_free(memory);
	}
}

size_t allocator_usable(void *memory) {
	uint32_t chunk;
	if (!memory)
		return 0;
	if (!arena_has(memory))
		return next_usable(memory);
	find_owner(memory, &chunk);
	uint8_t kind = arena.chunks[chunk].kind;
	return kind >= CHUNK_SPAN ? sizes_bytes(kind - CHUNK_SPAN) : arena.blocks[chunk].bytes;
}

/* Where it stays, or where its pages move to; NULL if it has to be copied. */
static void *resize_in_place(void *memory, size_t size) {
	struct thread *thread = &this_thread;
	uint32_t chunk;
	struct heap *heap = find_owner(memory, &chunk);
	if (arena.chunks[chunk].kind >= CHUNK_SPAN) {
		size_t bytes = sizes_bytes(arena.chunks[chunk].kind - CHUNK_SPAN);
		/* As long as at least half of the slot is used. */
		return size <= bytes && size >= bytes / 2 ? memory : NULL;
	}
	if (atomic_load_explicit(&heap->owner, memory_order_relaxed) != thread || thread->busy)
		return NULL;
	thread->busy = true;
	atomic_signal_fence(memory_order_seq_cst);
	void *moved = blocks_resize(heap, memory, size);
	atomic_signal_fence(memory_order_seq_cst);
	thread->busy = false;
	return moved;
}

static void *resize(void *memory, size_t size) {
	void *moved = arena_has(memory) ? resize_in_place(memory, size) : NULL;
	if (moved)
		return moved;
	size_t old = allocator_usable(memory);
	moved = take(size, GRANULE_BYTES, false);
	if (!moved)
		return NULL;
	memcpy(moved, memory, old < size ? old : size);
	return moved;
}

void *allocator_resize(void *memory, size_t size) {
	if (!memory)
		return allocator_take(size, GRANULE_BYTES, false);
	if (!size) {
		allocator_free(memory); /* as glibc does */
		return NULL;
	}
	bool ours = arena_has(memory);
	if (size > PTRDIFF_MAX - 2 * GRANULE_BYTES)
		return out_of_memory();
	if (!ours)
		check_foreign(memory);
	/* What becomes small comes here: the next allocator would leave it where it is. */
	bool here = ours || (places_small && size <= SIZES_SMALL_MAX);
	void *moved = here ? resize(memory, size) : next_resize(memory, size);
	if (!LIKELY(!log_on) && moved)
		log_event(IFR_LOG_REALLOC, size, moved, memory);
	/* A block whose pages have moved is no longer alive where it was. */
	if (here && moved && moved != memory && !ours)
		next_free(memory);
	else if (here && moved && moved != memory && live_test(arena_granule(memory)))
		free_object(memory);
	return moved;
}
