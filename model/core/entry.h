/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that end a block, and windows that instructions are in. Private to graph_arrival.c and to the graph of lanes
 * (model/replay/vector/graph_entry.c). */
#ifndef IFR_MODEL_CORE_ENTRY_H
#define IFR_MODEL_CORE_ENTRY_H

#include "model/core/parameters.h"
#include "model/core/program.h"

/* Whether a direct jump, conditional or not, ends a block. */
static inline bool is_direct_jump(uint8_t branch) {
	return branch == IFR_BRANCH_CONDITIONAL || branch == IFR_BRANCH_JUMP;
}

/* Whether an unconditional jump, direct or indirect, ends a block. */
static inline bool is_unconditional_jump(uint8_t branch) {
	return branch == IFR_BRANCH_JUMP || branch == IFR_BRANCH_INDIRECT_JUMP;
}

/* The window that an instruction of a block at an address is in. */
static inline uint32_t window_of(const struct ifr_core *core, uint32_t block,
                                 const struct ifr_core_instruction *instruction) {
	const uint32_t last = core->cache_by_last && instruction->bytes ? instruction->bytes - 1u : 0;
	return (block + instruction->offset + last) >> core->cache_window_shift;
}

/* Cycles that fetch loses behind a taken branch because of its kind. */
static inline unsigned kind_bubble(const struct ifr_core *core, uint8_t branch) {
	return branch == IFR_BRANCH_NONE || is_direct_jump(branch) ? 0
	       : branch == IFR_BRANCH_INDIRECT_JUMP                ? core->indirect
	                                                           : core->calls;
}

#endif
