/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/objects.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/table.h"

enum { PAGE_SHIFT = 12, GRANULE_SHIFT = 4, GRANULES = 1 << (PAGE_SHIFT - GRANULE_SHIFT) };

struct object {
	struct extent extent;
	uint64_t bytes;      /* as requested */
	uint32_t request;    /* request that allocated it */
	struct object *next; /* next in the list of all objects */
	struct object *free; /* next in the list of reusable objects */
};

/* A page's owners. Objects begin at multiples of 16 bytes (granules) and share none. */
struct page {
	struct object *whole;    /* the object that covers the whole page */
	struct object **granule; /* owner by granule; NULL: no granule has an owner */
};

struct objects {
	struct ifr_trace_writer *writer;
	struct ifr_table page_index; /* pages by address >> PAGE_SHIFT */
	struct page *pages;
	size_t room;
	struct object *all, *free;
};

struct objects *objects_new(struct ifr_trace_writer *writer) {
	struct objects *objects = ifr_alloc(sizeof *objects);
	objects->writer = writer;
	return objects;
}

void objects_free(struct objects *objects) {
	if (!objects)
		return;
	for (size_t i = 0; i < objects->page_index.count; i++)
		free(objects->pages[i].granule);
	for (struct object *object = objects->all, *next; object; object = next) {
		next = object->next;
		free(object);
	}
	ifr_table_release(&objects->page_index);
	free(objects->pages);
	free(objects);
}

/* --- pages --------------------------------------------------------------------------------------------------- */

/* The page of a number, or NULL. */
static const struct page *find_page(const struct objects *objects, uint64_t number) {
	const uint32_t index = ifr_table_find(&objects->page_index, number);
	return index == IFR_TABLE_NONE ? NULL : &objects->pages[index];
}

/* The page is valid until the next one is added. */
static struct page *find_or_add_page(struct objects *objects, uint64_t number) {
	const size_t known = objects->page_index.count;
	const uint32_t index = ifr_table_number(&objects->page_index, number);
	if (index < known)
		return &objects->pages[index];
	if (known == objects->room) {
		objects->room = known ? 2 * known : 1024;
		objects->pages = ifr_realloc(objects->pages, objects->room, sizeof *objects->pages);
	}
	objects->pages[index] = (struct page){0};
	return &objects->pages[index];
}

static struct object *owner_of(const struct page *page, uint64_t address) {
	if (page->whole || !page->granule)
		return page->whole;
	return page->granule[address >> GRANULE_SHIFT & (GRANULES - 1)];
}

/* Sets the owner of some granules of a page; NULL: none. */
static void set_page_owner(struct page *page, unsigned from, unsigned to, struct object *object) {
	page->whole = NULL;
	if (!page->granule)
		page->granule = ifr_alloc(GRANULES * sizeof(struct object *));
	for (unsigned i = from; i < to; i++)
		page->granule[i] = object;
}

static uint64_t granules_end(const struct extent *extent) {
	return (extent->start + (extent->bytes ? extent->bytes : 1) + 15) >> GRANULE_SHIFT;
}

/* Sets the owner of all granules of an object; NULL: none. */
static void set_object_owner(struct objects *objects, const struct object *object, struct object *owner) {
	uint64_t granule = object->extent.start >> GRANULE_SHIFT;
	const uint64_t end = granules_end(&object->extent);
	while (granule < end) {
		struct page *page = find_or_add_page(objects, granule / GRANULES);
		const uint64_t next = (granule / GRANULES + 1) * GRANULES, stop = next < end ? next : end;
		if (stop - granule == GRANULES && !page->granule)
			page->whole = owner;
		else
			set_page_owner(page, granule % GRANULES, (unsigned)(stop - granule / GRANULES * GRANULES), owner);
		granule = stop;
	}
}

/* --- objects ------------------------------------------------------------------------------------------------- */

static struct object *find_object(const struct objects *objects, uint64_t address) {
	const struct page *page = find_page(objects, address >> PAGE_SHIFT);
	return page ? owner_of(page, address) : NULL;
}

