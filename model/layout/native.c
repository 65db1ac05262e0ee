/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The native layout. Mappings are placed as the kernel's top-down search places them: in the order of their
 * moments, each in the highest gap that is large enough, after the gaps of closed mappings have been freed. */
#include "model/layout/native.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

#define PROGRAM_BASE UINT64_C(0x555555554000)
#define MAPPINGS_TOP UINT64_C(0x7ffff7fff000)
#define STACK_TOP UINT64_C(0x7ffffffff000)
/* Defaults of Linux 6.1 for traces without these facts: the kernel's mappings for a process (vdso, vvar), below
 * the loader; the auxiliary vector, 20 pairs and a null pair. */
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

/* Computes the initial stack pointer. From the top downwards:
 *
 *   8 bytes              a null word
 *   stack_strings_bytes  path of the program, strings of environment and arguments; then down to a multiple of 16
 *   7 bytes              "x86_64"
 *   16 bytes             random numbers
 *   auxiliary_bytes      auxiliary vector
 *   8 bytes each         argc, the pointers to all strings, a null behind either list; then down to a multiple of 16
 *
 * Ref: Linux 6.1, fs/binfmt_elf.c, create_elf_tables. */
static uint64_t stack_pointer(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	uint64_t strings = fact_number(trace, "stack_strings_bytes", 0) + request->stack_bytes;
	uint64_t pointers = fact_number(trace, "stack_pointers", 0);
	uint64_t auxiliary = fact_number(trace, "auxiliary_bytes", AUXILIARY_BYTES);
	uint64_t at = (STACK_TOP - 8 - strings) & ~UINT64_C(15);
	at = at - sizeof "x86_64" - 16;
	/* argc, the pointers, and the nulls behind both lists */
	return (at - 8 * (3 + pointers) - auxiliary) & ~UINT64_C(15);
}

/* --- top-down search ----------------------------------------------------------------------------------------- */

struct mapped_range {
	uint64_t start, end;
	uint64_t closed;
};

struct mapped_ranges {
	struct mapped_range *items; /* by falling address */
	size_t count;
};

static void free_closed_ranges(struct mapped_ranges *ranges, uint64_t moment) {
	size_t kept = 0;
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].closed > moment)
			ranges->items[kept++] = ranges->items[i];
	ranges->count = kept;
}

static uint64_t map_highest(struct mapped_ranges *ranges, uint64_t top, uint64_t bytes, uint64_t closed) {
	size_t at = 0;
	uint64_t end = top;
	for (; at < ranges->count && end - ranges->items[at].end < bytes; at++)
		end = ranges->items[at].start;
	ranges->items = ifr_realloc(ranges->items, ranges->count + 1, sizeof *ranges->items);
	memmove(ranges->items + at + 1, ranges->items + at, (ranges->count - at) * sizeof *ranges->items);
	ranges->items[at] = (struct mapped_range){end - bytes, end, closed};
	ranges->count++;
	return end - bytes;
}

/* --- mappings and objects ------------------------------------------------------------------------------------ */

static const struct ifr_mapping *find_program(const struct ifr_mapping *mappings, size_t count) {
	for (size_t i = 0; i < count; i++)
		if (mappings[i].kind == IFR_MAPPING_PROGRAM)
			return &mappings[i];
	return NULL;
}

size_t native_laid_out(const struct ifr_trace *trace) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	char *library = ifr_trace_fact(trace, IFR_TRACE_LAID_OUT);
	size_t found = 0;
	for (size_t i = IFR_MAPPING_FIRST; i < count && !found; i++)
		if (library ? mappings[i].kind == IFR_MAPPING_LIBRARY && !strcmp(mappings[i].path, library)
		            : mappings[i].kind == IFR_MAPPING_PROGRAM)
			found = i;
	free(library);
	return found;
}

/* End of the program in this layout. */
static uint64_t program_end(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	const struct ifr_mapping *program = find_program(mappings, count);
	if (!program)
		return PROGRAM_BASE;
	const bool grows = &mappings[native_laid_out(trace)] == program;
	return (program->fixed ? 0 : PROGRAM_BASE) + program->start + program->bytes +
	       (grows ? request->end_bytes : 0);
}

