/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths through the code that the bits of a signature can have taken. The code and the stack of calls tell what follows
 * a block, up to a branch whose target only a sample tells. A target is judged by the path behind it: where bits cannot
 * be those of the code there, the run did not go there. Private to this folder. */
#ifndef IFR_MODEL_SHOTGUN_PATHS_H
#define IFR_MODEL_SHOTGUN_PATHS_H

#include "model/shotgun/known_code.h"

enum { SHOTGUN_CALLS_MOST = 256 };

/* Where calls return to. Of more than SHOTGUN_CALLS_MOST, the last ones are kept. */
struct call_stack {
	uint64_t returns[SHOTGUN_CALLS_MOST];
	size_t count;
};

/* A place in a signature: the bits of the instructions from there on. */
struct signature_rest {
	const uint8_t *bits;
	size_t count;
};

/* Whether the code does not tell where a block's branch goes. */
bool path_needs_sample(const struct ifr_trace_block *block);
/* Compares bits with the code at an address: up to the next branch whose target code and calls do not tell, or some
 * instructions far. Returns how many instructions were compared; 0: the bits cannot be theirs. */
size_t path_compare(const struct known_code *known, const struct call_stack *calls,
                    const struct signature_rest *rest, uint64_t at);
/* Finds the only block of the code whose path these bits can have taken, for some instructions at least; 0: none, or
 * several. */
uint64_t path_search(const struct known_code *known, const struct call_stack *calls,
                     const struct signature_rest *rest);

#endif
