/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heap: the small objects and blocks of one thread at a time, in its windows of the arena. Only the owner
 * allocates, without a lock; any thread may free, by setting a bit that the owner drains later (remote.c). An
 * object's address depends on the seed, the heap's id and the owner's sequence of requests. */
#ifndef IFR_RUNTIME_HEAP_H
#define IFR_RUNTIME_HEAP_H

#include <pthread.h>

#include "runtime/arena.h"
#include "runtime/options.h"
#include "runtime/sizes.h"

/* SET_ASIDE_PAGED_MAX: of slots of a page and more, of which shuffle.c sets fewer aside. */
enum { SET_ASIDE_SLOTS_MAX = 512, SET_ASIDE_PAGED_MAX = 64, DRAWN_POSITIONS = 16 };

/* A size class. Its slots are numbered: slot s of span i is i * slots + s, and begins at granule
 * spans[i] + s * granules. Granules are counted from the heap's first. */
struct heap_class {
	uint64_t key; /* of its random numbers; draws counts them */
	uint64_t draws;
	uint32_t *top;                     /* end of the stack of slots set aside */
	uint32_t *low;                     /* a request that finds no more than these searches for slots */
	uint32_t *high;                    /* shuffle: at this height the older half is released to its spans */
	uint32_t window;                   /* shuffle: number of topmost slots from which one is drawn; diehard: 0 */
	uint32_t picks;                    /* shuffle: used positions of those drawn in advance */
	uint8_t position[DRAWN_POSITIONS]; /* shuffle: positions drawn in advance, from the top */
	uint32_t used;                     /* slots that are live or set aside */
	uint32_t granules, slots;          /* granules from slot to slot; slots in a span */
	uint32_t span_count;
	uint32_t *spans;          /* first slot of each span, by granule; as many as a window can hold */
	uint64_t slots_inverse;   /* ceil(2^64 / slots) */
	_Atomic uint32_t pending; /* list of spans with remote frees; 0: none */
	uint32_t capacity, limit; /* diehard: slots to draw from; how many may be used */
	uint32_t frees;           /* diehard: frees since memory was last purged */
	uint32_t scan_span, scan_slot, scan_left; /* shuffle: position of the search for free slots */
	uint32_t *aside;                          /* stack of slots set aside, by granule */
};

enum { BLOCK_BINS = 20, BLOCK_OFFSETS = 256 };

/* The blocks of a heap. */
struct heap_blocks {
	uint64_t key, draws;
	struct area area;
	uint64_t dirty_bytes;           /* bytes of dirty free runs */
	uint64_t largest_bytes;         /* largest block ever freed */
	uint32_t moves;                 /* moves of pages so far */
	uint32_t bin[BLOCK_BINS];       /* first free run by log2 of its chunks; 0: none */
	_Atomic uint32_t pending;       /* list of remotely freed blocks; 0: none */
	uint32_t rotation;              /* alias-free: 0 … BLOCK_OFFSETS-1 */
	uint16_t in_use[BLOCK_OFFSETS]; /* alias-free: live blocks by page offset / 16 */
};

struct thread; /* threads.h */

struct heap {
	/* Read by the fast path of malloc and free: */
	char *base;             /* address of its first granule */
	size_t small_bytes;     /* size of its half for small objects, from base */
	_Atomic uint64_t *live; /* its part of the arena's tables: live, chunks */
	struct chunk *chunks;

	struct thread *_Atomic owner; /* NULL: none; a thread is identified by the address of its state */
	uint64_t id;       /* position in the tree of threads: 0 for the first, else a hash of (parent, number) */
	uint32_t children; /* threads that the owner has started */
	unsigned child_window, child_end; /* windows of the threads that the owner starts */
	uint32_t half_chunks;
	struct heap *all; /* next in the list of all heaps */
	uint64_t first_granule;
	struct area spans;
	uint32_t free_spans[9]; /* lists of empty spans, by number of chunks */
	uint64_t kept_bytes;    /* committed bytes in empty spans */
	/* threads.c: */
	pthread_t thread;
	enum heap_standing { HEAP_SPARE, HEAP_STARTING, HEAP_STARTED, HEAP_RUNNING, HEAP_ENDED } standing;
	bool detached, joining;
	unsigned uses;     /* number of threads that used it */
	struct heap *next; /* next in a list of spare heaps */
	void *(*start)(void *);
	void *argument;
	struct heap_blocks blocks;
	struct heap_class class[SIZES_CLASSES];
	uint32_t aside[SIZES_PAGE_CLASS][SET_ASIDE_SLOTS_MAX];
	uint32_t aside_paged[SIZES_CLASSES - SIZES_PAGE_CLASS][SET_ASIDE_PAGED_MAX];
};

