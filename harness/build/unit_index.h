/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of a program by the addresses at which they ship. */
#ifndef IFR_HARNESS_UNIT_INDEX_H
#define IFR_HARNESS_UNIT_INDEX_H

#include "relinker/relinker.h"

struct ifr_unit_index {
	struct ifr_unit_index_entry {
		uint64_t address, bytes;
		size_t unit; /* of the relinker */
	} * extents;     /* by address */
	size_t count;
	size_t none; /* the number of the relinker's units */
};

/* Lists the units that have bytes. The caller releases the index. */
void ifr_unit_index_make(const struct ifr_relinker *relinker, struct ifr_unit_index *index);
void ifr_unit_index_release(struct ifr_unit_index *index);
/* The relinker's unit at an address of the shipped program, or index->none. */
size_t ifr_unit_index_find(const struct ifr_unit_index *index, uint64_t address);

#endif
