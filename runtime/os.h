/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runtime's interface to the operating system. os_memory.c provides memory; in a recorded program
 * recorded/memory.c does. No function allocates; all keep errno. */
#ifndef IFR_RUNTIME_OS_H
#define IFR_RUNTIME_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OS_PAGE_BYTES = 4096 };

/* A preferred address. ThreadSanitizer allows only the kernel's choices. */
#ifdef __SANITIZE_THREAD__
#define OS_HINT(address) NULL
#else
#define OS_HINT(address) ((void *)(address))
#endif

/* Reserves address space without memory, at hint if that is free (NULL: anywhere), else where the kernel chooses.
 * Returns NULL on failure. An access faults. */
void *os_reserve(void *hint, size_t bytes);
void os_unreserve(void *start, size_t bytes);
/* Makes pages of a reservation usable; they are zero. */
bool os_commit(void *start, size_t bytes);
/* Returns the memory of usable pages to the kernel; they are zero again. */
void os_purge(void *start, size_t bytes);
/* Populates usable pages that are about to be written, where the kernel can. */
void os_populate(void *start, size_t bytes);
/* Moves pages to usable pages of `to` without copying; `from` is zero afterwards. */
bool os_move(void *from, void *to, size_t bytes);
/* Disables huge pages in a range: they would fill sparse tables and spread heaps with unused memory. */
void os_small_pages(void *start, size_t bytes);
/* Returns the limit on address space in bytes; SIZE_MAX: none. */
size_t os_address_space(void);

/* Returns the limit on the first thread's stack in bytes; SIZE_MAX: none. */
size_t os_stack_limit(void);

/* Returns a variable of the initial environment, also before libc has started. NULL: not set. */
const char *os_environment(const char *name);
/* Whether the process is set-user-ID or alike. */
bool os_secure(void);

/* Aborts the program after printing "libinterfero: WHAT ADDRESS" on standard error. */
_Noreturn void os_stop(const char *what, const void *address);
/* Prints "libinterfero: A B" on standard error. */
void os_say(const char *a, const char *b);

/* Creates a file. Returns its descriptor, or -1 if it exists or cannot be created. */
int os_create(const char *path);
/* Maps a part of a shared file, extended to hold it, over a range of a reservation. Returns false on failure. */
bool os_map_file(void *start, size_t bytes, int fd, size_t offset);
/* Maps the start of a shared file where the kernel chooses; NULL on failure. */
void *os_map_anywhere(size_t bytes, int fd);
/* Makes a range a reservation without memory again. */
void os_drop_file(void *start, size_t bytes);
/* Reads the first bytes of a file; false if it has fewer. */
bool os_read_head(int fd, void *head, size_t bytes);
/* Reads a perf event; false if the reading has another length. */
bool os_read_event(int fd, void *reading, size_t bytes);
uint32_t os_process(void);
void os_close(int fd);
/* Moves a descriptor above those that programs use. Closes fd; returns the new one, or fd if that fails. */
int os_move_away(int fd);

#endif
