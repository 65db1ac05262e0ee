/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/unit_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

/* The units of one program by name. */
struct side {
	const struct ifr_relinker *relinker;
	size_t count;
	size_t *order; /* indices of units, by name */
};

static int by_name(const void *a, const void *b, void *relinker) {
	struct ifr_relinker_unit x, y;
	ifr_relinker_unit(relinker, *(const size_t *)a, &x);
	ifr_relinker_unit(relinker, *(const size_t *)b, &y);
	return strcmp(x.name, y.name);
}

static void open_side(const struct ifr_relinker *relinker, struct side *side) {
	side->relinker = relinker;
	side->count = ifr_relinker_unit_count(side->relinker);
	side->order = ifr_alloc((side->count + 1) * sizeof *side->order);
	for (size_t i = 0; i < side->count; i++)
		side->order[i] = i;
	qsort_r(side->order, side->count, sizeof *side->order, by_name, (void *)side->relinker);
}

struct ifr_unit_pair *ifr_unit_pairs_make(const struct ifr_relinker *old, const struct ifr_relinker *new,
                                          size_t *count) {
	struct side sides[2];
	size_t next[2] = {0};
	open_side(old, &sides[0]);
	open_side(new, &sides[1]);
	struct ifr_unit_pair *pairs = ifr_alloc((sides[0].count + sides[1].count + 1) * sizeof *pairs);
	for (*count = 0; next[0] < sides[0].count || next[1] < sides[1].count; (*count)++) {
		struct ifr_unit_pair *pair = &pairs[*count];
		for (int s = 0; s < 2; s++)
			if (next[s] < sides[s].count) {
				pair->index[s] = sides[s].order[next[s]];
				ifr_relinker_unit(sides[s].relinker, pair->index[s], &pair->unit[s]);
			}
		const int order = next[0] == sides[0].count   ? 1
		                  : next[1] == sides[1].count ? -1
		                                              : strcmp(pair->unit[0].name, pair->unit[1].name);
		pair->in[0] = order <= 0;
		pair->in[1] = order >= 0;
		next[0] += pair->in[0];
		next[1] += pair->in[1];
	}
	free(sides[0].order);
	free(sides[1].order);
	return pairs;
}
