/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of runs. In each repetition every variant runs once in every pass, in a random order that the seed
 * draws anew, so that drift of the machine falls on all variants alike (randomised blocks: Fisher 1935). Variants with a
 * twin run once more. */
#ifndef IFR_HARNESS_SCHEDULE_H
#define IFR_HARNESS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct ifr_slot {
	unsigned variant, pass;
	bool twin;    /* the later of the variant's two runs in the repetition and pass */
	uint64_t key; /* its rank in the repetition */
};

/* Fills slots with the order of one repetition, and returns their number: variants * passes, and as many again as
 * there are passes for each variant with twinned[variant] (NULL: for none). The order depends on (seed, repetition)
 * and each slot's own numbers alone, so that a resumed or a larger experiment keeps its order. */
unsigned ifr_schedule_repetition(uint64_t seed, unsigned repetition, unsigned variants, unsigned passes,
                                 const bool *twinned, struct ifr_slot *slots);

/* Whether a layout's variants have a twin run: one of layouts 0 and 1, one of 2 and 3, and so on, as the seed draws. */
bool ifr_schedule_has_twin(uint64_t seed, unsigned layout);

#endif
