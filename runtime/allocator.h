/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocator: what malloc and its kin do, by other names. */
#ifndef IFR_RUNTIME_ALLOCATOR_H
#define IFR_RUNTIME_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/options.h"

/* Reads the environment and makes the arena, once, at the first request or at the start of the library. False
 * while another is at it. */
bool allocator_start(void);
/* The same with given options and an arena of at most so many bytes; for tests, which may start again. */
void allocator_start_with(const struct options *options, size_t most_bytes);
void allocator_stop(void);

/* alignment is a power of two. All keep errno but for ENOMEM, with which they return NULL. take.c, free.c and
 * resize.c have them. */
void *allocator_allocate(size_t size, size_t alignment, bool zero);
void *allocator_resize(void *memory, size_t size);
void allocator_free(void *memory);
size_t allocator_usable(void *memory);

#endif
