/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/design/schedule.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/random.h"

static int compare_slots(const void *a, const void *b) {
	const struct ifr_slot *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->variant != y->variant)
		return x->variant < y->variant ? -1 : 1;
	if (x->pass != y->pass)
		return x->pass < y->pass ? -1 : 1;
	return x->twin - y->twin;
}

static uint64_t draw_key(uint64_t seed, unsigned repetition, unsigned variant, unsigned pass, const char *twin) {
	char name[64];
	/* The key's wording is part of every seed's order. */
	snprintf(name, sizeof name, "round %u variant %u pass %u%s", repetition, variant, pass, twin);
	return ifr_random_keyed(seed, "schedule", name);
}

unsigned ifr_schedule_repetition(uint64_t seed, unsigned repetition, unsigned variants, unsigned passes,
                                 const bool *twinned, struct ifr_slot *slots) {
	unsigned count = 0;
	for (unsigned variant = 0; variant < variants; variant++)
		for (unsigned pass = 0; pass < passes; pass++) {
			uint64_t key = draw_key(seed, repetition, variant, pass, ""), other;
			if (twinned && twinned[variant]) {
				other = draw_key(seed, repetition, variant, pass, " twin");
				slots[count++] = (struct ifr_slot){variant, pass, true, key > other ? key : other};
				key = key < other ? key : other;
			}
			slots[count++] = (struct ifr_slot){variant, pass, false, key};
		}
	qsort(slots, count, sizeof *slots, compare_slots);
	return count;
}

bool ifr_schedule_has_twin(uint64_t seed, unsigned layout) {
	char name[64];
	snprintf(name, sizeof name, "twin of layouts %u and %u", layout / 2 * 2, layout / 2 * 2 + 1);
	return ifr_random_below(ifr_random_keyed(seed, "schedule", name), 2) == layout % 2;
}
