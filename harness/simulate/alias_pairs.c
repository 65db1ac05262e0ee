/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/alias_pairs.h"

#include <stdlib.h>

#include "common/table.h"
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

static int try_move(struct ifr_trace *trace, const struct ifr_context *context,
                    const struct ifr_object_place *objects, unsigned stores, struct ifr_alias_trial *trial,
                    struct ifr_error *err) {
	const struct ifr_move move = {.from = trial->from,
	                              .bytes = trial->bytes,
	                              .to = find_end(trace) + (trial->from + IFR_ALIAS_TRIAL_SHIFT) % IFR_PAGE};
	const struct ifr_layout_request request = {.moves = &move,
	                                           .count = 1,
	                                           .end_bytes = (trial->bytes / IFR_PAGE + 3) * IFR_PAGE,
	                                           .stack_bytes = context->stack_bytes,
	                                           .load_pages = context->load_pages,
	                                           .objects = objects};
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
	struct ifr_object_place *objects = NULL;
	int result = 0;
	ifr_recording_context(&context, NULL, plan, 0);
	if (named->trial_count && ifr_plan_places_objects(plan))
		result = ifr_objects_place(trace, &context, &objects, err);
	for (size_t i = 0; i < named->trial_count && !result; i++)
		result = try_move(trace, &context, objects, stores, &named->trials[i], err);
	free(objects);
	ifr_context_release(&context);
	return result;
}

/* --- pairs of one layout, and of two --------------------------------------------------------------------------- */

/* A pair of the layout, the worst one of two, and how often it aliases in the best. */
struct compared_pair {
	struct ifr_alias_pair pair;
	uint64_t best_count;
};

struct pair_list {
	struct compared_pair *items;
	size_t count;
};

static uint64_t pair_key(const struct ifr_alias_pair *pair) {
	return (uint64_t)pair->load.access << 32 | pair->store.access;
}

static int64_t difference(const struct compared_pair *compared) {
	return (int64_t)(compared->pair.count - compared->best_count);
}

/* The largest difference first; without a best layout that is the most frequent pair. */
static int compare_differences(const void *left, const void *right) {
	const struct compared_pair *a = left, *b = right;
	if (difference(a) != difference(b))
		return difference(a) < difference(b) ? 1 : -1;
	return (pair_key(&a->pair) > pair_key(&b->pair)) - (pair_key(&a->pair) < pair_key(&b->pair));
}

/* Pairs of the best layout alone are in the list with a count of 0. */
static void list_pairs(const struct ifr_alias_pair *pairs, size_t count, const struct ifr_alias_pair *best,
                       size_t best_count, struct pair_list *list) {
	struct ifr_table numbers = {0};
	list->items = ifr_alloc((count + best_count + 1) * sizeof *list->items);
	list->count = count;
	for (size_t i = 0; i < count; i++) {
		list->items[i].pair = pairs[i];
		ifr_table_number(&numbers, pair_key(&pairs[i]));
	}
	for (size_t i = 0; i < best_count; i++) {
		const uint32_t number = ifr_table_number(&numbers, pair_key(&best[i]));
		if (number == list->count) {
			list->items[list->count].pair = best[i];
			list->items[list->count++].pair.count = 0;
		}
		list->items[number].best_count = best[i].count;
	}
	ifr_table_release(&numbers);
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare_differences);
}

/* The number of pairs, at the head of the sorted list, that are worth a name: where layouts are compared, those by which
 * the worst has a hundredth of the first one's excess. */
static size_t count_main(const struct pair_list *list, size_t most, bool compared) {
	enum { PART = 100 };
	size_t worth = 0;
	while (worth < list->count && worth < most && difference(&list->items[worth]) > 0 &&
	       (!compared || difference(&list->items[worth]) * PART >= difference(&list->items[0])))
		worth++;
	return worth;
}

static void add_up(const struct pair_list *list, struct ifr_named_aliases *named) {
	for (size_t i = 0; i < list->count; i++) {
		const struct compared_pair *compared = &list->items[i];
		named->all += compared->pair.count != 0;
		named->events += compared->pair.count;
		named->best_events += compared->best_count;
		named->differing += named->compared && difference(compared);
		named->rest += named->compared && i >= named->count ? difference(compared) : 0;
	}
}

