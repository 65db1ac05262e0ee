/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that the runtime asks of the operating system; memory comes from os_memory.c, or in a program that is
 * recorded from recorded/memory.c. Nothing here allocates, and everything keeps errno. */
#ifndef IFR_RUNTIME_OS_H
#define IFR_RUNTIME_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OS_PAGE_BYTES = 4096 };

/* A wish for an address. ThreadSanitizer knows only the kernel's own choices. */
#ifdef __SANITIZE_THREAD__
#define OS_HINT(address) NULL
#else
#define OS_HINT(address) ((void *)(address))
#endif

/* Address space without memory behind it, at hint if that is free (NULL: anywhere), else where the kernel likes.
 * NULL if there is none. Touching it faults. */
void *os_reserve(void *hint, size_t bytes);
void os_unreserve(void *start, size_t bytes);
/* Makes whole pages of a reservation usable; they read as zero until written. */
bool os_commit(void *start, size_t bytes);
/* Gives the memory of usable pages back; they read as zero again. */
void os_purge(void *start, size_t bytes);
/* Puts memory behind usable pages that are about to be written, where the kernel can. */
void os_populate(void *start, size_t bytes);
/* Moves the pages of from to the usable pages of to, without copying; from reads as zero afterwards. */
bool os_move(void *from, void *to, size_t bytes);
/* Keeps the kernel from making huge pages of a range: sparse tables and spread heaps would fill with air. */
void os_small_pages(void *start, size_t bytes);
/* The limit on address space, in bytes; SIZE_MAX if there is none. */
size_t os_address_space(void);

/* The limit on the stack of the first thread, the same way. */
size_t os_stack_limit(void);

/* The environment the process started with, valid before libc's own start. NULL if name is not set. */
const char *os_environment(const char *name);
/* Whether the process has more rights than its user (setuid). */
bool os_secure(void);

/* Ends the program as abort() does, after "libinterfero: WHAT ADDRESS" on standard error. */
_Noreturn void os_stop(const char *what, const void *address);
/* "libinterfero: A B" and a newline on standard error. */
void os_say(const char *a, const char *b);

/* Files: the descriptor of a new file, or -1 if it exists or cannot be made. */
int os_create(const char *path);
/* Replaces a range of a reservation by a piece of a shared file, grown to hold it. False if it cannot. */
bool os_map_file(void *start, size_t bytes, int fd, size_t offset);
/* A piece of a shared file, where the kernel likes; NULL if it cannot. */
void *os_map_anywhere(size_t bytes, int fd);
/* Back to address space without memory. */
void os_drop_file(void *start, size_t bytes);
/* The first bytes of a file; false if there are not as many. */
bool os_read_head(int fd, void *head, size_t bytes);
/* A performance event's reading; false if there is none of that length. */
bool os_read_event(int fd, void *reading, size_t bytes);
uint32_t os_process(void);
void os_close(int fd);
/* A descriptor that stays out of the program's way: above those that programs count on. Closes fd. */
int os_move_away(int fd);

#endif
