/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The initial stack, as the dynamic loader keeps it: argc, argv, NULL, environment. It is available before libc
 * has set environ, and unchanged when the program changes environ. */
extern void *__libc_stack_end __attribute__((weak));

static size_t limit_of(__rlimit_resource_t resource) {
	struct rlimit limit;
	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return limit.rlim_cur;
}

size_t os_address_space(void) {
	return limit_of(RLIMIT_AS);
}

size_t os_stack_limit(void) {
	return limit_of(RLIMIT_STACK);
}

void os_unreserve(void *start, size_t bytes) {
	int saved = errno;
	munmap(start, bytes);
	errno = saved;
}

static char **initial_environment(void) {
	if (!&__libc_stack_end || !__libc_stack_end)
		return environ;
	/* argc, argc pointers, NULL, environment */
	uintptr_t *stack = __libc_stack_end;
	return (char **)(stack + 1 + stack[0] + 1);
}

const char *os_environment(const char *name) {
	size_t length = strlen(name);
	for (char **entry = initial_environment(); entry && *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

bool os_secure(void) {
	return getauxval(AT_SECURE) != 0;
}

static void write_all(const char *text) {
	size_t length = strlen(text);
	while (length > 0) {
		ssize_t done = write(2, text, length);
		if (done <= 0)
			return;
		text += done;
		length -= (size_t)done;
	}
}

void os_say(const char *a, const char *b) {
	char line[512] = "libinterfero: ";
	strncat(line, a, 300);
	if (*b)
		strcat(line, " ");
	strncat(line, b, sizeof line - strlen(line) - 2);
	strcat(line, "\n");
	int saved = errno;
	write_all(line);
	errno = saved;
}

void os_stop(const char *what, const void *address) {
	char hexadecimal[2 + 16 + 1] = "0x";
	char *digit = hexadecimal + 2;
	bool leading = true;
	for (int shift = 60; shift >= 0; shift -= 4) {
		unsigned nibble = (uintptr_t)address >> shift & 15;
		leading = leading && !nibble && shift;
		if (!leading)
			*digit++ = "0123456789abcdef"[nibble];
	}
	*digit = '\0';
	os_say(what, hexadecimal);
	abort();
}

int os_create(const char *path) {
	int saved = errno;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	errno = saved;
	return fd;
}

bool os_map_file(void *start, size_t bytes, int fd, size_t offset) {
	int saved = errno;
	bool done = !posix_fallocate(fd, (off_t)offset, (off_t)bytes) &&
	            mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) == start;
	errno = saved;
	return done;
}

void *os_map_anywhere(size_t bytes, int fd) {
	int saved = errno;
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	errno = saved;
	return start == MAP_FAILED ? NULL : start;
}

void os_drop_file(void *start, size_t bytes) {
	int saved = errno;
	(void)mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	errno = saved;
}

bool os_read_head(int fd, void *head, size_t bytes) {
	int saved = errno;
	ssize_t done = pread(fd, head, bytes, 0);
	errno = saved;
	return done == (ssize_t)bytes;
}

bool os_read_event(int fd, void *reading, size_t bytes) {
	int saved = errno;
	ssize_t done = read(fd, reading, bytes);
	errno = saved;
	return done == (ssize_t)bytes;
}

uint32_t os_process(void) {
	return (uint32_t)getpid();
}

void os_close(int fd) {
	int saved = errno;
	close(fd);
	errno = saved;
}

int os_move_away(int fd) {
	int saved = errno;
	struct rlimit limit;
	/* Just below the limit, or 1000 if the limit is high. */
	int least = getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > 1024 ? 1000 : (int)limit.rlim_cur - 16;
	int away = fcntl(fd, F_DUPFD_CLOEXEC, least > 3 ? least : 3);
	if (away >= 0)
		close(fd);
	errno = saved;
	return away >= 0 ? away : fd;
}