extern struct options heap_options;

size_t heap_bytes(uint32_t half_chunks);
/* Initialises a heap in open windows. */
void heap_init(struct heap *heap, unsigned window, unsigned windows, uint64_t id);
/* Gives a reused heap a new id, and with it new random keys. */
void heap_set_id(struct heap *heap, uint64_t id);
/* Drains all remote frees. Called by the owner. */
void heap_drain(struct heap *heap);

static inline uint64_t heap_draw(uint64_t key, uint64_t *draws) {
	/* Draw n is a hash of (key, n). Ref: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
	 * generators", section 5: mix64 over a Weyl sequence. */
	uint64_t z = key + ++*draws * UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline struct heap *heap_of(const void *address) {
	size_t window = ((uintptr_t)address - arena.base) >> arena.window_shift;
	return atomic_load_explicit(&arena.heap[window], memory_order_acquire);
}

static inline uint32_t chunk_head(uint32_t chunk) {
	return chunk - arena.chunks[chunk].back;
}

/* slots.c: spans. slots.h has the code that both placement modes share. */
/* Drains the remote frees of a class. */
void slots_drain(struct heap *heap, unsigned class);
/* Adds a span to a class, as its last one. Returns false without memory. */
bool slots_add_span(struct heap *heap, unsigned class);
/* Removes an empty span from its class. */
void slots_drop_span(struct heap *heap, uint32_t span, unsigned chunks);
/* Whether a slot of the span begins at granule. */
bool slots_is_slot(const struct heap *heap, uint32_t span, uint64_t granule);

/* diehard.c and shuffle.c: the two placement modes. */
void diehard_init(struct heap_class *c);
void shuffle_init(struct heap_class *c);
/* Set slots aside; none when memory has run out. */
void diehard_set_aside(struct heap *heap, unsigned class);
void shuffle_set_aside(struct heap *heap, unsigned class);
/* After a free. diehard_empty: the span has no used slots any more. shuffle_spill: so many slots are set aside
 * that some are released to their spans. */
void diehard_empty(struct heap *heap, struct heap_class *c, struct chunk *span);
void shuffle_spill(struct heap *heap, struct heap_class *c, struct chunk *span);

/* blocks.c. Allocates a block, zeroed if zero; NULL if the window is full. */
void *blocks_allocate(struct heap *heap, size_t bytes, size_t alignment, bool zero);
void blocks_free(struct heap *heap, uint32_t chunk, uint64_t granule);
/* Resizes in position or by moving pages. Returns NULL, without effect, if neither is possible. */
void *blocks_resize(struct heap *heap, void *block, size_t bytes);
void blocks_drain(struct heap *heap);
/* blocks_offset.c: chooses the page offset of a new block, a multiple of alignment below 4096; 0 for larger
 * alignments. */
unsigned blocks_offset(struct heap_blocks *blocks, size_t alignment);
/* The page offset of the number-th of some blocks, in bytes: those of any first n are as far apart as n can be, within a
 * factor of two. */
unsigned blocks_spread(unsigned number);
void blocks_offset_done(struct heap_blocks *blocks, unsigned offset);

/* remote.c: pushes a span or block on a list that its owner drains as a whole. */
void pending_push(_Atomic uint32_t *list, uint32_t chunk);
/* Frees an object of another thread's heap: lock-free, async-signal-safe. */
void remote_free(struct heap *heap, uint32_t chunk, uint64_t granule);

#endif
