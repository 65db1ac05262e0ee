/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space, and the memory behind it, in a program that qemu-x86_64 runs. qemu keeps a note of every page of
 * a mapping, used or not, and would need more memory for the arena's notes than there is: so nothing is reserved,
 * nobody else asks for these addresses, and what is used is mapped when it is. */
#include "runtime/os.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { OURS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

void *os_reserve(void *hint, size_t bytes) {
	(void)bytes;
	return hint;
}

bool os_commit(void *start, size_t bytes) {
	int saved = errno;
	void *got = mmap(start, bytes, PROT_READ | PROT_WRITE, OURS | MAP_FIXED, -1, 0);
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
