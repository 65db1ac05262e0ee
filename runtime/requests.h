/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State and functions that the files of the allocator share. */
#ifndef IFR_RUNTIME_REQUESTS_H
#define IFR_RUNTIME_REQUESTS_H

#include "runtime/threads.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* allocator.c: set at the start. */
struct requests {
	bool started;
	bool small, blocks;     /* objects of this kind are placed in the arena */
	size_t fast_end;        /* smaller sizes allocate the fast path; 0: none does */
	_Atomic bool next_used; /* the program has memory of the next allocator */
};
extern struct requests requests;

/* allocation.c: allocator_allocate without the log. */
void *allocate(size_t size, size_t alignment, bool zero);
/* Sets ENOMEM; returns NULL. */
void *out_of_memory(void);

/* free.c: returns the heap of an object in the arena, and the first chunk of its span or block. Stops the program
 * unless the object is live. */
struct heap *find_heap_of(const void *memory, uint32_t *chunk);
/* Stops the program if memory outside the arena cannot be valid. */
void check_foreign(const void *memory);
/* Frees an object in the arena, without the log. */
void free_object(void *memory);

#endif
