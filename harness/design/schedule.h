/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of runs: in each round every variant runs once in every pass, in an order of its own drawn by the
 * seed, so that drift of the machine falls on all variants alike. */
#ifndef IFR_HARNESS_SCHEDULE_H
#define IFR_HARNESS_SCHEDULE_H

#include <stdint.h>

struct ifr_slot {
	unsigned variant, pass;
	uint64_t key; /* its rank in the round */
};

/* Fills slots[variants * passes] with the order of one round. Depends on (seed, round) and each slot's own numbers
 * alone, so that a resumed or a larger experiment keeps its order. */
void ifr_schedule_round(uint64_t seed, unsigned round, unsigned variants, unsigned passes, struct ifr_slot *slots);

#endif
