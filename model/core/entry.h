/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Branches that end a block, and groups of them. Private to graph_arrival.c and to the lanes
 * (model/replay/joint_front.c, model/replay/vector/graph_entry.c). */
#ifndef IFR_MODEL_CORE_ENTRY_H
#define IFR_MODEL_CORE_ENTRY_H

#include "model/core/parameters.h"
#include "model/core/program.h"

/* Whether a direct jump, conditional or not, ends a block. */
static inline bool is_direct_jump(uint8_t branch) {
	return branch == IFR_BRANCH_CONDITIONAL || branch == IFR_BRANCH_JUMP;
}

/* Branches are found in groups of fetch.branches, those that are taken or were before. A group ends behind a call, a
 * return, an indirect or a mispredicted branch, a branch to another page, and where fetch goes on into the next window. A
 * window takes the predictor `prediction` cycles, and as long again for each group that begins within it.
 *
 * On a Zen 4 by the clock (2026; tests/bench/groups): loops of windows with a jump each, some of which have a branch
 * before it that is seldom taken, take a cycle more for each window whose two branches belong to two groups of two. Where
 * every other window is in another page, none does: each jump ends a group. */
static inline bool ends_group(uint8_t branch) {
	return !is_direct_jump(branch);
}

/* Whether a branch at the end of a block leads to another page. */
static inline bool leaves_page(const struct ifr_core *core, uint32_t left_at, uint32_t to) {
	return ((left_at - 1) ^ to) >> core->page_shift;
}

/* Whether a branch leads to an instruction that ends in the next window, to which it belongs with op_cache.byte = last:
 * the predictor finds the one that it begins in, and goes on.
 *
 * On a Zen 4 by the clock (2026; tests/bench/offsets): a round of four jumps takes four cycles, and five wherever the end
 * of a line is within the first instruction that a jump leads to, or between a test and its jump. */
static inline bool begins_before(const struct ifr_core *core, uint32_t at,
                                 const struct ifr_core_instruction *first) {
	return core->cache_by_last && first->bytes && (at ^ (at + first->bytes - 1u)) >> core->cache_window_shift;
}

/* Whether an indirect jump or call leads to another 2^37 bytes, as from a program to a library.
 *
 * On a Zen 4 by the clock (2026; tests/bench/far): a jump or call by memory to a target 2^37 bytes behind it takes three
 * cycles more than one 2^36 bytes behind it or nearer; the return does not, nor does a direct jump, which goes no farther
 * than 2^31 bytes. */
enum { FAR_BITS = 37 };
static inline bool leads_far(uint64_t from, uint64_t to) {
	return (from ^ to) >> FAR_BITS;
}

/* Cycles that fetch loses behind a taken branch because of its kind. */
static inline unsigned kind_bubble(const struct ifr_core *core, uint8_t branch) {
	return branch == IFR_BRANCH_NONE || is_direct_jump(branch) ? 0
	       : branch == IFR_BRANCH_INDIRECT_JUMP                ? core->indirect
	                                                           : core->calls;
}

#endif