const struct extent *objects_find(const struct objects *objects, uint64_t address) {
	const struct object *object = find_object(objects, address);
	return object ? &object->extent : NULL;
}

static void remove_object(struct objects *objects, struct object *object) {
	set_object_owner(objects, object, NULL);
	object->extent.bytes = 0;
	object->free = objects->free;
	objects->free = object;
}

/* Removes the objects in a range: another thread released them and its chunk is read later. */
static void remove_objects_in(struct objects *objects, const struct extent *extent) {
	const uint64_t end = granules_end(extent);
	for (uint64_t granule = extent->start >> GRANULE_SHIFT; granule < end;) {
		const struct page *page = find_page(objects, granule / GRANULES);
		struct object *object = page ? owner_of(page, granule << GRANULE_SHIFT) : NULL;
		if (object)
			remove_object(objects, object);
		else
			granule = page && page->granule ? granule + 1 : (granule / GRANULES + 1) * GRANULES;
	}
}

static struct object *new_object(struct objects *objects) {
	struct object *object = objects->free;
	if (object) {
		objects->free = object->free;
		return object;
	}
	object = ifr_alloc(sizeof *object);
	object->next = objects->all;
	return objects->all = object;
}

static void add_object(struct objects *objects, uint64_t address, const struct ifr_trace_request *request,
                       uint32_t number) {
	struct extent extent = {.start = address,
	                        .bytes = (request->bytes + !request->bytes + 15) & ~UINT64_C(15),
	                        .delta = request->normalised - address,
	                        .mapping = (uint32_t)(request->normalised >> IFR_MAPPING_SHIFT)};
	remove_objects_in(objects, &extent);
	struct object *object = new_object(objects);
	object->extent = extent;
	object->bytes = request->bytes;
	object->request = number;
	set_object_owner(objects, object, object);
}

/* Extends an object whose usable size the program asked for (malloc_usable_size), as it may use all of that. */
static void extend_object(struct objects *objects, struct object *object, uint64_t bytes) {
	const uint64_t most = object->bytes + IFR_OBJECT_MARGIN;
	bytes = (bytes < most ? bytes : most) + 15;
	bytes &= ~UINT64_C(15);
	if (bytes <= object->extent.bytes)
		return;
	object->extent.bytes = bytes;
	set_object_owner(objects, object, object);
}

void objects_apply_request(struct objects *objects, uint16_t thread, const uint64_t *numbers,
                           uint64_t recorded_at) {
	const uint64_t address = numbers[1];
	struct object *old = numbers[4] ? find_object(objects, numbers[4]) : NULL;
	struct ifr_trace_request request = {.bytes = numbers[2],
	                                    .recorded_at = recorded_at,
	                                    .old = IFR_NO_REQUEST,
	                                    .thread = thread,
	                                    .request = (uint8_t)numbers[0],
	                                    .alignment_shift = numbers[3] ? (uint8_t)__builtin_ctzll(numbers[3]) : 0};
	const bool ends = request.request == IFR_HEAP_RESIZE || request.request == IFR_HEAP_FREE;
	if (old && old->extent.start != numbers[4])
		old = NULL;
	struct object *measured = request.request == IFR_HEAP_OTHER && address ? find_object(objects, address) : NULL;
	if (measured && measured->extent.start == address)
		extend_object(objects, measured, numbers[2]);
	if (!request.request || request.request >= IFR_HEAP_REQUESTS || (request.request == IFR_HEAP_FREE && !old) ||
	    (request.request == IFR_HEAP_RESIZE && !address))
		return;
	if (request.request == IFR_HEAP_RESIZE && !old)
		request.request = IFR_HEAP_ALLOCATE;
	if (ends && old) {
		request.old = old->request;
		remove_object(objects, old);
	}
	const uint32_t number = ifr_trace_add_request(objects->writer, &request);
	if (address)
		add_object(objects, address, &request, number);
}
