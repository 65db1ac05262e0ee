/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arena: one reservation of address space that always begins at the same address, and the tables that describe
 * it, which lie apart from it.
 *
 *   arena    all that the runtime hands out, cut into windows
 *   window   a part of it; a heap, hence a thread, has one, the first thread several in a row: their lower half
 * holds spans, their upper half blocks chunk    64 KiB, the unit in which windows are used span     1, 4 or 8
 * chunks full of slots of one size class slot     a small object's place block    whole chunks for one large
 * object granule  16 bytes; each has a bit in every bitmap, and an object's bit is that of its first granule
 *
 * Chunks and granules are numbered from the arena's beginning. All tables cover the whole arena and cost memory
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

/* What a chunk is; sizes_class numbers + CHUNK_SPAN for spans. */
enum chunk_kind { CHUNK_NONE, CHUNK_BLOCK, CHUNK_FREE, CHUNK_SPAN };

/* Of a span or block only the first chunk's entry is used, but for kind and back of a span's others. */
struct chunk {
	_Atomic uint8_t kind;
	uint8_t back;             /* chunks from a span's first to this one */
	uint16_t held;            /* a span's slots that are not free to take */
	_Atomic uint32_t pending; /* objects in it that other threads freed and the owner has not yet seen */
	uint32_t next;            /* in a list of chunks; 0 ends it */
	uint32_t index;           /* a span's place among its class's; a free run's predecessor in its list */
};

/* A block, or a run of free chunks in the half for blocks. */
struct block {
	uint64_t bytes;  /* usable */
	uint32_t chunks; /* also in a free run's last chunk */
	uint16_t offset; /* of the block's first byte in its first chunk */
	uint16_t dirty;  /* a free run's memory does not read as zero */
};

struct heap;

struct arena {
	uintptr_t base; /* 0: there is none, and every request goes to the next allocator */
	size_t bytes;
	unsigned window_shift; /* log2 of a window's bytes */
	unsigned windows;
	unsigned main_windows;    /* of them are the first thread's */
	struct chunk *chunks;     /* by chunk */
	struct block *blocks;     /* by chunk */
	_Atomic uint64_t *live;   /* by granule: the program has this object; written by the owner alone */
	uint64_t *held;           /* by granule: this slot is live or set aside by the owner (heap mode shuffle) */
	_Atomic uint64_t *remote; /* by granule: another thread has freed this object */
	struct heap *_Atomic heap[ARENA_WINDOWS_MAX];
	char *heaps; /* room for the heaps, by window */
	size_t main_heap_bytes, heap_bytes;
	bool at_hint; /* it lies where it lies in every run */
};

extern struct arena arena;

/* Reserves it, as large as the limits allow but at most most_bytes; heap_bytes(chunks in half of its windows) is
 * the room for one heap's own data. False if not even a small one is to be had. */
bool arena_init(size_t most_bytes, size_t (*heap_bytes)(uint32_t half_chunks));
/* Gives it back. For tests: nothing may be in use. */
void arena_release(void);

/* Makes the tables of some windows usable, and the room for one heap in them. False without memory. */
bool arena_open(unsigned window, unsigned count);
/* Room for the heap that begins in a window. */
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

/* The owner alone writes live bits, so a plain read and write suffice; others read whole words. */
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

/* A stretch of one half of a window, handed out from below. */
struct area {
	uint32_t first, next, committed, end; /* chunks */
};
void area_init(struct area *area, uint32_t first, uint32_t chunks);
/* The number of the first of so many new chunks, all zeros; 0 when there are no more. */
uint32_t area_allocate(struct area *area, uint32_t chunks);

#endif
