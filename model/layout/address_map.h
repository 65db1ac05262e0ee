/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a layout is made of. Only this folder sees it. */
#ifndef IFR_MODEL_ADDRESS_MAP_H
#define IFR_MODEL_ADDRESS_MAP_H

#include "model/layout/layout.h"

struct ifr_address_map {
	struct ifr_move *moves;
	size_t count;
	struct ifr_instruction_move *instructions;
	size_t instruction_count;
	uint64_t *deltas; /* by mapping */
	uint64_t *quick;  /* the same where that is all; NATIVE_PER_OBJECT where more is to be asked */
	struct placed_objects *objects;
	size_t mapping_count;
	size_t program, heap; /* their mappings; 0: none was recorded */
	uint64_t program_start;
	/* Of the program's data that moved: the first page, as an offset (UINT64_MAX: nothing did), and how far. */
	uint64_t data_from, data_shift;
	bool data_apart; /* not all of what lies there moved as far, or upwards */
	uint32_t *first; /* by 64 bytes of the program: the first move that does not end before them */
	size_t grains;
};

#endif
