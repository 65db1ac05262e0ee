/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* glibc's internal names of its allocator need no look-up, and so work before libc is initialised. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*memalign)(size_t, size_t);
	void (*free)(void *);
	size_t (*usable)(void *);
} next = {__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign, __libc_free, NULL};

static _Alignas(16) char early[32768];
static _Atomic size_t early_used;

void *next_early(size_t size) {
	if (size > sizeof early)
		return NULL;
	size_t whole = 16 + ((size + 15) & ~(size_t)15), at = atomic_fetch_add(&early_used, whole);
	if (at + whole > sizeof early)
		return NULL;
	memcpy(early + at, &size, sizeof size);
	return early + at + 16;
}

static bool is_early(const void *memory) {
	return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

static size_t early_size(const void *memory) {
	size_t size;
	memcpy(&size, (const char *)memory - 16, sizeof size);
	return size;
}

void next_find(void) {
	void *found[] = {dlsym(RTLD_NEXT, "malloc"),  dlsym(RTLD_NEXT, "calloc"),
	                 dlsym(RTLD_NEXT, "realloc"), dlsym(RTLD_NEXT, "memalign"),
	                 dlsym(RTLD_NEXT, "free"),    dlsym(RTLD_NEXT, "malloc_usable_size")};
	for (size_t i = 0; i < sizeof found / sizeof *found; i++)
		if (!found[i])
			return;
	memcpy(&next, found, sizeof found);
}

void *next_allocate(size_t size, size_t alignment, bool zero) {
	if (alignment <= 16)
		return zero ? next.calloc(1, size) : next.malloc(size);
	void *memory = next.memalign(alignment, size);
	if (memory && zero)
		memset(memory, 0, size);
	return memory;
}

void *next_resize(void *memory, size_t size) {
	if (!is_early(memory))
		return next.realloc(memory, size);
	void *moved = next.malloc(size);
	size_t old = early_size(memory);
	if (moved)
		memcpy(moved, memory, old < size ? old : size);
	return moved;
}

void next_free(void *memory) {
	if (!is_early(memory))
		next.free(memory);
}

size_t next_usable(void *memory) {
	if (is_early(memory))
		return early_size(memory);
	return next.usable ? next.usable(memory) : 0;
}

bool next_is_glibc(void) {
	return next.malloc == __libc_malloc;
}

size_t next_glibc_bytes(const void *memory) {
	/* The lowest three bits are flags. */
	return ((const size_t *)memory)[-1] & ~(size_t)7;
}
