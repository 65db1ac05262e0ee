/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/conflict_side.h"

#include <stdlib.h>

#include "common/buffer.h"

static const enum ifr_setting btb_settings[CONFLICT_BTB_LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES,
                                                                   IFR_BTB3_ENTRIES};

static struct ifr_cache_shape predictor_shape(const struct ifr_machine *machine) {
	const uint64_t span = ifr_machine_predictor_span(machine);
	const bool fits = span && span <= CONFLICT_PREDICTOR_ENTRIES && !(span & (span - 1));
	return (struct ifr_cache_shape){.sets = fits ? (unsigned)span : 0, .ways = 1, .policy = IFR_POLICY_LRU};
}

struct ifr_cache_shape conflict_shape(const struct ifr_machine *machine, enum ifr_conflict_structure structure) {
	static const enum ifr_setting caches[] = {IFR_L1D_BYTES, IFR_L1I_BYTES, IFR_L2_BYTES};
	unsigned level = CONFLICT_BTB_LEVELS;
	if (structure == IFR_CONFLICT_PREDICTOR)
		return predictor_shape(machine);
	if (structure != IFR_CONFLICT_BTB)
		return ifr_machine_cache_shape(machine, caches[structure]);
	while (level > 1 && !machine->values[btb_settings[level - 1]])
		level--;
	return machine->values[btb_settings[level - 1]] ? ifr_machine_btb_shape(machine, btb_settings[level - 1])
	                                                : (struct ifr_cache_shape){0};
}

int conflict_side_open(struct conflict_side *side, const struct ifr_trace *trace,
                       const struct ifr_address_map *map, const struct ifr_machine *machine,
                       enum ifr_conflict_structure structure, struct ifr_error *err) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	side->map = map;
	side->blocks = ifr_alloc((ifr_trace_blocks(trace, &blocks) + 1) * sizeof *side->blocks);
	side->ends = ifr_alloc((ifr_trace_accesses(trace, &accesses) + 1) * sizeof *side->ends);
	ifr_cache_init(&side->data, ifr_machine_cache_shape(machine, IFR_L1D_BYTES));
	ifr_cache_init(&side->fetch, ifr_machine_cache_shape(machine, IFR_L1I_BYTES));
	ifr_cache_init(&side->outer, ifr_machine_cache_shape(machine, IFR_L2_BYTES));
	if (structure == IFR_CONFLICT_PREDICTOR)
		ifr_cache_init(&side->branches[side->levels++], predictor_shape(machine));
	else
		for (; side->levels < CONFLICT_BTB_LEVELS && machine->values[btb_settings[side->levels]]; side->levels++)
			ifr_cache_init(&side->branches[side->levels],
			               ifr_machine_btb_shape(machine, btb_settings[side->levels]));
	return ifr_address_map_blocks(map, trace, IFR_ENTRY_JUMP, side->blocks, side->ends, err);
}

void conflict_side_close(struct conflict_side *side) {
	ifr_cache_release(&side->data);
	ifr_cache_release(&side->fetch);
	ifr_cache_release(&side->outer);
	for (unsigned i = 0; i < side->levels; i++)
		ifr_cache_release(&side->branches[i]);
	free(side->blocks);
	free(side->ends);
	free(side->addresses);
	conflict_lines_release(&side->lines);
}
