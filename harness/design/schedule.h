/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of runs. In each repetition every variant runs once in every pass, in a random order that the seed
 * draws anew, so that drift of the machine falls on all variants alike (randomised blocks: Fisher 1935). */
#ifndef IFR_HARNESS_SCHEDULE_H
#define IFR_HARNESS_SCHEDULE_H

#include <stdint.h>

struct ifr_slot {
	unsigned variant, pass;
	uint64_t key; /* its rank in the repetition */
};

/* Fills slots[variants * passes] with the order of one repetition. It depends on (seed, repetition) and each
 * slot's own numbers alone, so that a resumed or a larger experiment keeps its order. */
void ifr_schedule_repetition(uint64_t seed, unsigned repetition, unsigned variants, unsigned passes,
                             struct ifr_slot *slots);

#endif
