/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The next allocator: glibc's, unless the program is linked with another one or another is preloaded, too. */
#ifndef IFR_RUNTIME_NEXT_H
#define IFR_RUNTIME_NEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Looks up the functions of the next library that has them. Requests during the look-up get early memory, which is
 * never freed. */
void next_find(void);

void *next_allocate(size_t size, size_t alignment, bool zero);
void *next_resize(void *memory, size_t size);
void next_free(void *memory);
size_t next_usable(void *memory);

bool next_is_glibc(void);
/* Returns the size that glibc stores in front of memory. */
size_t next_glibc_bytes(const void *memory);

/* Allocates early memory, before there is an allocator. Returns NULL when it is used up. */
void *next_early(size_t size);

#endif
