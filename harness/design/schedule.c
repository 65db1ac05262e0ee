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
	return (x->pass > y->pass) - (x->pass < y->pass);
}

void ifr_schedule_repetition(uint64_t seed, unsigned repetition, unsigned variants, unsigned passes,
                             struct ifr_slot *slots) {
	unsigned count = 0;
	for (unsigned variant = 0; variant < variants; variant++)
		for (unsigned pass = 0; pass < passes; pass++) {
			char name[64];
			/* The key's wording is part of every seed's order. */
			snprintf(name, sizeof name, "round %u variant %u pass %u", repetition, variant, pass);
			slots[count++] = (struct ifr_slot){variant, pass, ifr_random_keyed(seed, "schedule", name)};
		}
	qsort(slots, count, sizeof *slots, compare_slots);
}
