/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/alias_pairs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/file.h"
#include "harness/code/code.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/recording_context.h"

/* The files of the trace's mappings, opened when they are asked for. */
struct files {
	const struct ifr_trace *trace;
	const struct ifr_mapping *mappings;
	size_t count;
	struct ifr_source **sources; /* by mapping; NULL: not opened, or not readable */
	bool *tried;
};

static const struct ifr_mapping *mapping_of(const struct files *files, uint64_t normalised) {
	const uint64_t number = normalised >> IFR_MAPPING_SHIFT;
	return number >= IFR_MAPPING_FIRST && number < files->count ? &files->mappings[number] : NULL;
}

static struct ifr_source *source_of(struct files *files, uint64_t normalised) {
	const uint64_t number = normalised >> IFR_MAPPING_SHIFT;
	const struct ifr_mapping *mapping = mapping_of(files, normalised);
	if (!mapping || !*mapping->path)
		return NULL;
	if (!files->tried[number])
		files->sources[number] = ifr_source_open(mapping->path);
	files->tried[number] = true;
	return files->sources[number];
}

static char *name_code(struct files *files, uint64_t normalised) {
	struct ifr_buffer text = {0};
	const struct ifr_mapping *mapping = mapping_of(files, normalised);
	struct ifr_source *source = source_of(files, normalised);
	if (source)
		ifr_source_put(source, normalised & IFR_OFFSET_MASK, &text);
	else
		ifr_buffer_printf(&text, "0x%" PRIx64, normalised & IFR_OFFSET_MASK);
	if (mapping && mapping->kind == IFR_MAPPING_LIBRARY)
		ifr_buffer_printf(&text, " in %s", ifr_path_base(mapping->path));
	return ifr_buffer_detach(&text);
}

/* The request whose object holds a normalised address: the last one at or before it. */
static void name_object(const struct ifr_trace *trace, uint64_t normalised, struct ifr_buffer *text) {
	const struct ifr_trace_request *requests;
	size_t low = 0, high = ifr_trace_requests(trace, &requests);
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;
		if (requests[middle].normalised <= normalised)
			low = middle;
		else
			high = middle;
	}
	if (!high)
		ifr_buffer_puts(text, "heap");
	else
		ifr_buffer_printf(text, "heap object %zu of %" PRIu64 " bytes", low, requests[low].bytes);
}

/* The access is of the instruction that ends `end` bytes into the block. */
static char *name_data(struct files *files, const struct ifr_alias_site *site, uint64_t block, uint16_t end) {
	struct ifr_buffer text = {0};
	const struct ifr_mapping *mapping = mapping_of(files, site->data);
	const uint64_t offset = site->data & IFR_OFFSET_MASK, at = block & IFR_OFFSET_MASK;
	const enum ifr_mapping_kind kind = mapping ? mapping->kind : IFR_MAPPING_OTHER;
	struct ifr_source *code = source_of(files, block);
	if (kind == IFR_MAPPING_STACK) {
		if (!code || !ifr_source_local(code, at, at + end, &text))
			ifr_buffer_puts(&text, "stack");
	} else if (kind == IFR_MAPPING_PROGRAM || kind == IFR_MAPPING_LIBRARY) {
		struct ifr_source *source = source_of(files, site->data);
		if (!source || !ifr_source_global(source, offset, &text))
			ifr_buffer_printf(&text, "data of %s", ifr_path_base(mapping->path));
	} else if (kind == IFR_MAPPING_OBJECTS) {
		name_object(files->trace, site->data, &text);
	} else {
		ifr_buffer_puts(&text, kind == IFR_MAPPING_HEAP        ? "heap"
		                       : kind == IFR_MAPPING_ANONYMOUS ? "anonymous memory"
		                                                       : "other memory");
	}
	return ifr_buffer_detach(&text);
}

static struct ifr_alias_name name_site(struct files *files, const struct ifr_alias_site *site) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	ifr_trace_blocks(files->trace, &blocks);
	ifr_trace_accesses(files->trace, &accesses);
	const uint64_t block = blocks[site->block].normalised;
	const uint16_t end = accesses[site->access].end;
	return (struct ifr_alias_name){.data = name_data(files, site, block, end),
	                               .code = name_code(files, block + end - 1),
	                               .address = site->address};
}

/* --- interventions --------------------------------------------------------------------------------------------- */

/* Adds the program's static variable that an access lies in, unless it is there. */
static void add_trial(struct files *files, uint64_t data, struct ifr_named_aliases *named) {
	const struct ifr_mapping *mapping = mapping_of(files, data);
	struct ifr_global global;
	struct ifr_source *source = mapping && mapping->kind == IFR_MAPPING_PROGRAM ? source_of(files, data) : NULL;
	if (!source || named->trial_count == IFR_ALIAS_TRIALS ||
	    !ifr_source_find_global(source, data & IFR_OFFSET_MASK, &global))
		return;
	for (size_t i = 0; i < named->trial_count; i++)
		if (named->trials[i].from == global.start)
			return;
	named->trials[named->trial_count++] =
		(struct ifr_alias_trial){.variable = ifr_strdup(global.name), .from = global.start, .bytes = global.bytes};
}

