/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the allocator share: which requests are ours, and the objects behind addresses. */
#ifndef IFR_RUNTIME_REQUESTS_H
#define IFR_RUNTIME_REQUESTS_H

#include "runtime/threads.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* allocator.c: set at the start. */
struct requests {
	bool started;
	bool small, blocks;     /* objects of these kinds are ours */
	size_t plain_end;       /* sizes below are small objects with nothing special about them; 0: there are none */
	_Atomic bool next_used; /* some memory of the program's came from the next allocator */
};
extern struct requests requests;

/* take.c: the same as allocator_allocate, without the log. */
void *take(size_t size, size_t alignment, bool zero);
/* ENOMEM and NULL. */
void *out_of_memory(void);

/* free.c: the heap that memory in the arena belongs to, and the first chunk of what it lies in. Stops the program
 * unless it is an object that is alive. */
struct heap *find_heap_of(const void *memory, uint32_t *chunk);
/* Stops the program if memory outside the arena can be nobody's. */
void check_foreign(const void *memory);
/* Frees memory in the arena, without the log. */
void free_object(void *memory);

#endif
