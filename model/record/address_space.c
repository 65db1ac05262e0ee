/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: every recorded access needs the mapping that holds its address at that moment, and programs map, grow,
 * move and unmap memory all the time.
 *
 * Idea: the process's address space is a sorted set of disjoint extents (extents.c), each with the constant that
 * turns its addresses into normalised ones. Mapping calls edit the set. Live heap objects are found first
 * (objects.c), as they lie inside the extents of heap and mappings. The callers remember the extent of an access
 * and test it by itself next time.
 *
 * Invariant: a remembered extent that still has bytes translates right. It holds because extents live as long as
 * the set, and every change that makes a translation wrong sets the extent's bytes to 0 or shrinks its range:
 * unmapping clears it; an object that comes to lie in it marks it shared and replaces it (mark_shared), and a
 * shared extent is handed out only as a copy without bytes. */
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

struct address_space {
	struct ifr_trace_writer *writer;
	char *program, *name;
	struct row *rows;
	size_t row_count;
	struct extents extents;
	struct extent other;     /* addresses in no mapping */
	struct extent uncached;  /* copy of a shared extent, without bytes so that callers look up again */
	struct objects *objects; /* NULL until the first request */
	uint32_t epoch;
	struct extent *heap;
	uint64_t heap_start;
	bool has_stack, has_loader;
	uint32_t loader; /* the loader's mapping */
};

static uint64_t whole_pages(uint64_t bytes) {
	return (bytes + PAGE - 1) & -(uint64_t)PAGE;
}

struct address_space *address_space_new(struct ifr_trace_writer *writer, const char *program, const char *name) {
	struct address_space *space = ifr_alloc(sizeof *space);
	space->writer = writer;
	space->program = ifr_strdup(program);
	space->name = ifr_strdup(name ? name : program);
	space->other = (struct extent){.bytes = UINT64_MAX};
	space->epoch = 1;
	return space;
}

void address_space_free(struct address_space *space) {
	for (size_t i = 0; i < space->row_count; i++)
		free(space->rows[i].path);
	objects_free(space->objects);
	free(space->rows);
	extents_release(&space->extents);
	free(space->program);
	free(space->name);
	free(space);
}

/* Closes the mapping of an extent that was removed, if it was the mapping's last extent. */
static void close_extent(void *owner, struct extent *extent) {
	struct address_space *space = owner;
	if (extent->mapping && !extents_have_mapping(&space->extents, extent->mapping))
		ifr_trace_close_mapping(space->writer, extent->mapping);
	if (extent == space->heap)
		space->heap = NULL;
}

static void unmap(struct address_space *space, uint64_t start, uint64_t bytes) {
	extents_clear(&space->extents, start, bytes, close_extent, space);
}

static struct extent *open_mapping(struct address_space *space, const struct ifr_mapping *region,
                                   uint64_t address) {
	uint32_t number = ifr_trace_add_mapping(space->writer, region);
	struct extent extent = {.start = address, .bytes = region->bytes, .mapping = number};
	if (number)
		extent.delta = ((uint64_t)number << IFR_MAPPING_SHIFT) + region->start - address;
	unmap(space, address, region->bytes);
	return extents_insert(&space->extents, &extent);
}

/* --- start of the program ------------------------------------------------------------------------------------ */

void address_space_add_initial(struct address_space *space, const struct initial_mapping *row) {
	space->rows = ifr_realloc(space->rows, space->row_count + 1, sizeof *space->rows);
	struct row *kept = &space->rows[space->row_count++];
	*kept = (struct row){*row, ifr_strdup(row->path)};
	kept->row.path = kept->path;
}

static void open_file_mapping(struct address_space *space, enum ifr_mapping_kind kind, const struct row *row) {
	uint64_t low, high;
	bool fixed = false;
	if (!read_file_segments(row->path, &low, &high, &fixed))
		return;
	open_mapping(space,
	             &(struct ifr_mapping){.kind = kind,
	                                   .path = kind == IFR_MAPPING_PROGRAM ? space->name : row->path,
	                                   .start = low,
	                                   .bytes = high - low,
	                                   .fixed = fixed},
	             row->row.start);
}

