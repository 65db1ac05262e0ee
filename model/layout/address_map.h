/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a layout is made of. Only this folder sees it. */
#ifndef IFR_MODEL_ADDRESS_MAP_H
#define IFR_MODEL_ADDRESS_MAP_H

#include "model/layout/layout.h"

struct ifr_address_map {
	struct ifr_move *moves;
	size_t count;
	struct ifr_code_point *points;
	size_t point_count;
	uint64_t *deltas; /* by region */
	struct placed_objects *objects;
	size_t region_count;
	size_t program; /* its region; 0: none was recorded */
	uint64_t program_start;
	uint32_t *first; /* by 64 bytes of the program: the first move that does not end before them */
	size_t grains;
};

#endif
