/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space and memory in a program that is recorded. qemu keeps state for every page of a mapping,
 * touched or not, which for the arena would exceed the memory there is. So nothing is reserved; used ranges are
 * mapped when they are used, and nothing else maps these addresses. */
#include "runtime/os.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

void *os_reserve(void *hint, size_t bytes) {
	(void)bytes;
	return hint;
}

bool os_commit(void *start, size_t bytes) {
	int saved = errno;
	void *got = mmap(start, bytes, PROT_READ | PROT_WRITE, MAPPED | MAP_FIXED, -1, 0);
	errno = saved;
	return got == start;
}

void os_purge(void *start, size_t bytes) {
	os_commit(start, bytes);
}

void os_populate(void *start, size_t bytes) {
	(void)start, (void)bytes;
}

bool os_move(void *from, void *to, size_t bytes) {
	memcpy(to, from, bytes);
	os_purge(from, bytes);
	return true;
}

void os_small_pages(void *start, size_t bytes) {
	(void)start, (void)bytes;
}
