/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program under several allocators and policies of the runtime: page offsets of its large blocks, their
 * aliases, time and memory. Ref: Melhus 2013, section 4.1.3, table 4.5. */
#ifndef IFR_HARNESS_HEAP_H
#define IFR_HARNESS_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"
#include "runtime/runtime.h"

/* An allocator, or one of the runtime's policies. */
struct ifr_allocator {
	const char *name;
	const char *library;       /* file name of a shared library, or several with | between; NULL: none */
	const char *heap, *blocks; /* the runtime's policies */
	const char *package;       /* Debian package of the library */
};
extern const struct ifr_allocator ifr_allocators[];
enum { IFR_ALLOCATORS = 9 };

/* Large blocks are those of more than a page: two of them that are walked together meet, wherever they are. Two blocks
 * alias if they are live at the same time and their addresses, modulo 4096, are less than 64 bytes apart: a walk along
 * both then loads what was just stored at the other's place. Ref: Melhus 2013, section 4.1.2 (the convolution aliases
 * below a padding of 16 floats), table 5.3 (gemv is slowest at 010, 010, 020). */
enum { IFR_HEAP_LARGE_BYTES = 4096, IFR_HEAP_NEAR_BYTES = 64 };
struct ifr_aliasing {
	uint64_t blocks;    /* allocated in all */
	uint64_t pairs;     /* live at the same time, counted when the later one is allocated */
	uint64_t aliases;   /* among pairs */
	unsigned common[3]; /* the most frequent low 12 bits, in descending order */
	uint64_t seen[3];   /* their numbers of blocks; 0 if there are fewer than three */
};
/* Counts pairs and aliases of large blocks in a log of count events, in its first process only. */
void ifr_aliasing_count(const struct ifr_log_event *events, size_t count, struct ifr_aliasing *aliasing);

struct ifr_heap_plan {
	const char *program;
	char *const *argv;
	struct ifr_strings environment; /* beyond the minimal one */
	unsigned runs;                  /* timed runs of each allocator, >= 1 */
	const char *marker; /* region of IFR_REPEAT to time, by (t(101) - t(1)) / 100; NULL: the whole program */
	const char *stdin_file;
	int cpu;            /* to pin to; -1: none */
	int64_t timeout_ns; /* of one run; 0: twenty times the first run, 10 s at least */
	/* As in struct ifr_patience. */
	void (*say)(const char *text);
	void (*waiting)(int64_t elapsed_ns);
};

struct ifr_heap_row {
	bool measured;
	char why[256]; /* reason if not measured */
	unsigned left; /* processes that its runs left running, which were ended */
	struct ifr_aliasing aliasing;
	double time_ms;    /* median over runs */
	double memory_kib; /* median of the maximum resident set */
};

/* Measures the program under each of ifr_allocators, a row each. Errors: IFR_E_ENVIRONMENT; IFR_E_PROGRAM if the
 * program fails with glibc's allocator; IFR_E_USAGE if it has no region of the marker. */
int ifr_heap_compare(const struct ifr_heap_plan *plan, struct ifr_heap_row rows[IFR_ALLOCATORS],
                     struct ifr_error *err);

/* Appends a table, a row an allocator, with a legend. */
void ifr_heap_text(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                   struct ifr_buffer *text);
/* Appends JSON: schema_version, tool, version, program, marker, runs and allocators[]. */
void ifr_heap_json(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                   struct ifr_buffer *text);

#endif
