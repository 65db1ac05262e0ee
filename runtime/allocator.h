/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocator behind malloc and its family. */
#ifndef IFR_RUNTIME_ALLOCATOR_H
#define IFR_RUNTIME_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/options.h"

/* Reads the environment and creates the arena, at the first request or when the library starts. Returns false
 * while another thread is doing so. */
bool allocator_start(void);
/* Starts with given options and an arena of at most most_bytes; for tests, which may start again. */
void allocator_start_with(const struct options *options, size_t most_bytes);
void allocator_stop(void);

/* alignment is a power of two. All keep errno, except that they return NULL with ENOMEM. */
void *allocator_allocate(size_t size, size_t alignment, bool zero);
void *allocator_resize(void *memory, size_t size);
void allocator_free(void *memory);
size_t allocator_usable(void *memory);

#endif
