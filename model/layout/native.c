/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/native.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

#define PAGE UINT64_C(4096)
#define PROGRAM_BASE UINT64_C(0x555555554000)
#define MAPPINGS_TOP UINT64_C(0x7ffff7fff000)
#define STACK_TOP UINT64_C(0x7ffffffff000)
/* The kernel's own code and data for a process, below the loader. */
#define VDSO_BYTES (6 * PAGE)
/* Of the auxiliary vector: 20 pairs and the end. */
#define AUXILIARY_BYTES (21 * UINT64_C(16))

static uint64_t whole_pages(uint64_t bytes) {
	return (bytes + PAGE - 1) & -PAGE;
}

static uint64_t fact_number(const struct ifr_trace *trace, const char *key) {
	char *text = ifr_trace_fact(trace, key);
	uint64_t value = text ? strtoull(text, NULL, 10) : 0;
	free(text);
	return value;
}

/* From the top: a null word, the program's path, the environment's and the arguments' strings, the platform's name
 * and 16 random bytes; on a multiple of 16 the pointers to all strings and the auxiliary vector. */
static uint64_t stack_pointer(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	uint64_t strings = fact_number(trace, "stack_strings_bytes") + request->stack_bytes;
	uint64_t pointers = fact_number(trace, "stack_pointers");
	uint64_t at = (STACK_TOP - 8 - strings) & ~UINT64_C(15);
	at = (at - sizeof "x86_64" - 16) & ~UINT64_C(15);
	/* argc, the pointers, and a null behind each of the two lists */
	return (at - 8 * (3 + pointers) - AUXILIARY_BYTES) & ~UINT64_C(15);
}

/* --- mappings -------------------------------------------------------------------------------------------------
 */

struct room {
	uint64_t start, end;
	uint64_t closed;
};

struct rooms {
	struct room *items; /* by address, downwards */
	size_t count;
};

static void close_rooms(struct rooms *rooms, uint64_t step) {
	size_t kept = 0;
	for (size_t i = 0; i < rooms->count; i++)
		if (rooms->items[i].closed > step)
			rooms->items[kept++] = rooms->items[i];
	rooms->count = kept;
}

static uint64_t take_highest(struct rooms *rooms, uint64_t top, uint64_t bytes, uint64_t closed) {
	size_t at = 0;
	uint64_t end = top;
	for (; at < rooms->count && end - rooms->items[at].end < bytes; at++)
		end = rooms->items[at].start;
	rooms->items = ifr_realloc(rooms->items, rooms->count + 1, sizeof *rooms->items);
	memmove(rooms->items + at + 1, rooms->items + at, (rooms->count - at) * sizeof *rooms->items);
	rooms->items[at] = (struct room){end - bytes, end, closed};
	rooms->count++;
	return end - bytes;
}

/* --- all regions ----------------------------------------------------------------------------------------------
 */

static const struct ifr_region *find_program(const struct ifr_region *regions, size_t count) {
	for (size_t i = 0; i < count; i++)
		if (regions[i].kind == IFR_REGION_PROGRAM)
			return &regions[i];
	return NULL;
}

void native_deltas(const struct ifr_trace *trace, const struct ifr_layout_request *request, uint64_t *deltas) {
	const struct ifr_region *regions;
	size_t count = ifr_trace_regions(trace, &regions);
	const struct ifr_region *program = find_program(regions, count);
	uint64_t base = program && !program->fixed ? PROGRAM_BASE : 0;
	uint64_t end = program ? base + program->start + program->bytes + request->end_bytes : PROGRAM_BASE;
	uint64_t top = MAPPINGS_TOP - PAGE * (request->load_pages + fact_number(trace, "load_pages"));
	struct rooms rooms = {0};
	bool kernel_mapped = false;
	for (size_t i = IFR_REGION_FIRST; i < count; i++) {
		const struct ifr_region *region = &regions[i];
		uint64_t address; /* of offset 0 */
		close_rooms(&rooms, region->opened);
		switch (region->kind) {
		case IFR_REGION_PROGRAM:
			address = base;
			break;
		case IFR_REGION_HEAP:
			address = whole_pages(end) - region->start;
			break;
		case IFR_REGION_STACK:
			address = stack_pointer(trace, request) - IFR_STACK_ORIGIN;
			break;
		default:
			if (!kernel_mapped && region->opened)
				take_highest(&rooms, top, VDSO_BYTES, UINT64_MAX);
			kernel_mapped |= region->opened != 0;
			address = take_highest(&rooms, top, whole_pages(region->bytes), region->closed) - region->start;
			break;
		}
		deltas[i] = address - ((uint64_t)i << IFR_REGION_SHIFT);
	}
	for (size_t i = 0; i < IFR_REGION_FIRST && i < count; i++)
		deltas[i] = 0;
	free(rooms.items);
}