/* The first page behind the program: what moves there moves nothing else but by whole pages. */
static uint64_t find_end(const struct ifr_trace *trace) {
	const struct ifr_mapping *mappings;
	const size_t count = ifr_trace_mappings(trace, &mappings);
	uint64_t end = 0;
	for (size_t i = IFR_MAPPING_FIRST; i < count; i++)
		if (mappings[i].kind == IFR_MAPPING_PROGRAM && mappings[i].start + mappings[i].bytes > end)
			end = mappings[i].start + mappings[i].bytes;
	return (end / IFR_PAGE + 1) * IFR_PAGE;
}

static int try_move(struct ifr_trace *trace, const struct ifr_context *context, unsigned stores,
                    struct ifr_alias_trial *trial, struct ifr_error *err) {
	const struct ifr_move move = {.from = trial->from,
	                              .bytes = trial->bytes,
	                              .to = find_end(trace) + (trial->from + IFR_ALIAS_TRIAL_SHIFT) % IFR_PAGE};
	const struct ifr_layout_request request = {.moves = &move,
	                                           .count = 1,
	                                           .end_bytes = (trial->bytes / IFR_PAGE + 3) * IFR_PAGE,
	                                           .stack_bytes = context->stack_bytes,
	                                           .load_pages = context->load_pages};
	struct ifr_address_map *map = ifr_address_map_new(trace, &request);
	struct ifr_alias_pair *pairs = NULL;
	size_t count = 0;
	int result = ifr_alias_pairs_find(trace, map, stores, &pairs, &count, err);
	for (size_t i = 0; i < count && !result; i++)
		trial->events += pairs[i].count;
	free(pairs);
	ifr_address_map_free(map);
	return result;
}

static int try_moves(struct ifr_trace *trace, const struct ifr_plan *plan, unsigned stores,
                     struct ifr_named_aliases *named, struct ifr_error *err) {
	struct ifr_context context;
	int result = 0;
	ifr_recording_context(&context, NULL, plan, 0);
	for (size_t i = 0; i < named->trial_count && !result; i++)
		result = try_move(trace, &context, stores, &named->trials[i], err);
	ifr_context_release(&context);
	return result;
}

static void name_pairs(const struct ifr_trace *trace, const struct ifr_alias_pair *pairs, size_t count,
                       size_t most, struct ifr_named_aliases *named) {
	struct files files = {.trace = trace};
	files.count = ifr_trace_mappings(trace, &files.mappings);
	files.sources = ifr_alloc((files.count + 1) * sizeof(struct ifr_source *));
	files.tried = ifr_alloc((files.count + 1) * sizeof *files.tried);
	named->all = count;
	named->count = count < most ? count : most;
	named->items = ifr_alloc((named->count + 1) * sizeof *named->items);
	for (size_t i = 0; i < count; i++)
		named->events += pairs[i].count;
	for (size_t i = 0; i < named->count; i++)
		named->items[i] = (struct ifr_named_alias){.load = name_site(&files, &pairs[i].load),
		                                           .store = name_site(&files, &pairs[i].store),
		                                           .count = pairs[i].count};
	for (size_t i = 0; i < named->count; i++) {
		add_trial(&files, pairs[i].load.data, named);
		add_trial(&files, pairs[i].store.data, named);
	}
	for (size_t i = 0; i < files.count; i++)
		ifr_source_close(files.sources[i]);
	free(files.tried);
	free(files.sources);
}

int ifr_aliases_name(struct ifr_trace *trace, const struct ifr_plan *plan, const struct ifr_machine *machine,
                     size_t most, struct ifr_named_aliases *named, struct ifr_error *err) {
	struct ifr_address_map *map = NULL;
	struct ifr_alias_pair *pairs = NULL;
	size_t count = 0;
	*named = (struct ifr_named_aliases){0};
	if (ifr_layout_needs_kit(plan))
		return ifr_fail(err, IFR_E_USAGE, "pairs of accesses are named in layouts of the process alone");
	int result = ifr_layout_of_plan(trace, NULL, plan, &map, err);
	if (!result)
		result = ifr_alias_pairs_find(trace, map, machine->values[IFR_STORE_BUFFER_ENTRIES], &pairs, &count, err);
	if (!result)
		name_pairs(trace, pairs, count, most, named);
	if (!result && !ifr_plan_places_objects(plan))
		result = try_moves(trace, plan, machine->values[IFR_STORE_BUFFER_ENTRIES], named, err);
	free(pairs);
	ifr_address_map_free(map);
	return result;
}

void ifr_named_aliases_release(struct ifr_named_aliases *named) {
	for (size_t i = 0; i < named->count; i++) {
		free(named->items[i].load.data);
		free(named->items[i].load.code);
		free(named->items[i].store.data);
		free(named->items[i].store.code);
	}
	for (size_t i = 0; i < named->trial_count; i++)
		free(named->trials[i].variable);
	free(named->items);
	*named = (struct ifr_named_aliases){0};
}
