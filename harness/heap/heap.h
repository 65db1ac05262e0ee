/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One program under every allocator there is: where its large blocks lie in their pages, which of them alias, and
 * what time and memory it takes. Ref: Melhus 2013, section 4.1.3, table 4.5. */
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
	const char *library;       /* file name of a shared library; NULL: none */
	const char *heap, *blocks; /* the runtime's policies */
	const char *package;       /* Debian's, that has the library */
};
extern const struct ifr_allocator ifr_allocators[];
enum { IFR_ALLOCATORS = 9 };

/* Of blocks larger than 32 KiB, in the first process of a log. Two alias if they are alive together and share
 * their low 12 bits. */
struct ifr_aliasing {
	uint64_t blocks;    /* ever */
	uint64_t pairs;     /* alive together, counted when the later one is made */
	uint64_t aliases;   /* of them */
	unsigned common[3]; /* the low 12 bits seen most often, */
	uint64_t seen[3];   /* and how often; 0 if there are not as many */
};
void ifr_aliasing_count(const struct ifr_log_event *events, size_t count, struct ifr_aliasing *aliasing);

struct ifr_heap_plan {
	const char *program;
	char *const *argv;
	struct ifr_strings environment; /* beyond the minimal one */
	unsigned runs;
	const char *marker; /* measure this region of IFR_REPEAT by (t(101) - t(1)) / 100; NULL: the whole program */
	const char *stdin_file;
	int cpu;
};

struct ifr_heap_row {
	bool measured;
	char why[256]; /* it was not, or does not count */
	struct ifr_aliasing aliasing;
	double time_ms; /* median over runs */
	double memory_kib;
};

/* Fills a row for each of ifr_allocators. Errors: IFR_E_ENVIRONMENT, IFR_E_PROGRAM if the program fails without
 * any of them. */
int ifr_heap_compare(const struct ifr_heap_plan *plan, struct ifr_heap_row rows[IFR_ALLOCATORS],
                     struct ifr_error *err);

void ifr_heap_text(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                   struct ifr_buffer *text);
int ifr_heap_json(const struct ifr_heap_plan *plan, const struct ifr_heap_row rows[IFR_ALLOCATORS],
                  struct ifr_buffer *text, struct ifr_error *err);

#endif