static void name_pairs(const struct ifr_trace *trace, const struct pair_list *list, size_t most,
                       struct ifr_named_aliases *named) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	named->count = count_main(list, most, named->compared);
	named->items = ifr_alloc((named->count + 1) * sizeof *named->items);
	add_up(list, named);
	for (size_t i = 0; i < named->count; i++) {
		const struct ifr_alias_pair *pair = &list->items[i].pair;
		named->items[i] = (struct ifr_named_alias){.load = name_site(trace, names, &pair->load),
		                                           .store = name_site(trace, names, &pair->store),
		                                           .count = pair->count,
		                                           .best_count = list->items[i].best_count};
	}
	for (size_t i = 0; i < named->count; i++) {
		add_trial(names, list->items[i].pair.load.data, named);
		add_trial(names, list->items[i].pair.store.data, named);
	}
	ifr_site_names_free(names);
}

static int find_pairs(struct ifr_trace *trace, const struct ifr_plan *plan, unsigned stores,
                      struct ifr_alias_pair **pairs, size_t *count, struct ifr_error *err) {
	struct ifr_address_map *map = NULL;
	if (ifr_layout_needs_kit(plan))
		return ifr_fail(err, IFR_E_USAGE, "pairs of accesses are named in layouts of the process alone");
	int result = ifr_layout_of_plan(trace, NULL, plan, &map, err);
	if (!result)
		result = ifr_alias_pairs_find(trace, map, stores, pairs, count, err);
	ifr_address_map_free(map);
	return result;
}

/* best: NULL, or the plan of the layout to compare with. */
static int name_layout(struct ifr_trace *trace, const struct ifr_plan *plan, const struct ifr_plan *best,
                       unsigned stores, size_t most, struct ifr_named_aliases *named, struct ifr_error *err) {
	struct ifr_alias_pair *pairs = NULL, *best_pairs = NULL;
	struct pair_list list = {0};
	size_t count = 0, best_count = 0;
	*named = (struct ifr_named_aliases){.compared = best};
	int result = find_pairs(trace, plan, stores, &pairs, &count, err);
	if (!result && best)
		result = find_pairs(trace, best, stores, &best_pairs, &best_count, err);
	if (!result) {
		list_pairs(pairs, count, best_pairs, best_count, &list);
		name_pairs(trace, &list, most, named);
		result = try_moves(trace, plan, stores, named, err);
	}
	free(list.items);
	free(pairs);
	free(best_pairs);
	if (result)
		ifr_named_aliases_release(named);
	return result;
}

int ifr_aliases_name(struct ifr_trace *trace, const struct ifr_plan *plan, const struct ifr_machine *machine,
                     size_t most, struct ifr_named_aliases *named, struct ifr_error *err) {
	return name_layout(trace, plan, NULL, machine->values[IFR_STORE_BUFFER_ENTRIES], most, named, err);
}

int ifr_aliases_compare(struct ifr_trace *trace, const struct ifr_plan *const plans[2],
                        const struct ifr_machine *machine, size_t most, struct ifr_named_aliases *named,
                        struct ifr_error *err) {
	return name_layout(trace, plans[1], plans[0], machine->values[IFR_STORE_BUFFER_ENTRIES], most, named, err);
}

uint64_t ifr_named_alias_excess(const struct ifr_named_alias *pair) {
	return pair->count - pair->best_count;
}

static void release_pair(struct ifr_named_alias *pair) {
	free(pair->load.data);
	free(pair->load.code);
	free(pair->store.data);
	free(pair->store.code);
}

void ifr_named_aliases_release(struct ifr_named_aliases *named) {
	for (size_t i = 0; i < named->count; i++)
		release_pair(&named->items[i]);
	for (size_t i = 0; i < named->trial_count; i++)
		free(named->trials[i].variable);
	free(named->items);
	*named = (struct ifr_named_aliases){0};
}
