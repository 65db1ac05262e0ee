/* SPDX-License-Identifier: GPL-3.0-or-later */
/* malloc and its family. C++'s new and delete, in all forms, are libstdc++'s, which calls these. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/allocator.h"
#include "runtime/os.h"
#include "runtime/preload/preload.h"
#include "runtime/sites.h"

enum { ORDINARY = 16 };

EXPORTED void *malloc(size_t size) {
	SITES_NOTE(size);
	return allocator_allocate(size, ORDINARY, false);
}

EXPORTED void free(void *memory) {
	allocator_free(memory);
}

static void *out_of_memory(void) {
	errno = ENOMEM;
	return NULL;
}

EXPORTED void *calloc(size_t count, size_t size) {
	size_t whole;
	if (__builtin_mul_overflow(count, size, &whole))
		return out_of_memory();
	SITES_NOTE(whole);
	return allocator_allocate(whole, ORDINARY, true);
}

EXPORTED void *realloc(void *memory, size_t size) {
	SITES_NOTE(size);
	return allocator_resize(memory, size);
}

EXPORTED void *reallocarray(void *memory, size_t count, size_t size) {
	size_t whole;
	if (__builtin_mul_overflow(count, size, &whole))
		return out_of_memory();
	SITES_NOTE(whole);
	return allocator_resize(memory, whole);
}

/* Rounds up to a power of two, as glibc's memalign does; 0 if there is none. */
static size_t round_to_power(size_t alignment) {
	if (alignment <= ORDINARY)
		return ORDINARY;
	if (alignment > SIZE_MAX / 2 + 1)
		return 0;
	return (size_t)1 << (64 - __builtin_clzl(alignment - 1));
}

static void *allocate_aligned(size_t alignment, size_t size) {
	size_t whole = round_to_power(alignment);
	if (!whole) {
		errno = EINVAL;
		return NULL;
	}
	return size > PTRDIFF_MAX - whole ? out_of_memory() : allocator_allocate(size, whole, false);
}

EXPORTED void *memalign(size_t alignment, size_t size) {
	SITES_NOTE(SIZE_MAX);
	return allocate_aligned(alignment, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
	SITES_NOTE(SIZE_MAX);
	return allocate_aligned(alignment, size);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t size) {
	if (!alignment || alignment % sizeof(void *) || (alignment & (alignment - 1)))
		return EINVAL;
	int saved = errno;
	SITES_NOTE(SIZE_MAX); /* a small object with a large alignment is a block, too */
	void *taken = allocate_aligned(alignment, size);
	errno = saved;
	if (!taken)
		return ENOMEM;
	*memory = taken;
	return 0;
}

EXPORTED void *valloc(size_t size) {
	SITES_NOTE(size);
	return allocate_aligned(OS_PAGE_BYTES, size);
}

EXPORTED void *pvalloc(size_t size) {
	if (size > PTRDIFF_MAX - OS_PAGE_BYTES)
		return out_of_memory();
	SITES_NOTE(size);
	return allocate_aligned(OS_PAGE_BYTES, (size + OS_PAGE_BYTES - 1) & ~(size_t)(OS_PAGE_BYTES - 1));
}

EXPORTED size_t malloc_usable_size(void *memory) {
	return allocator_usable(memory);
}
