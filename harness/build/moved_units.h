/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that a common layout of two builds moves, and why. */
#ifndef IFR_HARNESS_MOVED_UNITS_H
#define IFR_HARNESS_MOVED_UNITS_H

#include "harness/build/unit_pairs.h"

enum ifr_move_cause {
	IFR_MOVE_START,    /* the code of the other build begins later */
	IFR_MOVE_LONGER,   /* the function before is longer in the other build */
	IFR_MOVE_LONE,     /* functions before, which the other build lacks, come last */
	IFR_MOVE_ORDER,    /* the function before is another one in the other build */
	IFR_MOVE_ALIGNMENT /* none of these: only alignments remain */
};

/* Functions that follow one another as shipped and move by equally many bytes. */
struct ifr_moved_units {
	size_t first, count; /* of the pairs that both builds have, in the side's order */
	int64_t bytes;       /* to later addresses */
	enum ifr_move_cause cause;
	const char
		*unit;     /* of the cause: the longer one, or the first of those that the other build lacks; else NULL */
	uint64_t more; /* bytes by which it is longer, or the number of those */
};

/* Sorts pairs[count] by their addresses as a side shipped, those that it lacks last, and lists what moves. addresses: of
 * the side's units in the layout. moved: [count]. Returns their number. */
size_t ifr_moved_units_list(struct ifr_unit_pair *pairs, size_t count, unsigned side, const uint64_t *addresses,
                            struct ifr_moved_units *moved);

#endif