void address_space_start_program(struct address_space *space, uint64_t first_block) {
	const struct row *program = NULL, *loader = NULL;
	for (size_t i = 0; i < space->row_count && !program; i++)
		if (!strcmp(space->rows[i].path, space->program))
			program = &space->rows[i];
	for (size_t i = 0; i < space->row_count; i++) {
		const struct row *row = &space->rows[i];
		if (first_block >= row->row.start && first_block < row->row.end)
			loader = row;
	}
	/* The loader's mapping begins with the contiguous rows of its file up to the first block, not beyond a gap:
	 * qemu may have mapped the same file for its own use. */
	while (loader && loader > space->rows && !strcmp(loader[-1].path, loader->path) &&
	       loader[-1].row.end == loader->row.start)
		loader--;
	if (program)
		open_file_mapping(space, IFR_MAPPING_PROGRAM, program);
	space->has_loader = loader && strcmp(loader->path, space->program) != 0;
	if (space->has_loader)
		open_file_mapping(space, IFR_MAPPING_LIBRARY, loader);
	space->loader = address_space_find(space, first_block, false)->mapping;
	ifr_trace_start_program(space->writer);
}

uint32_t address_space_epoch(const struct address_space *space) {
	return space->epoch;
}

bool address_space_in_loader(struct address_space *space, uint64_t address) {
	return space->has_loader && address_space_find(space, address, false)->mapping == space->loader;
}

/* Defines the stack by its first access. A program or its loader begins with a call or push, which stores below
 * the stack pointer, or with a pop, which loads from it. */
static const struct extent *make_stack(struct address_space *space, uint64_t address, bool store) {
	for (size_t i = 0; i < space->row_count && !space->has_stack; i++) {
		const struct initial_mapping *row = &space->rows[i].row;
		if (address < row->start || address >= row->end || !row->writable)
			continue;
		uint64_t pointer = (address + (store ? 8 : 0) + 15) & ~UINT64_C(15);
		space->has_stack = true;
		space->epoch++;
		return open_mapping(space,
		                    &(struct ifr_mapping){.kind = IFR_MAPPING_STACK,
		                                          .start = IFR_STACK_ORIGIN - (pointer - row->start),
		                                          .bytes = row->end - row->start},
		                    row->start);
	}
	return &space->other;
}

static const struct extent *find_without_objects(struct address_space *space, uint64_t address, bool store) {
	const struct extent *extent = extents_at(&space->extents, address);
	return extent ? extent : make_stack(space, address, store);
}

const struct extent *address_space_find(struct address_space *space, uint64_t address, bool store) {
	const struct extent *extent = space->objects ? objects_find(space->objects, address) : NULL;
	if (!extent)
		extent = find_without_objects(space, address, store);
	/* A null pointer that is prefetched tells nothing about where the next one points to. */
	if (!extent->shared && extent != &space->other)
		return extent;
	space->uncached = *extent;
	space->uncached.bytes = 0;
	return &space->uncached;
}

/* --- changes while the program runs -------------------------------------------------------------------------- */

static void add_mapping(struct address_space *space, uint64_t address, uint64_t bytes, uint64_t flags,
                        const char *path, bool allocator) {
	const struct extent *there = extents_at(&space->extents, address);
	bool wanted = flags & MAP_FIXED;
	/* The later segments of a library replace parts of its first mapping, which spans them all. */
	if (wanted && there && address + bytes <= there->start + there->bytes)
		return;
	open_mapping(space,
	             &(struct ifr_mapping){.kind = *path ? IFR_MAPPING_LIBRARY : IFR_MAPPING_ANONYMOUS,
	                                   .path = (char *)path,
	                                   .bytes = bytes,
	                                   .fixed = wanted,
	                                   .allocator = allocator},
	             address);
}

