/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small numbers for addresses: 0, 1, 2, … in the order in which they come. Equal for equal ones, and for no
 * others, so that 32 bits a lane are enough to compare them. */
#ifndef INTERFERO_MODEL_IDS_H
#define INTERFERO_MODEL_IDS_H

#include <stddef.h>
#include <stdint.h>

struct ifr_ids {
	uint64_t *keys;
	uint32_t *values; /* plus one; 0: free */
	size_t size, count;
};

/* The number of an address, a new one if it has none. All zero is an empty table. */
uint32_t ifr_ids_of(struct ifr_ids *ids, uint64_t key);
void ifr_ids_release(struct ifr_ids *ids);

#endif
