/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/change_names.h"

#include <stdlib.h>

#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/site_names.h"

/* An access or a block with its events in both layouts. */
struct change {
	uint32_t number;
	uint64_t events[2];
};

bool ifr_changes_know(enum ifr_event event) {
	return event >= IFR_EVENT_SPLIT_LOADS && event <= IFR_EVENT_WINDOWS_64;
}

static bool is_of_code(enum ifr_event event) {
	return event >= IFR_EVENT_WINDOWS_16;
}

static unsigned window_bytes(enum ifr_event event) {
	return 16u << (event - IFR_EVENT_WINDOWS_16);
}

static uint64_t distance(const struct change *change) {
	return change->events[0] > change->events[1] ? change->events[0] - change->events[1]
	                                             : change->events[1] - change->events[0];
}

static int compare_changes(const void *left, const void *right) {
	const struct change *a = left, *b = right;
	const uint64_t one = distance(a), other = distance(b);
	if (one != other)
		return one < other ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The events of one access; none of the other kind of access. */
static void count_access(const struct ifr_trace_access *access, const struct ifr_access_change *change,
                         enum ifr_event event, uint64_t events[2]) {
	const bool stores = event == IFR_EVENT_SPLIT_STORES || event == IFR_EVENT_PAGE_SPLIT_STORES;
	const bool pages = event == IFR_EVENT_PAGE_SPLIT_LOADS || event == IFR_EVENT_PAGE_SPLIT_STORES;
	for (unsigned i = 0; i < 2 && (access->kind == IFR_ACCESS_STORE) == stores; i++)
		events[i] = pages ? change->pages[i] : change->lines[i];
}

/* Returns the number of changes in *list, which the caller frees. */
static size_t list_changes(const struct ifr_trace *trace, const struct ifr_layout_changes *changes,
                           enum ifr_event event, struct change **list) {
	const struct ifr_trace_access *accesses;
	ifr_trace_accesses(trace, &accesses);
	const size_t most = is_of_code(event) ? changes->block_count : changes->access_count;
	size_t count = 0;
	*list = ifr_alloc((most + 1) * sizeof **list);
	for (size_t i = 0; i < most; i++) {
		struct change change = {.number = (uint32_t)i};
		for (unsigned j = 0; j < 2 && is_of_code(event); j++)
			change.events[j] =
				changes->blocks[i].executions * ifr_block_windows(&changes->blocks[i], j, window_bytes(event));
		if (!is_of_code(event))
			count_access(&accesses[i], &changes->accesses[i], event, change.events);
		if (change.events[0] != change.events[1])
			(*list)[count++] = change;
	}
	if (count)
		qsort(*list, count, sizeof **list, compare_changes);
	return count;
}

static struct ifr_named_change name_block(const struct ifr_trace *trace, struct ifr_site_names *names,
                                          const struct ifr_layout_changes *changes, const struct change *change,
                                          unsigned bytes) {
	const struct ifr_trace_block *blocks;
	const struct ifr_block_change *block = &changes->blocks[change->number];
	ifr_trace_blocks(trace, &blocks);
	return (struct ifr_named_change){
		.code = ifr_site_code(names, blocks[change->number].normalised),
		.site = ifr_site_of(names, blocks[change->number].normalised),
		.bytes = block->bytes,
		.address = {block->address[0], block->address[1]},
		.each = {ifr_block_windows(block, 0, bytes), ifr_block_windows(block, 1, bytes)},
		.events = {change->events[0], change->events[1]}};
}

static struct ifr_named_change name_access(struct ifr_site_names *names, const struct ifr_layout_changes *changes,
                                           const struct change *change) {
	const struct ifr_access_change *access = &changes->accesses[change->number];
	struct ifr_named_change name = {.address = {access->address[0], access->address[1]},
	                                .site = ifr_site_of(names, access->data),
	                                .events = {change->events[0], change->events[1]}};
	ifr_site_access(names, access->block, change->number, access->data, &name.data, &name.code);
	return name;
}

/* The number of changes, at the head of the sorted list, that are worth a name. */
static size_t count_main(const struct change *list, size_t count, size_t most) {
	enum { PART = 100 };
	size_t worth = 0;
	while (worth < count && worth < most && distance(&list[worth]) >= distance(&list[0]) / PART)
		worth++;
	return worth;
}

static void name_changes(const struct ifr_trace *trace, const struct ifr_layout_changes *changes,
                         enum ifr_event event, size_t most, struct ifr_named_changes *named) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	struct change *list = NULL;
	named->all = list_changes(trace, changes, event, &list);
	named->count = count_main(list, named->all, most);
	named->items = ifr_alloc((named->count + 1) * sizeof *named->items);
	for (size_t i = 0; i < named->count; i++)
		named->items[i] = is_of_code(event) ? name_block(trace, names, changes, &list[i], window_bytes(event))
		                                    : name_access(names, changes, &list[i]);
	for (size_t i = named->count; i < named->all; i++)
		named->rest += (int64_t)(list[i].events[1] - list[i].events[0]);
	ifr_site_names_free(names);
	free(list);
}

int ifr_changes_name(struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *const plans[2],
                     const struct ifr_machine *machine, enum ifr_event event, size_t most,
                     struct ifr_named_changes *named, struct ifr_error *err) {
	struct ifr_address_map *maps[2] = {NULL};
	struct ifr_layout_changes changes = {0};
	int result = 0;
	*named = (struct ifr_named_changes){0};
	for (unsigned i = 0; i < 2 && !result; i++)
		result = ifr_layout_of_plan(trace, builder, plans[i], &maps[i], err);
	if (!result)
		result = ifr_layout_changes_count(trace, (const struct ifr_address_map *const *)maps,
		                                  ifr_machine_line_bytes(machine), machine->values[IFR_CORE_PAGE_BYTES],
		                                  &changes, err);
	if (!result)
		name_changes(trace, &changes, event, most, named);
	ifr_layout_changes_release(&changes);
	for (unsigned i = 0; i < 2; i++)
		if (maps[i])
			ifr_address_map_free(maps[i]);
	return result;
}

void ifr_named_changes_release(struct ifr_named_changes *named) {
	for (size_t i = 0; i < named->count; i++) {
		free(named->items[i].data);
		free(named->items[i].code);
	}
	free(named->items);
	*named = (struct ifr_named_changes){0};
}