static void apply_mremap(struct address_space *space, uint64_t from, uint64_t old_bytes, uint64_t to,
                         uint64_t bytes, bool allocator) {
	struct extent *extent = extents_at(&space->extents, from);
	if (!extent)
		return;
	bool in_place = to == from && extent->start + extent->bytes == from + old_bytes && extent->mapping;
	if (in_place && bytes > old_bytes) {
		unmap(space, from + old_bytes, bytes - old_bytes);
		extent->bytes += bytes - old_bytes;
		ifr_trace_grow_mapping(space->writer, extent->mapping, (extent->start + extent->delta) & IFR_OFFSET_MASK,
		                       extent->bytes);
	} else if (to == from) {
		if (bytes < old_bytes)
			unmap(space, from + bytes, old_bytes - bytes);
	} else {
		unmap(space, from, old_bytes);
		add_mapping(space, to, bytes, 0, "", allocator);
	}
}

static void set_heap_end(struct address_space *space, uint64_t end) {
	if (!space->heap_start)
		space->heap_start = end;
	uint64_t bytes = end - space->heap_start;
	if (end < space->heap_start || !bytes)
		return;
	if (!space->heap) {
		space->heap = open_mapping(space, &(struct ifr_mapping){.kind = IFR_MAPPING_HEAP, .bytes = bytes},
		                           space->heap_start);
		return;
	}
	if (bytes > space->heap->bytes)
		unmap(space, space->heap->start + space->heap->bytes, bytes - space->heap->bytes);
	if (!space->heap)
		return;
	space->heap->bytes = bytes;
	if (space->heap->mapping)
		ifr_trace_grow_mapping(space->writer, space->heap->mapping, 0, bytes);
}

/* Marks the extent of an address as shared with objects, and replaces it so that remembered pointers to it are
 * looked up again. */
static void mark_shared(struct address_space *space, uint64_t address) {
	struct extent *extent = extents_at(&space->extents, address);
	if (!extent) {
		space->other.shared = true;
		space->other.bytes = 0;
		return;
	}
	if (extent->shared)
		return;
	extent->shared = true;
	struct extent *renewed = extents_replace(&space->extents, extent);
	if (space->heap == extent)
		space->heap = renewed;
}

void address_space_apply_request(struct address_space *space, uint16_t thread, const uint64_t *numbers) {
	uint64_t address = numbers[1];
	space->epoch++;
	if (!space->objects)
		space->objects = objects_new(space->writer);
	if (address)
		mark_shared(space, address);
	/* The call ends where it returns to. */
	const struct extent *code = numbers[5] ? extents_at(&space->extents, numbers[5]) : NULL;
	ifr_trace_set_site(space->writer, code ? numbers[5] - 1 + code->delta : 0);
	objects_apply_request(space->objects, thread, numbers,
	                      address ? address + find_without_objects(space, address, false)->delta : 0);
}

void address_space_apply_call(struct address_space *space, const uint64_t *numbers, const char *path,
                              bool allocator) {
	uint64_t result = numbers[1];
	const uint64_t *arguments = numbers + 2;
	space->epoch++;
	if (result > -(uint64_t)PAGE)
		return; /* the call failed */
	switch (numbers[0]) {
	case SYS_mmap:
		/* A mapping at an address of the allocator's own choice is not added: its objects have fixed addresses. */
		if (!allocator || !(arguments[3] & MAP_FIXED))
			add_mapping(space, result, whole_pages(arguments[1]), arguments[3], path, allocator);
		break;
	case SYS_munmap:
		unmap(space, arguments[0], whole_pages(arguments[1]));
		break;
	case SYS_mremap:
		apply_mremap(space, arguments[0], whole_pages(arguments[1]), result, whole_pages(arguments[2]), allocator);
		break;
	case SYS_brk:
		set_heap_end(space, result);
		break;
	default:
		break;
	}
}
