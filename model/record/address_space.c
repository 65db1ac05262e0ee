/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/address_space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "common/buffer.h"
#include "model/record/objects.h"
#include "model/record/segments.h"

enum { PAGE = 4096 };

struct row {
	struct initial_mapping row;
	char *path;
};

struct spaces {
	struct ifr_trace_writer *writer;
	char *program, *name;
	struct row *rows;
	size_t row_count;
	struct spans spans;
	struct span other;  /* what is nowhere else */
	struct span beside; /* the shared span of an address in no object; as it has no bytes, it is asked for again */
	struct objects *objects; /* NULL until the first is asked for */
	struct span *heap;
	uint64_t heap_start;
	bool has_stack, has_loader;
	uint32_t loader; /* its region */
};

static uint64_t whole_pages(uint64_t bytes) {
	return (bytes + PAGE - 1) & -(uint64_t)PAGE;
}

struct spaces *address_space_new(struct ifr_trace_writer *writer, const char *program, const char *name) {
	struct spaces *spaces = ifr_alloc(sizeof *spaces);
	spaces->writer = writer;
	spaces->program = ifr_strdup(program);
	spaces->name = ifr_strdup(name ? name : program);
	spaces->other = (struct span){.bytes = UINT64_MAX};
	return spaces;
}

void address_space_free(struct spaces *spaces) {
	for (size_t i = 0; i < spaces->row_count; i++)
		free(spaces->rows[i].path);
	objects_free(spaces->objects);
	free(spaces->rows);
	extents_release(&spaces->spans);
	free(spaces->program);
	free(spaces->name);
	free(spaces);
}

/* A span has no bytes any more. */
static void gone(void *owner, struct span *span) {
	struct spaces *spaces = owner;
	if (span->region && !extents_have_mapping(&spaces->spans, span->region))
		ifr_trace_close_mapping(spaces->writer, span->region);
	if (span == spaces->heap)
		spaces->heap = NULL;
}

static void clear(struct spaces *spaces, uint64_t start, uint64_t bytes) {
	extents_clear(&spaces->spans, start, bytes, gone, spaces);
}

static struct span *open_region(struct spaces *spaces, const struct ifr_mapping *region, uint64_t address) {
	uint32_t number = ifr_trace_add_mapping(spaces->writer, region);
	struct span span = {.start = address, .bytes = region->bytes, .region = number};
	if (number)
		span.delta = ((uint64_t)number << IFR_MAPPING_SHIFT) + region->start - address;
	clear(spaces, address, region->bytes);
	return extents_insert(&spaces->spans, &span);
}

/* --- when the program begins ----------------------------------------------------------------------------------
 */

void address_space_add_initial(struct spaces *spaces, const struct initial_mapping *row) {
	spaces->rows = ifr_realloc(spaces->rows, spaces->row_count + 1, sizeof *spaces->rows);
	struct row *kept = &spaces->rows[spaces->row_count++];
	*kept = (struct row){*row, ifr_strdup(row->path)};
	kept->row.path = kept->path;
}

static void open_file(struct spaces *spaces, enum ifr_mapping_kind kind, const struct row *row) {
	uint64_t low, high;
	bool fixed = false;
	if (!read_file_segments(row->path, &low, &high, &fixed))
		return;
	open_region(spaces,
	            &(struct ifr_mapping){.kind = kind,
	                                  .path = kind == IFR_MAPPING_PROGRAM ? spaces->name : row->path,
	                                  .start = low,
	                                  .bytes = high - low,
	                                  .fixed = fixed},
	            row->row.start);
}

void address_space_start_program(struct spaces *spaces, uint64_t first_block) {
	const struct row *program = NULL, *loader = NULL;
	for (size_t i = 0; i < spaces->row_count && !program; i++)
		if (!strcmp(spaces->rows[i].path, spaces->program))
			program = &spaces->rows[i];
	for (size_t i = 0; i < spaces->row_count; i++) {
		const struct row *row = &spaces->rows[i];
		if (first_block >= row->row.start && first_block < row->row.end)
			loader = row;
	}
	/* The loader's first row is the one of its file that comes before the first block, not after a gap: qemu
	 * itself may have mapped the same file for its own use. */
	while (loader && loader > spaces->rows && !strcmp(loader[-1].path, loader->path) &&
	       loader[-1].row.end == loader->row.start)
		loader--;
	if (program)
		open_file(spaces, IFR_MAPPING_PROGRAM, program);
	spaces->has_loader = loader && strcmp(loader->path, spaces->program) != 0;
	if (spaces->has_loader)
		open_file(spaces, IFR_MAPPING_LIBRARY, loader);
	spaces->loader = address_space_find(spaces, first_block, false)->region;
	ifr_trace_start_program(spaces->writer);
}

bool address_space_in_loader(struct spaces *spaces, uint64_t address) {
	return spaces->has_loader && address_space_find(spaces, address, false)->region == spaces->loader;
}

/* The first access is the one to the stack by which a program or its loader begins: a call or a push, which stores
 * below the pointer, or a pop, which loads from it. */
