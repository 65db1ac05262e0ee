/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a layout puts blocks: whole, or instruction by instruction where nops were put between these. */
#include <string.h>

#include "model/layout/address_map.h"

/* The instructions of a block, instructions first … last of a map; last < first where it has none of its own. */
struct run {
	const struct ifr_instruction_move *first, *last;
};

/* The first point that is not before an offset in the program. */
static const struct ifr_instruction_move *point_at(const struct ifr_address_map *map, uint64_t offset) {
	size_t low = 0, high = map->instruction_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (map->instructions[middle].from < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return &map->instructions[low];
}

static bool find_run(const struct ifr_address_map *map, const struct ifr_trace_block *block, struct run *run) {
	uint64_t offset = block->normalised & IFR_OFFSET_MASK;
	if (!map->instruction_count || block->normalised >> IFR_MAPPING_SHIFT != map->program)
		return false;
	run->first = point_at(map, offset);
	run->last = point_at(map, offset + (block->bytes ? block->bytes : 1)) - 1;
	return run->last >= run->first;
}

static uint64_t start_of(const struct run *run, enum ifr_entry entry) {
	return entry == IFR_ENTRY_FALL ? run->first->fall_through : run->first->jump_target;
}

/* The address of an offset in the program, as it is in this layout. */
static uint64_t address_of(const struct ifr_address_map *map, uint64_t offset) {
	return ((uint64_t)map->program << IFR_MAPPING_SHIFT | offset) + map->deltas[map->program];
}

/* Where a jump to a normalised arrives. */
static uint64_t target_of(const struct ifr_address_map *map, uint64_t normalised) {
	struct run run;
	const struct ifr_trace_block one = {.normalised = normalised, .bytes = 1};
	if (!find_run(map, &one, &run))
		return ifr_address_of(map, normalised);
	return address_of(map, run.first->jump_target);
}

static int too_long(const struct ifr_trace_block *block, struct ifr_error *err) {
	return ifr_fail(
		err, IFR_E_ENVIRONMENT,
		"a straight run of %u instructions becomes longer than 64 KiB with these nops: take a smaller rate",
		block->instructions);
}

static int place_run(const struct ifr_address_map *map, const struct ifr_trace_block *block, const struct run *run,
                     enum ifr_entry entry, struct ifr_geometry *geometry, struct ifr_error *err) {
	uint64_t start = start_of(run, entry), bytes = run->last->to + run->last->bytes - start;
	uint64_t instructions = (uint64_t)(run->last - run->first) + 1;
	instructions += entry == IFR_ENTRY_FALL ? run->first->fall_through_nops : run->first->jump_nops;
	for (const struct ifr_instruction_move *point = run->first + 1; point <= run->last; point++)
		instructions += point->fall_through_nops;
	if (bytes > UINT16_MAX || instructions > UINT16_MAX)
		return too_long(block, err);
	/* A further round of a repeated instruction fetches nothing. */
	*geometry = (struct ifr_geometry){.address = address_of(map, start),
	                                  .bytes = block->bytes ? (uint16_t)bytes : 0,
	                                  .instructions = block->bytes ? (uint16_t)instructions : 0,
	                                  .branch_bytes = block->bytes ? run->last->bytes : 0};
	return 0;
}

/* The instruction that ends so far behind the block's start is the last that begins before. */
static void place_accesses(const struct ifr_address_map *map, const struct ifr_trace_block *block,
                           const struct ifr_trace_access *accesses, const struct run *run, enum ifr_entry entry,
                           uint16_t *ends) {
	for (unsigned i = 0; i < block->accesses && block->bytes; i++) {
		const struct ifr_instruction_move *point =
			point_at(map, (block->normalised & IFR_OFFSET_MASK) + accesses[i].end) - 1;
		if (point >= run->first && point <= run->last)
			ends[i] = (uint16_t)(point->to + point->bytes - start_of(run, entry));
	}
}

static int place_block(const struct ifr_address_map *map, const struct ifr_trace_block *block,
                       const struct ifr_trace_access *accesses, enum ifr_entry entry,
                       struct ifr_geometry *geometry, uint16_t *ends, struct ifr_error *err) {
	struct run run;
	const bool own = find_run(map, block, &run);
	const int result = own ? place_run(map, block, &run, entry, geometry, err) : 0;
	if (result)
		return result;
	if (!own)
		*geometry = (struct ifr_geometry){.address = ifr_address_of(map, block->normalised),
		                                  .bytes = block->bytes,
		                                  .instructions = block->instructions,
		                                  .branch_bytes = block->branch_bytes};
	for (unsigned i = 0; i < block->accesses; i++)
		ends[i] = accesses[i].end;
	if (own)
		place_accesses(map, block, accesses, &run, entry, ends);
	if (block->branch == IFR_BRANCH_CONDITIONAL && block->target)
		geometry->backward =
			target_of(map, block->target) <= geometry->address + geometry->bytes - geometry->branch_bytes;
	return 0;
}

bool ifr_address_map_has_instructions(const struct ifr_address_map *map) {
	return map->instruction_count;
}

int ifr_address_map_blocks(const struct ifr_address_map *map, const struct ifr_trace *trace, enum ifr_entry entry,
                           struct ifr_geometry *geometry, uint16_t *ends, struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	size_t count = ifr_trace_blocks(trace, &blocks);
	int result = 0;
	ifr_trace_accesses(trace, &accesses);
	for (size_t i = 0; i < count && !result; i++)
		result = place_block(map, &blocks[i], accesses + blocks[i].first_access, entry, &geometry[i],
		                     ends + blocks[i].first_access, err);
	return result;
}
