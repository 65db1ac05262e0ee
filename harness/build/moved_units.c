/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/moved_units.h"

#include <stdlib.h>

static int compare(const struct ifr_unit_pair *x, const struct ifr_unit_pair *y, unsigned side) {
	if (!x->in[side] || !y->in[side])
		return !x->in[side] - !y->in[side];
	return (x->unit[side].address > y->unit[side].address) - (x->unit[side].address < y->unit[side].address);
}

static int by_first(const void *a, const void *b) {
	return compare(a, b, 0);
}

static int by_second(const void *a, const void *b) {
	return compare(a, b, 1);
}

/* Tells why a function does not move with the one before it. lone: the first of those between that the other build
 * lacks; NULL: none. */
static void explain(const struct ifr_unit_pair *before, const struct ifr_unit_pair *pair,
                    const struct ifr_unit_pair *lone, size_t lones, unsigned side, struct ifr_moved_units *run) {
	const unsigned other = !side;
	if (before && before->unit[other].bytes > before->unit[side].bytes) {
		run->cause = IFR_MOVE_LONGER;
		run->unit = before->unit[side].name;
		run->more = before->unit[other].bytes - before->unit[side].bytes;
	} else if (lone) {
		run->cause = IFR_MOVE_LONE;
		run->unit = lone->unit[side].name;
		run->more = lones;
	} else if (!before) {
		run->cause = IFR_MOVE_START;
	} else {
		run->cause = before->unit[other].address > pair->unit[other].address ? IFR_MOVE_ORDER : IFR_MOVE_ALIGNMENT;
	}
}

size_t ifr_moved_units_list(struct ifr_unit_pair *pairs, size_t count, unsigned side, const uint64_t *addresses,
                            struct ifr_moved_units *moved) {
	const struct ifr_unit_pair *before = NULL, *lone = NULL;
	size_t runs = 0, lones = 0;
	int64_t last = 0;
	qsort(pairs, count, sizeof *pairs, side ? by_second : by_first);
	for (size_t i = 0; i < count && pairs[i].in[side]; i++) {
		const struct ifr_unit_pair *pair = &pairs[i];
		if (!pair->in[!side]) {
			lone = lone ? lone : pair;
			lones++;
			continue;
		}
		const int64_t bytes = (int64_t)(addresses[pair->index[side]] - pair->unit[side].address);
		if (bytes && runs && bytes == last) {
			moved[runs - 1].count++;
		} else if (bytes) {
			moved[runs] = (struct ifr_moved_units){.first = i, .count = 1, .bytes = bytes};
			explain(before, pair, lone, lones, side, &moved[runs++]);
		}
		last = bytes;
		before = pair;
		lone = NULL;
		lones = 0;
	}
	return runs;
}
