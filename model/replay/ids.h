/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dense ids of addresses: 0, 1, 2, … in the order of first use. Two ids are equal exactly if the addresses are, so
 * that 32 bits a lane suffice to compare. */
#ifndef INTERFERO_MODEL_IDS_H
#define INTERFERO_MODEL_IDS_H

#include <stddef.h>
#include <stdint.h>

struct ifr_ids {
	uint64_t *keys;
	uint32_t *values; /* id plus one; 0: an empty slot */
	size_t size, count;
};

/* Returns the id of an address; a new address gets the next id. A table of zeros is empty. */
uint32_t ifr_ids_assign(struct ifr_ids *ids, uint64_t key);
void ifr_ids_release(struct ifr_ids *ids);

#endif
