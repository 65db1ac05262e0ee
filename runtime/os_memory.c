/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space and memory from Linux. */
#include "runtime/os.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { RESERVED = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

void *os_reserve(void *hint, size_t bytes) {
	int saved = errno;
	void *start = MAP_FAILED;
	if (hint)
		start = mmap(hint, bytes, PROT_NONE, RESERVED | MAP_FIXED_NOREPLACE, -1, 0);
	if (start == MAP_FAILED)
		start = mmap(NULL, bytes, PROT_NONE, RESERVED, -1, 0);
	errno = saved;
	return start == MAP_FAILED ? NULL : start;
}

bool os_commit(void *start, size_t bytes) {
	int saved = errno;
	int failed = mprotect(start, bytes, PROT_READ | PROT_WRITE);
	errno = saved;
	return !failed;
}

void os_purge(void *start, size_t bytes) {
	int saved = errno;
	/* Locked memory (mlockall) cannot be returned; it is cleared instead, as callers rely on zeros. */
	if (madvise(start, bytes, MADV_DONTNEED))
		memset(start, 0, bytes);
	errno = saved;
}

void os_populate(void *start, size_t bytes) {
	int saved = errno;
	madvise(start, bytes, MADV_POPULATE_WRITE);
	errno = saved;
}

bool os_move(void *from, void *to, size_t bytes) {
	int saved = errno;
	void *moved = mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
	errno = saved;
	return moved == to;
}

void os_small_pages(void *start, size_t bytes) {
	int saved = errno;
	madvise(start, bytes, MADV_NOHUGEPAGE);
	errno = saved;
}
