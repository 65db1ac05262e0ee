/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random orders for permutation tests. Private to this room. */
#ifndef IFR_HARNESS_PERMUTATION_H
#define IFR_HARNESS_PERMUTATION_H

#include <stddef.h>
#include <stdint.h>

#include "common/random.h"

/* Puts values into a random order, of n! equally likely ones, by a key and the number of the draw. Ref: Durstenfeld
 * 1964. */
void values_permute(double *values, size_t count, struct ifr_random_key key, uint64_t draw);

#endif