uint64_t native_heap_start(const struct ifr_trace *trace, const struct ifr_layout_request *request) {
	return whole_pages(program_end(trace, request));
}

/* The search for addresses, over mappings and objects in the order of their moments. */
struct address_search {
	struct mapped_ranges ranges;
	uint64_t top, kernel_bytes;
	const struct ifr_mapping *grown; /* the laid out mapping, and the bytes that it grows */
	uint64_t grown_bytes;
	bool kernel_mapped;
	const struct ifr_trace_request *asked;
	const struct ifr_object_place *put; /* NULL: the recorded allocator's mappings count */
	uint64_t *closed, *object_mappings; /* by request */
	size_t count, next;
};

static uint64_t map_next(struct address_search *search, uint64_t bytes, uint64_t opened, uint64_t closed) {
	free_closed_ranges(&search->ranges, opened);
	if (!search->kernel_mapped && opened)
		map_highest(&search->ranges, search->top, search->kernel_bytes, UINT64_MAX);
	search->kernel_mapped |= opened != 0;
	return map_highest(&search->ranges, search->top, whole_pages(bytes), closed);
}

/* Maps the objects that were requested before a moment. */
static void map_objects(struct address_search *search, uint64_t moment) {
	for (; search->put && search->next < search->count; search->next++) {
		const size_t i = search->next;
		if (search->asked[i].moment >= moment)
			break;
		if (search->put[i].home == IFR_OBJECT_IN_MAPPING)
			search->object_mappings[i] =
				map_next(search, search->put[i].mapping_bytes, search->asked[i].moment, search->closed[i]);
	}
}

/* Computes the moment at which each request's object ended. */
static uint64_t *find_ends(const struct ifr_trace_request *asked, size_t count) {
	uint64_t *closed = ifr_alloc((count + 1) * sizeof *closed);
	memset(closed, 0xff, count * sizeof *closed);
	for (size_t i = 0; i < count; i++)
		if (asked[i].old != IFR_NO_REQUEST)
			closed[asked[i].old] = asked[i].moment;
	return closed;
}

static uint64_t map_mapping(struct address_search *search, const struct ifr_mapping *mapping) {
	if (search->put && mapping->allocator)
		return 0;
	map_objects(search, mapping->opened);
	const uint64_t more = mapping == search->grown ? search->grown_bytes : 0;
	return map_next(search, mapping->bytes + more, mapping->opened, mapping->closed) - mapping->start;
}

/* Address of a mapping's offset 0. */
static uint64_t find_origin(const struct ifr_trace *trace, const struct ifr_layout_request *request,
                            struct address_search *search, const struct ifr_mapping *mapping) {
	switch (mapping->kind) {
	case IFR_MAPPING_PROGRAM:
		return mapping->fixed ? 0 : PROGRAM_BASE;
	case IFR_MAPPING_HEAP:
		return native_heap_start(trace, request) - mapping->start;
	case IFR_MAPPING_STACK:
		return stack_pointer(trace, request) - IFR_STACK_ORIGIN;
	default:
		return map_mapping(search, mapping);
	}
}

void native_deltas(const struct ifr_trace *trace, const struct ifr_layout_request *request, uint64_t *deltas,
                   uint64_t *object_mappings) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	struct address_search search = {
		.top = MAPPINGS_TOP - IFR_PAGE * (request->load_pages + fact_number(trace, "load_pages", 0)),
		.kernel_bytes = whole_pages(fact_number(trace, "kernel_mapped_bytes", KERNEL_BYTES)),
		.grown = &mappings[native_laid_out(trace)],
		.grown_bytes = request->end_bytes,
		.put = request->objects,
		.object_mappings = object_mappings};
	search.count = ifr_trace_requests(trace, &search.asked);
	search.closed = find_ends(search.asked, search.count);
	memset(deltas, 0, count * sizeof *deltas);
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		deltas[i] = mappings[i].kind == IFR_MAPPING_OBJECTS
		                ? NATIVE_PER_OBJECT
		                : find_origin(trace, request, &search, &mappings[i]) - ((uint64_t)i << IFR_MAPPING_SHIFT);
	map_objects(&search, UINT64_MAX);
	free(search.closed);
	free(search.ranges.items);
}
