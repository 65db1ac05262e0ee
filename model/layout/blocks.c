/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses and geometry of the trace's blocks in a layout.
 *
 * A layout without instruction map moves blocks as wholes. With one (nops between instructions, aligned labels), a
 * block's instructions are looked up one by one, and its address, size, number of instructions and access ends are
 * computed from them. Such a block has two geometries (enum ifr_entry): a jump arrives at the label, execution
 * that falls through executes the nops in front of it, too. */
#include <string.h>

#include "model/layout/address_map.h"

/* The instructions of a block in the map, first … last; last < first if there are none. */
struct instruction_range {
	const struct ifr_instruction_move *first, *last;
};

/* First instruction in the map at or behind an offset in the program. */
static const struct ifr_instruction_move *find_instruction(const struct ifr_address_map *map, uint64_t offset) {
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

static bool find_range(const struct ifr_address_map *map, const struct ifr_trace_block *block,
                       struct instruction_range *range) {
	uint64_t offset = block->normalised & IFR_OFFSET_MASK;
	if (!map->instruction_count || block->normalised >> IFR_MAPPING_SHIFT != map->program)
		return false;
	range->first = find_instruction(map, offset);
	range->last = find_instruction(map, offset + (block->bytes ? block->bytes : 1)) - 1;
	return range->last >= range->first;
}

static uint64_t start_of_range(const struct instruction_range *range, enum ifr_entry entry) {
	return entry == IFR_ENTRY_FALL ? range->first->fall_through : range->first->jump_target;
}

/* Address in this layout of an offset in the program. */
static uint64_t address_of(const struct ifr_address_map *map, uint64_t offset) {
	return ((uint64_t)map->program << IFR_MAPPING_SHIFT | offset) + map->deltas[map->program];
}

/* Address at which a jump arrives. */
static uint64_t target_of(const struct ifr_address_map *map, uint64_t normalised) {
	struct instruction_range range;
	const struct ifr_trace_block one = {.normalised = normalised, .bytes = 1};
	if (!find_range(map, &one, &range))
		return ifr_address_of(map, normalised);
	return address_of(map, range.first->jump_target);
}

static int too_long(const struct ifr_trace_block *block, struct ifr_error *err) {
	return ifr_fail(
		err, IFR_E_ENVIRONMENT,
		"a straight run of %u instructions becomes longer than 64 KiB with these nops: take a smaller rate",
		block->instructions);
}

static int place_range(const struct ifr_address_map *map, const struct ifr_trace_block *block,
                       const struct instruction_range *range, enum ifr_entry entry, struct ifr_geometry *geometry,
                       struct ifr_error *err) {
	uint64_t start = start_of_range(range, entry), bytes = range->last->to + range->last->bytes - start;
	uint64_t instructions = (uint64_t)(range->last - range->first) + 1;
	instructions += entry == IFR_ENTRY_FALL ? range->first->fall_through_nops : range->first->jump_nops;
	for (const struct ifr_instruction_move *instruction = range->first + 1; instruction <= range->last;
	     instruction++)
		instructions += instruction->fall_through_nops;
	if (bytes > UINT16_MAX || instructions > UINT16_MAX)
		return too_long(block, err);
	/* A further iteration of a repeated string instruction fetches nothing. */
	*geometry = (struct ifr_geometry){.address = address_of(map, start),
	                                  .bytes = block->bytes ? (uint16_t)bytes : 0,
	                                  .instructions = block->bytes ? (uint16_t)instructions : 0,
	                                  .branch_bytes = block->bytes ? range->last->bytes : 0};
	return 0;
}

/* Recomputes the ends of accesses: the instruction that ends at an offset is the last that begins before it. */
static void place_accesses(const struct ifr_address_map *map, const struct ifr_trace_block *block,
                           const struct ifr_trace_access *accesses, const struct instruction_range *range,
                           enum ifr_entry entry, uint16_t *ends) {
	for (unsigned i = 0; i < block->accesses && block->bytes; i++) {
		const struct ifr_instruction_move *instruction =
			find_instruction(map, (block->normalised & IFR_OFFSET_MASK) + accesses[i].end) - 1;
		if (instruction >= range->first && instruction <= range->last)
			ends[i] = (uint16_t)(instruction->to + instruction->bytes - start_of_range(range, entry));
	}
}

static int place_block(const struct ifr_address_map *map, const struct ifr_trace_block *block,
                       const struct ifr_trace_access *accesses, enum ifr_entry entry,
                       struct ifr_geometry *geometry, uint16_t *ends, struct ifr_error *err) {
	struct instruction_range range;
	const bool own = find_range(map, block, &range);
	const int result = own ? place_range(map, block, &range, entry, geometry, err) : 0;
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
		place_accesses(map, block, accesses, &range, entry, ends);
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
