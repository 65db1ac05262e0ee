/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/shotgun/paths.h"

/* AHEAD: instructions that a target is judged by; SEARCHED_LEAST: if no sample tells it. */
enum { AHEAD = 64, SEARCHED_LEAST = 24, PARITIES = 32 };

/* Calls that are looked ahead to, and how many of the stack's have returned. */
struct calls_ahead {
	uint64_t returns[AHEAD];
	size_t count, returned;
};

bool path_needs_sample(const struct ifr_trace_block *block) {
	return block->branch == IFR_BRANCH_INDIRECT_JUMP || block->branch == IFR_BRANCH_INDIRECT_CALL ||
	       block->branch == IFR_BRANCH_RETURN || !block->target;
}

/* Finds what is executed behind a block's branch that goes; 0: only samples tell. */
static uint64_t look_behind(const struct call_stack *calls, const struct ifr_trace_block *block,
                            struct calls_ahead *ahead) {
	if (block->branch == IFR_BRANCH_RETURN) {
		if (ahead->count)
			return ahead->returns[--ahead->count];
		if (ahead->returned == calls->count)
			return 0;
		return calls->returns[(calls->count - ++ahead->returned) % SHOTGUN_CALLS_MOST];
	}
	if (path_needs_sample(block))
		return 0;
	if (block->branch == IFR_BRANCH_CALL)
		ahead->returns[ahead->count++] = block->normalised + block->bytes;
	return block->target;
}

size_t path_compare(const struct known_code *known, const struct call_stack *calls,
                    const struct signature_rest *rest, uint64_t at) {
	const size_t end = AHEAD < rest->count ? AHEAD : rest->count;
	struct calls_ahead ahead = {.count = 0};
	size_t index = 0;
	while (index < end) {
		struct known_block *found = known_code_find(known, at);
		if (!found)
			return 0;
		const struct ifr_trace_block *block = &known->code->blocks[found->block];
		const struct ifr_placed *placed = known_code_place(known, found);
		size_t accesses = 0;
		for (unsigned i = 0; i < placed->count && index < end; i++, index++) {
			const size_t own = known_code_accesses(known, found, i, accesses);
			if (!known_code_may_have(known, found, i, own, rest->bits[index]))
				return 0;
			accesses += own;
		}
		if (index == end)
			return index;
		const bool taken = index && rest->bits[index - 1] & IFR_SHOTGUN_DOES;
		const bool goes = block->branch != IFR_BRANCH_NONE && (block->branch != IFR_BRANCH_CONDITIONAL || taken);
		if (!goes && (block->end == IFR_END_REPEAT || !block->bytes))
			return index;
		at = goes ? look_behind(calls, block, &ahead) : block->normalised + block->bytes;
		if (!at)
			return index;
	}
	return index;
}

/* Bits 3 of the next instructions. */
struct parities {
	uint32_t bits, there;
};

static struct parities read_parities(const struct signature_rest *rest) {
	struct parities parities = {0, 0};
	for (unsigned i = 0; i < PARITIES && i < rest->count; i++) {
		parities.bits |= (uint32_t) !!(rest->bits[i] & IFR_SHOTGUN_PARITY) << i;
		parities.there |= 1u << i;
	}
	return parities;
}

/* Whether the first instructions of a block have these parities: one comparison leaves few of the blocks. */
static bool has_parities(const struct known_code *known, struct known_block *block,
                         const struct parities *parities) {
	if (block->block == UINT32_MAX)
		return false;
	known_code_place(known, block);
	return !((block->parities ^ parities->bits) & block->parities_known & parities->there);
}

uint64_t path_search(const struct known_code *known, const struct call_stack *calls,
                     const struct signature_rest *rest) {
	const struct parities parities = read_parities(rest);
	uint64_t found = 0;
	for (size_t i = 0; i < known->count; i++) {
		if (!has_parities(known, &known->blocks[i], &parities) ||
		    path_compare(known, calls, rest, known->blocks[i].at) < SEARCHED_LEAST)
			continue;
		if (found)
			return 0;
		found = known->blocks[i].at;
	}
	return found;
}