static const struct span *make_stack(struct spaces *spaces, uint64_t address, bool store) {
	for (size_t i = 0; i < spaces->row_count && !spaces->has_stack; i++) {
		const struct initial_mapping *row = &spaces->rows[i].row;
		if (address < row->start || address >= row->end || !row->writable)
			continue;
		uint64_t pointer = (address + (store ? 8 : 0) + 15) & ~UINT64_C(15);
		spaces->has_stack = true;
		return open_region(spaces,
		                   &(struct ifr_mapping){.kind = IFR_MAPPING_STACK,
		                                         .start = IFR_STACK_ORIGIN - (pointer - row->start),
		                                         .bytes = row->end - row->start},
		                   row->start);
	}
	return &spaces->other;
}

static const struct span *find_without_objects(struct spaces *spaces, uint64_t address, bool store) {
	const struct span *span = extents_at(&spaces->spans, address);
	return span ? span : make_stack(spaces, address, store);
}

const struct span *address_space_find(struct spaces *spaces, uint64_t address, bool store) {
	const struct span *span = spaces->objects ? objects_find(spaces->objects, address) : NULL;
	if (!span)
		span = find_without_objects(spaces, address, store);
	if (!span->shared)
		return span;
	spaces->beside = *span;
	spaces->beside.bytes = 0;
	return &spaces->beside;
}

/* --- while it runs --------------------------------------------------------------------------------------------
 */

static void mapped(struct spaces *spaces, uint64_t address, uint64_t bytes, uint64_t flags, const char *path,
                   bool allocator) {
	const struct span *there = extents_at(&spaces->spans, address);
	bool wanted = flags & MAP_FIXED;
	/* A library's later segments lie in the room of its first. */
	if (wanted && there && address + bytes <= there->start + there->bytes)
		return;
	open_region(spaces,
	            &(struct ifr_mapping){.kind = *path ? IFR_MAPPING_LIBRARY : IFR_MAPPING_ANONYMOUS,
	                                  .path = (char *)path,
	                                  .bytes = bytes,
	                                  .fixed = wanted,
	                                  .allocator = allocator},
	            address);
}

static void moved(struct spaces *spaces, uint64_t from, uint64_t old_bytes, uint64_t to, uint64_t bytes,
                  bool allocator) {
	struct span *span = extents_at(&spaces->spans, from);
	if (!span)
		return;
	bool in_place = to == from && span->start + span->bytes == from + old_bytes && span->region;
	if (in_place && bytes > old_bytes) {
		clear(spaces, from + old_bytes, bytes - old_bytes);
		span->bytes += bytes - old_bytes;
		ifr_trace_grow_mapping(spaces->writer, span->region, (span->start + span->delta) & IFR_OFFSET_MASK,
		                       span->bytes);
	} else if (to == from) {
		if (bytes < old_bytes)
			clear(spaces, from + bytes, old_bytes - bytes);
	} else {
		clear(spaces, from, old_bytes);
		mapped(spaces, to, bytes, 0, "", allocator);
	}
}

static void heap_ends(struct spaces *spaces, uint64_t end) {
	if (!spaces->heap_start)
		spaces->heap_start = end;
	uint64_t bytes = end - spaces->heap_start;
	if (end < spaces->heap_start || !bytes)
		return;
	if (!spaces->heap) {
		spaces->heap = open_region(spaces, &(struct ifr_mapping){.kind = IFR_MAPPING_HEAP, .bytes = bytes},
		                           spaces->heap_start);
		return;
	}
	if (bytes > spaces->heap->bytes)
		clear(spaces, spaces->heap->start + spaces->heap->bytes, bytes - spaces->heap->bytes);
	if (!spaces->heap)
		return;
	spaces->heap->bytes = bytes;
	if (spaces->heap->region)
		ifr_trace_grow_mapping(spaces->writer, spaces->heap->region, 0, bytes);
}

/* Who has found the span of an address has to ask again from now on. */
static void share(struct spaces *spaces, uint64_t address) {
	struct span *span = extents_at(&spaces->spans, address);
	if (!span) {
		spaces->other.shared = true;
		spaces->other.bytes = 0;
		return;
	}
	if (span->shared)
		return;
	span->shared = true;
	struct span *renewed = extents_replace(&spaces->spans, span);
	if (spaces->heap == span)
		spaces->heap = renewed;
}

void address_space_apply_request(struct spaces *spaces, uint16_t thread, const uint64_t *numbers) {
	uint64_t address = numbers[1];
	if (!spaces->objects)
		spaces->objects = objects_new(spaces->writer);
	if (address)
		share(spaces, address);
	objects_apply_request(spaces->objects, thread, numbers,
	                      address ? address + find_without_objects(spaces, address, false)->delta : 0);
}

void address_space_apply_call(struct spaces *spaces, const uint64_t *numbers, const char *path, bool allocator) {
	uint64_t result = numbers[1];
	const uint64_t *arguments = numbers + 2;
	if (result > -(uint64_t)PAGE)
		return; /* it failed */
	switch (numbers[0]) {
	case SYS_mmap:
		/* What the runtime maps where it wants is no region: its objects lie at addresses. */
		if (!allocator || !(arguments[3] & MAP_FIXED))
			mapped(spaces, result, whole_pages(arguments[1]), arguments[3], path, allocator);
		break;
	case SYS_munmap:
		clear(spaces, arguments[0], whole_pages(arguments[1]));
		break;
	case SYS_mremap:
		moved(spaces, arguments[0], whole_pages(arguments[1]), result, whole_pages(arguments[2]), allocator);
		break;
	case SYS_brk:
		heap_ends(spaces, result);
		break;
	default:
		break;
	}
}
