/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/site_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/recorder_marks.h"
#include "harness/simulate/plan_replay.h"

/* The files of mappings are opened when they are asked for. */
struct ifr_site_names {
	const struct ifr_trace *trace;
	const struct ifr_mapping *mappings;
	size_t count;
	struct ifr_source **sources; /* by mapping; NULL: not opened, or not readable */
	bool *tried;
};

const struct ifr_mapping *ifr_site_mapping(const struct ifr_site_names *names, uint64_t normalised) {
	const uint64_t number = normalised >> IFR_MAPPING_SHIFT;
	return number >= IFR_MAPPING_FIRST && number < names->count ? &names->mappings[number] : NULL;
}

/* The symbols of a program that was built again since it was recorded would name other code. */
static struct ifr_source *open_source(const struct ifr_site_names *names, const struct ifr_mapping *mapping) {
	char *changed = mapping->kind == IFR_MAPPING_PROGRAM ? ifr_recorded_program_changed(names->trace) : NULL;
	struct ifr_source *source = changed ? NULL : ifr_source_open(mapping->path);
	free(changed);
	return source;
}

struct ifr_source *ifr_site_source(struct ifr_site_names *names, uint64_t normalised) {
	const uint64_t number = normalised >> IFR_MAPPING_SHIFT;
	const struct ifr_mapping *mapping = ifr_site_mapping(names, normalised);
	if (!mapping || !*mapping->path)
		return NULL;
	if (!names->tried[number])
		names->sources[number] = open_source(names, mapping);
	names->tried[number] = true;
	return names->sources[number];
}

char *ifr_site_code(struct ifr_site_names *names, uint64_t normalised) {
	struct ifr_buffer text = {0};
	const struct ifr_mapping *mapping = ifr_site_mapping(names, normalised);
	struct ifr_source *source = ifr_site_source(names, normalised);
	if (source)
		ifr_source_put(source, normalised & IFR_OFFSET_MASK, &text);
	else
		ifr_buffer_printf(&text, "0x%" PRIx64, normalised & IFR_OFFSET_MASK);
	if (mapping && mapping->kind == IFR_MAPPING_LIBRARY)
		ifr_buffer_printf(&text, " in %s", ifr_path_base(mapping->path));
	return ifr_buffer_detach(&text);
}

/* The last object at or before a normalised address holds it. */
static const struct ifr_trace_request *find_object(const struct ifr_site_names *names, uint64_t normalised,
                                                   size_t *number) {
	const struct ifr_trace_request *requests;
	size_t low = 0, high = ifr_trace_requests(names->trace, &requests);
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (requests[middle].normalised <= normalised)
			low = middle;
		else
			high = middle;
	}
	*number = low;
	return high ? &requests[low] : NULL;
}

/* "malloc in read_rows (rows.c:7)"; nothing where the call is not known, or was made by the allocator's own library. */
static void name_allocation(struct ifr_site_names *names, const struct ifr_trace_request *object, size_t number,
                            struct ifr_buffer *text) {
	static const char *const calls[IFR_HEAP_REQUESTS] = {
		[IFR_HEAP_ALLOCATE] = "malloc", [IFR_HEAP_ALLOCATE_ZEROED] = "calloc", [IFR_HEAP_RESIZE] = "realloc"};
	const uint64_t site = ifr_trace_site(names->trace, number);
	const struct ifr_mapping *mapping = ifr_site_mapping(names, site);
	if (!site || !mapping || !calls[object->request] || !strcmp(ifr_path_base(mapping->path), "objects.so"))
		return;
	char *code = ifr_site_code(names, site);
	ifr_buffer_printf(text, ", %s in %s", calls[object->request], code);
	free(code);
}

static void name_object(struct ifr_site_names *names, uint64_t normalised, struct ifr_buffer *text) {
	size_t number;
	const struct ifr_trace_request *object = find_object(names, normalised, &number);
	if (!object) {
		ifr_buffer_puts(text, "heap");
		return;
	}
	ifr_buffer_printf(text, "heap object %zu of %" PRIu64 " bytes", number, object->bytes);
	name_allocation(names, object, number, text);
}

