/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The allocator behind this one: glibc's, unless the program is linked with another, or that is preloaded, too. */
#ifndef IFR_RUNTIME_NEXT_H
#define IFR_RUNTIME_NEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the functions of the next library that has them. While it looks, requests are served from a small store of
 * early memory, which is never freed. */
void next_find(void);

void *next_allocate(size_t size, size_t alignment, bool zero);
void *next_resize(void *memory, size_t size);
void next_free(void *memory);
size_t next_usable(void *memory);

bool next_is_glibc(void);
/* What glibc has noted in front of memory as its size. */
size_t next_glibc_bytes(const void *memory);

/* Memory for requests that come before there is any allocator; NULL when it is used up. */
void *next_early(size_t size);

#endif
