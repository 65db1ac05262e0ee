/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/alias_pairs.h"

#include <stdlib.h>

#include "harness/simulate/heap_objects.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/recording_context.h"
#include "harness/simulate/site_names.h"

static struct ifr_alias_name name_site(const struct ifr_trace *trace, struct ifr_site_names *names,
                                       const struct ifr_alias_site *site) {
	const struct ifr_trace_access *accesses;
	const struct ifr_trace_block *blocks;
	ifr_trace_accesses(trace, &accesses);
	ifr_trace_blocks(trace, &blocks);
	struct ifr_alias_name name = {.address = site->address,
	                              .bytes = accesses[site->access].bytes,
	                              .site = ifr_site_of(names, site->data),
	                              .block = ifr_site_of(names, blocks[site->block].normalised)};
	ifr_site_access(names, site->block, site->access, site->data, &name.data, &name.code);
	return name;
}

/* --- interventions --------------------------------------------------------------------------------------------- */

/* Adds the program's static variable that an access lies in, unless it is there. */
static void add_trial(struct ifr_site_names *names, uint64_t data, struct ifr_named_aliases *named) {
	const struct ifr_mapping *mapping = ifr_site_mapping(names, data);
	struct ifr_global global;
	struct ifr_source *source =
		mapping && mapping->kind == IFR_MAPPING_PROGRAM ? ifr_site_source(names, data) : NULL;
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
	struct ifr_site_names *names = ifr_site_names_new(trace);
	named->all = count;
	named->count = count < most ? count : most;
	named->items = ifr_alloc((named->count + 1) * sizeof *named->items);
	for (size_t i = 0; i < count; i++)
		named->events += pairs[i].count;
	for (size_t i = 0; i < named->count; i++)
		named->items[i] = (struct ifr_named_alias){.load = name_site(trace, names, &pairs[i].load),
		                                           .store = name_site(trace, names, &pairs[i].store),
		                                           .count = pairs[i].count};
	for (size_t i = 0; i < named->count; i++) {
		add_trial(names, pairs[i].load.data, named);
		add_trial(names, pairs[i].store.data, named);
	}
	ifr_site_names_free(names);
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

static void release_pair(struct ifr_named_alias *pair) {
	free(pair->load.data);
	free(pair->load.code);
	free(pair->store.data);
	free(pair->store.code);
}

void ifr_named_aliases_keep_main(struct ifr_named_aliases *named) {
	enum { PART = 100 };
	while (named->count > 1 && PART * named->items[named->count - 1].count < named->items[0].count)
		release_pair(&named->items[--named->count]);
}

void ifr_named_aliases_release(struct ifr_named_aliases *named) {
	for (size_t i = 0; i < named->count; i++)
		release_pair(&named->items[i]);
	for (size_t i = 0; i < named->trial_count; i++)
		free(named->trials[i].variable);
	free(named->items);
	*named = (struct ifr_named_aliases){0};
}
