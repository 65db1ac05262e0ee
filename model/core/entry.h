/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that end a block, groups of them, and windows that instructions are in. Private to graph_arrival.c and to
 * the graph of lanes (model/replay/vector/graph_entry.c). */
#ifndef IFR_MODEL_CORE_ENTRY_H
#define IFR_MODEL_CORE_ENTRY_H

#include "model/core/parameters.h"
#include "model/core/program.h"

/* Whether a direct jump, conditional or not, ends a block. */
static inline bool is_direct_jump(uint8_t branch) {
	return branch == IFR_BRANCH_CONDITIONAL || branch == IFR_BRANCH_JUMP;
}

/* Branches are found in groups of fetch.branches, those that are taken or were before. A group ends behind a call, a
 * return, an indirect or a mispredicted branch, and where fetch goes on into the next window. A window takes the
 * predictor `prediction` cycles, and as long again for each group that begins within it.
 *
 * On a Zen 4 by the clock (2026; tests/bench/groups): loops of windows with a jump each, some of which have a branch
 * before it that is seldom taken, take a cycle more for each window whose two branches belong to two groups of two. */
static inline bool ends_group(uint8_t branch) {
	return !is_direct_jump(branch);
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