char *ifr_site_objects(struct ifr_site_names *names, uint64_t normalised) {
	size_t number;
	struct ifr_buffer text = {0};
	const struct ifr_trace_request *object = find_object(names, normalised, &number);
	if (!object)
		return ifr_strdup("heap");
	ifr_buffer_printf(&text, "heap objects of %" PRIu64 " bytes", object->bytes);
	name_allocation(names, object, number, &text);
	return ifr_buffer_detach(&text);
}

struct ifr_site ifr_site_of(const struct ifr_site_names *names, uint64_t normalised) {
	const struct ifr_mapping *mapping = ifr_site_mapping(names, normalised);
	const struct ifr_trace_request *object;
	struct ifr_site site = {0};
	size_t number;
	switch (mapping ? mapping->kind : IFR_MAPPING_OTHER) {
	case IFR_MAPPING_PROGRAM:
		site.kind = IFR_SITE_PROGRAM;
		site.address = normalised & IFR_OFFSET_MASK;
		break;
	case IFR_MAPPING_STACK:
		site.kind = IFR_SITE_STACK;
		break;
	case IFR_MAPPING_OBJECTS:
		object = find_object(names, normalised, &number);
		site.bytes = object ? object->bytes : 0;
		site.kind = IFR_SITE_HEAP;
		break;
	case IFR_MAPPING_HEAP:
	case IFR_MAPPING_ANONYMOUS:
		site.kind = IFR_SITE_HEAP;
		break;
	default:
		break;
	}
	return site;
}

/* The data that the instruction accesses that ends `end` bytes into a block. */
static char *name_data(struct ifr_site_names *names, uint64_t data, uint64_t block, uint16_t end) {
	struct ifr_buffer text = {0};
	const struct ifr_mapping *mapping = ifr_site_mapping(names, data);
	const uint64_t offset = data & IFR_OFFSET_MASK, at = block & IFR_OFFSET_MASK;
	const enum ifr_mapping_kind kind = mapping ? mapping->kind : IFR_MAPPING_OTHER;
	struct ifr_source *code = ifr_site_source(names, block);
	if (kind == IFR_MAPPING_STACK) {
		if (!code || !ifr_source_local(code, at, at + end, &text))
			ifr_buffer_puts(&text, "stack");
	} else if (kind == IFR_MAPPING_PROGRAM || kind == IFR_MAPPING_LIBRARY) {
		struct ifr_source *source = ifr_site_source(names, data);
		if (!source || !ifr_source_global(source, offset, &text))
			ifr_buffer_printf(&text, "data of %s", ifr_path_base(mapping->path));
	} else if (kind == IFR_MAPPING_OBJECTS) {
		name_object(names, data, &text);
	} else {
		ifr_buffer_puts(&text, kind == IFR_MAPPING_HEAP        ? "heap"
		                       : kind == IFR_MAPPING_ANONYMOUS ? "anonymous memory"
		                                                       : "other memory");
	}
	return ifr_buffer_detach(&text);
}

void ifr_site_access(struct ifr_site_names *names, uint32_t block, uint32_t access, uint64_t data,
                     char **data_name, char **code_name) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	ifr_trace_blocks(names->trace, &blocks);
	ifr_trace_accesses(names->trace, &accesses);
	const uint64_t start = blocks[block].normalised;
	const uint16_t end = accesses[access].end;
	*data_name = name_data(names, data, start, end);
	*code_name = ifr_site_code(names, start + end - 1);
}

struct ifr_site_names *ifr_site_names_new(const struct ifr_trace *trace) {
	struct ifr_site_names *names = ifr_alloc(sizeof *names);
	names->trace = trace;
	names->count = ifr_trace_mappings(trace, &names->mappings);
	names->sources = ifr_alloc((names->count + 1) * sizeof(struct ifr_source *));
	names->tried = ifr_alloc((names->count + 1) * sizeof *names->tried);
	return names;
}

void ifr_site_names_free(struct ifr_site_names *names) {
	for (size_t i = 0; i < names->count; i++)
		ifr_source_close(names->sources[i]);
	free(names->tried);
	free(names->sources);
	free(names);
}
