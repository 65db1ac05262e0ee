/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A heap: the small objects and blocks of one thread at a time, in a part of the arena. Only its owner allocates
 * in it, without a lock; any thread may free, by setting a bit that the owner sees later (remote.c). Where objects
 * lie depends on the seed, the heap's id and the sequence of the owner's requests. */
#ifndef IFR_RUNTIME_HEAP_H
#define IFR_RUNTIME_HEAP_H

#include <pthread.h>

#include "runtime/arena.h"
#include "runtime/options.h"
#include "runtime/sizes.h"

enum { SET_ASIDE_SLOTS_MAX = 512, PLACES = 16 };

/* The spans of one size class. Slots are numbered through: slot s of span i is i * slots + s. Granules are counted
 * from the heap's first. */
struct heap_class {
	uint64_t key; /* of its random numbers; draws counts them */
	uint64_t draws;
	uint32_t *top;            /* slots set aside: a stack in `aside`; one behind its last */
	uint32_t *low;            /* with no more than these on it, a request has to look for slots first; */
	uint32_t *high;           /* shuffle: with these the older half goes back to its spans */
	uint32_t window;          /* shuffle: from among so many of the topmost one is picked; diehard: 0 */
	uint32_t picks;           /* shuffle: places in the window, drawn in advance, that are used up */
	uint8_t place[PLACES];    /* shuffle: from the top */
	uint32_t used;            /* slots that are not free to take: live or set aside */
	uint32_t granules, slots; /* of a slot; in a span */
	uint32_t span_count;
	uint32_t *spans;                          /* their first chunks; room for all that fit into a window */
	uint64_t slots_inverse;                   /* ceil(2^64 / slots) */
	_Atomic uint32_t pending;                 /* list of spans in which others freed; 0: none */
	uint32_t capacity, limit;                 /* diehard: slots to choose from; how many of them may be used */
	uint32_t frees;                           /* diehard: since memory was last given back */
	uint32_t scan_span, scan_slot, scan_left; /* shuffle: where the search for free slots goes on */
	uint32_t aside[SET_ASIDE_SLOTS_MAX];      /* granules of slots set aside: a stack */
};

enum { BLOCK_BINS = 20, BLOCK_OFFSETS = 256 };

/* The blocks of a heap. */
struct heap_blocks {
	uint64_t key, draws;
	struct area area;
	uint64_t dirty_bytes;           /* in free runs */
	uint64_t largest_bytes;         /* ever freed */
	uint32_t moves;                 /* of pages, ever */
	uint32_t bin[BLOCK_BINS];       /* free runs by log2 of their chunks; chunk numbers, 0: none */
	_Atomic uint32_t pending;       /* list of blocks that others freed */
	uint32_t rotation;              /* alias-free: 0 … BLOCK_OFFSETS-1 */
	uint16_t in_use[BLOCK_OFFSETS]; /* alias-free: live blocks by page offset / 16 */
};

struct thread; /* threads.h */

struct heap {
	/* What the common path of malloc and free reads: */
	char *base;             /* the address of its first granule, */
	size_t small_bytes;     /* bytes from there that are for small objects, */
	_Atomic uint64_t *live; /* and their rows in the arena's tables */
	struct chunk *chunks;

	struct thread *_Atomic owner; /* NULL: nobody's; a thread is known by the address of its state */
	uint64_t id;                  /* the place in the tree of threads: 0 for the first, else of (parent, number) */
	uint32_t children;            /* threads started by the owner, ever */
	unsigned child_window, child_end; /* windows for the threads it starts */
	uint32_t half_chunks;
	struct heap *all; /* the list of all heaps */
	uint64_t first_granule;
	struct area spans;
	uint32_t free_spans[9]; /* spans without a class, by chunks: lists */
	uint64_t kept_bytes;    /* of memory in them */
	/* threads.c: */
	pthread_t thread;
	enum heap_standing { HEAP_SPARE, HEAP_STARTING, HEAP_STARTED, HEAP_RUNNING, HEAP_ENDED } standing;
	bool detached, joining;
	unsigned uses;     /* threads it was announced for */
	struct heap *next; /* in a list of spare heaps */
	void *(*start)(void *);
	void *argument;
	struct heap_blocks blocks;
	struct heap_class class[SIZES_CLASSES];
};

extern struct options heap_options;

size_t heap_bytes(uint32_t half_chunks);
/* A new heap in open windows. */
void heap_init(struct heap *heap, unsigned window, unsigned windows, uint64_t id);
/* New random keys for an old heap. */
void heap_set_id(struct heap *heap, uint64_t id);
/* Takes in all that others have freed. By the owner. */
void heap_drain(struct heap *heap);

static inline uint64_t heap_draw(uint64_t key, uint64_t *draws) {
	/* Draw n is a hash of (key, n) alone. Ref: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
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

/* slots.c: spans. What is common to both ways of choosing a slot is in slots.h. */
/* Takes in what others have freed. */
void slots_drain(struct heap *heap, unsigned class);
/* A new span of the class, its number among the class's spans below; false without memory. */
bool slots_add_span(struct heap *heap, unsigned class);
/* Takes an empty span from its class. */
void slots_drop_span(struct heap *heap, uint32_t span, unsigned chunks);
/* Whether granule is the beginning of a slot of the span. */
bool slots_is_slot(uint32_t span, uint64_t granule);

/* diehard.c and shuffle.c: the two ways of choosing a slot. */
void diehard_init(struct heap_class *c);
void shuffle_init(struct heap_class *c);
/* Sets slots aside; none when memory has run out. */
void diehard_set_aside(struct heap *heap, unsigned class);
void shuffle_set_aside(struct heap *heap, unsigned class);
/* After a free in that span: diehard: it has no used slots any more; shuffle: so many slots are set aside that
 * some go back to their spans. */
void diehard_empty(struct heap *heap, struct heap_class *c, struct chunk *span);
void shuffle_spill(struct heap *heap, struct heap_class *c, struct chunk *span);

/* blocks.c: NULL when the window is full. zero: shall read as zeros. */
void *blocks_allocate(struct heap *heap, size_t bytes, size_t alignment, bool zero);
void blocks_free(struct heap *heap, uint32_t chunk, uint64_t granule);
/* In place or by moving pages; NULL if neither can be done, and then nothing has changed. */
void *blocks_resize(struct heap *heap, void *block, size_t bytes);
void blocks_drain(struct heap *heap);
/* blocks_offset.c: the page offset of a new block, a multiple of alignment below 4096 (0 for larger alignments).
 */
unsigned blocks_offset(struct heap_blocks *blocks, size_t alignment);
void blocks_offset_done(struct heap_blocks *blocks, unsigned offset);

/* remote.c: puts a span or block into a list that its owner takes whole. */
void pending_push(_Atomic uint32_t *list, uint32_t chunk);
/* Frees an object of another thread's heap, without a lock, at any moment. */
void remote_free(struct heap *heap, uint32_t chunk, uint64_t granule);

#endif
