/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arena: one reservation of address space that begins at the same address in every run, and the tables that
 * describe it, which lie elsewhere.
 *
 *   arena     all memory that the runtime hands out, divided into windows
 *   window    a part of the arena. A heap (hence a thread) has one, the first thread's heap several in a row. Their
 *             lower half holds spans, their upper half blocks.
 *   chunk     64 KiB, the unit in which windows are used
 *   span      1, 4 or 8 chunks of slots of one size class
 *   slot      memory for one small object
 *   block     whole chunks for one large object
 *   granule   16 bytes. Each granule has a bit in every bitmap; an object's bit is that of its first granule.
 *
 * Chunks and granules are numbered from the start of the arena. All tables cover the whole arena, and take memory
 * only where they are touched. */
#ifndef IFR_RUNTIME_ARENA_H
#define IFR_RUNTIME_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CHUNK_SHIFT = 16,
	CHUNK_BYTES = 1 << CHUNK_SHIFT,
	GRANULE_SHIFT = 4,
	GRANULE_BYTES = 1 << GRANULE_SHIFT,
	CHUNK_GRANULES = CHUNK_BYTES >> GRANULE_SHIFT,
	ARENA_WINDOWS_MAX = 8192
};

/* Kind of a chunk. A span has CHUNK_SPAN plus its size class. */
enum chunk_kind { CHUNK_NONE, CHUNK_BLOCK, CHUNK_FREE, CHUNK_SPAN };

/* State of a chunk. Of a span or block only the first chunk's entry is used, except for kind and back of a span's
 * other chunks. */
struct chunk {
	_Atomic uint8_t kind;
	uint8_t back;             /* distance to the span's first chunk */
	uint16_t held;            /* slots of a span that are live or set aside */
	_Atomic uint32_t pending; /* objects freed by other threads that the owner has not drained yet */
	uint32_t next;            /* in a list of chunks; 0 ends it */
	uint32_t index;           /* index of a span in its class; previous run in the list of a free run */
};

/* A block, or a free run (adjacent free chunks) among the blocks. */
struct block {
	uint64_t bytes;  /* usable */
	uint32_t chunks; /* length; of a free run also in its last chunk's entry */
	uint16_t offset; /* offset of the first byte in the first chunk */
	uint16_t dirty;  /* free run: memory may be nonzero */
};

struct heap;

struct arena {
	uintptr_t base; /* 0: no arena, every request goes to the next allocator */
	size_t bytes;
	unsigned window_shift; /* log2 of a window's size in bytes */
	unsigned windows;
	unsigned main_windows;    /* windows of the first thread */
	struct chunk *chunks;     /* by chunk */
	struct block *blocks;     /* by chunk */
	_Atomic uint64_t *live;   /* by granule: the object is live; written by the owner only */
	uint64_t *held;           /* by granule: the slot is live or set aside (heap mode shuffle) */
	_Atomic uint64_t *remote; /* by granule: another thread has freed the object */
	struct heap *_Atomic heap[ARENA_WINDOWS_MAX];
	char *heaps; /* memory for the heaps, by window */
	size_t main_heap_bytes, heap_bytes;
	bool at_hint; /* the arena begins at its preferred address */
};

extern struct arena arena;

/* Reserves the arena, as large as limits allow and at most most_bytes. heap_bytes(half_chunks): size of the struct
 * of a heap with so many chunks in half of its windows. Returns false if not even a small arena can be reserved.
 */
bool arena_init(size_t most_bytes, size_t (*heap_bytes)(uint32_t half_chunks));
/* Releases the arena. For tests: nothing may be in use. */
void arena_release(void);

/* Makes the tables of some windows usable, and memory for one heap in them. Returns false without memory. */
bool arena_open(unsigned window, unsigned count);
/* Returns the memory for the heap that begins in a window. */
struct heap *arena_heap_room(unsigned window);

static inline uint32_t arena_window_chunks(void) {
	return (uint32_t)(1ull << (arena.window_shift - CHUNK_SHIFT));
}

static inline bool arena_has(const void *address) {
	return (uintptr_t)address - arena.base < arena.bytes;
}

static inline uint64_t arena_granule(const void *address) {
	return ((uintptr_t)address - arena.base) >> GRANULE_SHIFT;
}

static inline void *arena_address(uint64_t granule) {
	return (void *)(arena.base + (granule << GRANULE_SHIFT));
}

static inline uint32_t arena_chunk(const void *address) {
	return (uint32_t)(((uintptr_t)address - arena.base) >> CHUNK_SHIFT);
}

static inline void *arena_chunk_address(uint32_t chunk) {
	return (void *)(arena.base + ((uintptr_t)chunk << CHUNK_SHIFT));
}

/* Only the owner writes live bits, so that a plain read and write suffice. */
static inline bool live_test(uint64_t granule) {
	return atomic_load_explicit(&arena.live[granule >> 6], memory_order_relaxed) >> (granule & 63) & 1;
}

static inline void live_set(uint64_t granule) {
	_Atomic uint64_t *word = &arena.live[granule >> 6];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) | 1ull << (granule & 63);
	atomic_store_explicit(word, bits, memory_order_relaxed);
}

static inline void live_clear(uint64_t granule) {
	_Atomic uint64_t *word = &arena.live[granule >> 6];
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed) & ~(1ull << (granule & 63));
	atomic_store_explicit(word, bits, memory_order_relaxed);
}

/* A part of one half of a window, allocated from its lower end. */
struct area {
	uint32_t first, next, committed, end; /* chunks */
};
void area_init(struct area *area, uint32_t first, uint32_t chunks);
/* Allocates zeroed chunks. Returns the first one's number; 0 if the area is full. */
uint32_t area_allocate(struct area *area, uint32_t chunks);

#endif
