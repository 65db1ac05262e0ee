/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/load_positions.h"

#include <stdlib.h>

#include "harness/simulate/site_names.h"

/* Contexts that are looked up; the others, with the fewest references, are left out. */
enum { CONTEXTS_MOST = 256 };

/* The loads before an access of its block that have its line and column, and itself. */
static unsigned number_load(struct ifr_source *source, const struct ifr_trace *trace,
                            const struct ifr_load_site *site, const struct ifr_source_position *position) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	unsigned number = 1;
	uint16_t last = 0;
	ifr_trace_blocks(trace, &blocks);
	ifr_trace_accesses(trace, &accesses);
	const struct ifr_trace_block *block = &blocks[site->block];
	for (uint32_t i = block->first_access; i < site->access; i++) {
		unsigned line = 0, column = 0;
		const uint64_t at = (block->normalised & IFR_OFFSET_MASK) + accesses[i].end - 1u;
		if (accesses[i].kind != IFR_ACCESS_LOAD || accesses[i].end == last)
			continue;
		last = accesses[i].end;
		if (accesses[i].end != accesses[site->access].end && ifr_source_line_find(source, at, &line, &column))
			number += line == position->line && column == position->column;
	}
	return number;
}

static void find_position(struct ifr_site_names *names, uint64_t normalised, struct ifr_load_position *position) {
	const struct ifr_mapping *mapping = ifr_site_mapping(names, normalised);
	struct ifr_source *source = ifr_site_source(names, normalised);
	*position = (struct ifr_load_position){.program = mapping && mapping->kind == IFR_MAPPING_PROGRAM};
	position->known = source && ifr_source_position_find(source, normalised & IFR_OFFSET_MASK, &position->source);
}

void ifr_load_positions_find(const struct ifr_trace *trace, const struct ifr_load_sites *sites,
                             const uint32_t *loads, size_t count, struct ifr_load_position **positions) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	*positions = ifr_alloc((count + 1) * sizeof **positions);
	for (size_t i = 0; i < count; i++) {
		const struct ifr_load_site *site = &sites->items[loads[i]];
		struct ifr_load_position *position = &(*positions)[i];
		find_position(names, site->normalised, position);
		if (position->known)
			position->number =
				number_load(ifr_site_source(names, site->normalised), trace, site, &position->source);
	}
	ifr_site_names_free(names);
}

void ifr_prefetch_positions_find(const struct ifr_trace *trace, const struct ifr_load_prefetches *prefetches,
                                 struct ifr_load_position **positions) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	*positions = ifr_alloc((prefetches->count + 1) * sizeof **positions);
	for (size_t i = 0; i < prefetches->count; i++)
		find_position(names, prefetches->items[i].normalised, &(*positions)[i]);
	ifr_site_names_free(names);
}

void ifr_load_positions_release(struct ifr_load_position *positions, size_t count) {
	for (size_t i = 0; i < count; i++)
		ifr_source_position_release(&positions[i].source);
	free(positions);
}

/* --- callers ----------------------------------------------------------------------------------------------------- */

/* The call that entered the function of a path's last block; 0: it is not in the path. */
static uint64_t find_call(const struct ifr_trace_block *blocks, const struct ifr_load_path *path) {
	unsigned depth = 0;
	for (unsigned i = path->count - 1; i-- > 0;) {
		if (path->blocks[i] == IFR_EXECUTION_BREAK)
			return 0;
		const struct ifr_trace_block *block = &blocks[path->blocks[i]];
		const bool calls = block->branch == IFR_BRANCH_CALL || block->branch == IFR_BRANCH_INDIRECT_CALL;
		if (calls && !depth)
			return block->normalised + (block->bytes ? block->bytes - 1u : 0);
		depth += block->branch == IFR_BRANCH_RETURN;
		depth -= calls;
	}
	return 0;
}

static struct ifr_load_caller *find_caller(struct ifr_load_caller *callers, size_t *count, uint64_t call) {
	size_t i = 0;
	while (i < *count && callers[i].call != call)
		i++;
	*count += i == *count;
	callers[i].call = call;
	return &callers[i];
}

static int compare_callers(const void *left, const void *right) {
	const struct ifr_load_caller *a = left, *b = right;
	if (a->references != b->references)
		return a->references < b->references ? 1 : -1;
	return (a->call > b->call) - (a->call < b->call);
}

static void name_callers(const struct ifr_trace *trace, struct ifr_load_caller *callers, size_t count) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	for (size_t i = 0; i < count; i++) {
		struct ifr_source *source = callers[i].call ? ifr_site_source(names, callers[i].call) : NULL;
		if (source)
			ifr_source_position_find(source, callers[i].call & IFR_OFFSET_MASK, &callers[i].source);
	}
	ifr_site_names_free(names);
}

size_t ifr_load_callers_find(struct ifr_trace *trace, const struct ifr_load_sites *sites,
                             const struct ifr_load_context_list *contexts, unsigned length,
                             struct ifr_load_caller **callers) {
	const struct ifr_trace_block *blocks;
	const size_t looked = contexts->count < CONTEXTS_MOST ? contexts->count : CONTEXTS_MOST;
	struct ifr_load_path *paths = ifr_alloc((looked + 1) * sizeof *paths);
	size_t count = 0;
	for (size_t i = 0; i < looked; i++)
		paths[i] = (struct ifr_load_path){.moment = contexts->items[i].first, .length = length};
	ifr_trace_blocks(trace, &blocks);
	ifr_load_paths_find(trace, sites, paths, looked);
	*callers = ifr_alloc((looked + 1) * sizeof **callers);
	for (size_t i = 0; i < looked; i++) {
		struct ifr_load_caller *caller =
			find_caller(*callers, &count, paths[i].count ? find_call(blocks, &paths[i]) : 0);
		caller->references += contexts->items[i].references;
		caller->misses += contexts->items[i].misses;
	}
	free(paths);
	qsort(*callers, count, sizeof **callers, compare_callers);
	name_callers(trace, *callers, count);
	return count;
}

void ifr_load_callers_release(struct ifr_load_caller *callers, size_t count) {
	for (size_t i = 0; i < count; i++)
		ifr_source_position_release(&callers[i].source);
	free(callers);
}
