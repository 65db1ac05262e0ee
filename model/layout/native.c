/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/native.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

#define PROGRAM_BASE UINT64_C(0x555555554000)
#define MAPPINGS_TOP UINT64_C(0x7ffff7fff000)
#define STACK_TOP UINT64_C(0x7ffffffff000)
/* Of Linux 6.1, where the trace does not say: the kernel's own code and data for a process, below the loader; the
 * auxiliary vector's 20 pairs and its end. */
#define KERNEL_BYTES (6 * IFR_PAGE)
#define AUXILIARY_BYTES (21 * UINT64_C(16))

static uint64_t whole_pages(uint64_t bytes) {
	return (bytes + IFR_PAGE - 1) & -IFR_PAGE;
}

static uint64_t fact_number(const struct ifr_trace *trace, const char *key, uint64_t otherwise) {
	char *text = ifr_trace_fact(trace, key);
	uint64_t value = text ? strtoull(text, NULL, 10) : otherwise;
	free(text);
	return value;
}

/* From the top: a null word, the program's path, the environment's and the arguments' strings; from a multiple of
 * 16 the platform's name and 16 random bytes; then the pointers to all strings and the auxiliary vector, so that
 * the pointer is a multiple of 16 again. Ref: Linux 6.1, fs/binfmt_elf.c, create_elf_tables. */
static uint64_t stack_pointer(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	uint64_t strings = fact_number(trace, "stack_strings_bytes", 0) + request->stack_bytes;
	uint64_t pointers = fact_number(trace, "stack_pointers", 0);
	uint64_t auxiliary = fact_number(trace, "auxiliary_bytes", AUXILIARY_BYTES);
	uint64_t at = (STACK_TOP - 8 - strings) & ~UINT64_C(15);
	at = at - sizeof "x86_64" - 16;
	/* argc, the pointers, and a null behind each of the two lists */
	return (at - 8 * (3 + pointers) - auxiliary) & ~UINT64_C(15);
}

/* --- object_mappings -------------------------------------------------------------------------------------------------
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

/* --- all mappings ----------------------------------------------------------------------------------------------
 */

static const struct ifr_mapping *find_program(const struct ifr_mapping *mappings, size_t count) {
	for (size_t i = 0; i < count; i++)
		if (mappings[i].kind == IFR_MAPPING_PROGRAM)
			return &mappings[i];
	return NULL;
}

/* Where the program ends. */
static uint64_t program_end(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	const struct ifr_mapping *program = find_program(mappings, count);
	if (!program)
		return PROGRAM_BASE;
	return (program->fixed ? 0 : PROGRAM_BASE) + program->start + program->bytes + request->end_bytes;
}

uint64_t native_heap_start(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	return whole_pages(program_end(trace, request));
}

/* Mappings as they come, of mappings and of objects. */
struct arrivals {
	struct rooms rooms;
	uint64_t top, kernel_bytes;
	bool kernel_mapped;
	const struct ifr_trace_request *asked;
	const struct ifr_object_place *put; /* NULL: the recording's own object_mappings count */
	uint64_t *closed, *object_mappings; /* by request */
	size_t count, next;
};

static uint64_t arrive(struct arrivals *arrivals, uint64_t bytes, uint64_t opened, uint64_t closed) {
	close_rooms(&arrivals->rooms, opened);
	if (!arrivals->kernel_mapped && opened)
		take_highest(&arrivals->rooms, arrivals->top, arrivals->kernel_bytes, UINT64_MAX);
	arrivals->kernel_mapped |= opened != 0;
	return take_highest(&arrivals->rooms, arrivals->top, whole_pages(bytes), closed);
}

/* Mappings of objects that came before a moment. */
static void objects_arrive(struct arrivals *arrivals, uint64_t moment) {
	for (; arrivals->put && arrivals->next < arrivals->count; arrivals->next++) {
		const size_t i = arrivals->next;
		if (arrivals->asked[i].moment >= moment)
			break;
		if (arrivals->put[i].home == IFR_OBJECT_IN_MAPPING)
			arrivals->object_mappings[i] =
				arrive(arrivals, arrivals->put[i].mapping_bytes, arrivals->asked[i].moment, arrivals->closed[i]);
	}
}

/* When each request's object ended. */
static uint64_t *find_ends(const struct ifr_trace_request *asked, size_t count) {
	uint64_t *closed = ifr_alloc((count + 1) * sizeof *closed);
	memset(closed, 0xff, count * sizeof *closed);
	for (size_t i = 0; i < count; i++)
		if (asked[i].old != IFR_NO_REQUEST)
			closed[asked[i].old] = asked[i].moment;
	return closed;
}

static uint64_t mapping_of(struct arrivals *arrivals, const struct ifr_mapping *mapping) {
	if (arrivals->put && mapping->allocator)
		return 0;
	objects_arrive(arrivals, mapping->opened);
	return arrive(arrivals, mapping->bytes, mapping->opened, mapping->closed) - mapping->start;
}

/* The address of offset 0. */
static uint64_t origin_of(const struct ifr_trace *trace, const struct ifr_layout_request *request,
                          struct arrivals *arrivals, const struct ifr_mapping *mapping) {
	switch (mapping->kind) {
	case IFR_MAPPING_PROGRAM:
		return mapping->fixed ? 0 : PROGRAM_BASE;
	case IFR_MAPPING_HEAP:
		return native_heap_start(trace, request) - mapping->start;
	case IFR_MAPPING_STACK:
		return stack_pointer(trace, request) - IFR_STACK_ORIGIN;
	default:
		return mapping_of(arrivals, mapping);
	}
}

void native_deltas(const struct ifr_trace *trace, const struct ifr_layout_request *request, uint64_t *deltas,
                   uint64_t *object_mappings) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	struct arrivals arrivals = {
		.top = MAPPINGS_TOP - IFR_PAGE * (request->load_pages + fact_number(trace, "load_pages", 0)),
		.kernel_bytes = whole_pages(fact_number(trace, "kernel_mapped_bytes", KERNEL_BYTES)),
		.put = request->objects,
		.object_mappings = object_mappings};
	arrivals.count = ifr_trace_requests(trace, &arrivals.asked);
	arrivals.closed = find_ends(arrivals.asked, arrivals.count);
	memset(deltas, 0, count * sizeof *deltas);
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		deltas[i] = mappings[i].kind == IFR_MAPPING_OBJECTS
		                ? NATIVE_PER_OBJECT
		                : origin_of(trace, request, &arrivals, &mappings[i]) - ((uint64_t)i << IFR_MAPPING_SHIFT);
	objects_arrive(&arrivals, UINT64_MAX);
	free(arrivals.closed);
	free(arrivals.rooms.items);
}
