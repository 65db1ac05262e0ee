/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address map: a layout in the form in which normalised addresses are translated. Private to this folder. */
#ifndef IFR_MODEL_ADDRESS_MAP_H
#define IFR_MODEL_ADDRESS_MAP_H

#include "model/layout/layout.h"

struct ifr_address_map {
	struct ifr_move *moves;
	size_t count;
	struct ifr_instruction_move *instructions;
	size_t instruction_count;
	uint64_t *deltas;      /* by mapping: address less normalised address; NATIVE_PER_OBJECT for objects */
	uint64_t *fast_deltas; /* deltas, with NATIVE_PER_OBJECT for every mapping that needs more than its delta */
	struct placed_objects *objects;
	size_t mapping_count;
	size_t program, heap; /* mappings of program and heap; 0: none was recorded */
	uint64_t program_start;
	/* Moved data of the program: offset of their first page (UINT64_MAX: none moved) and displacement. */
	uint64_t data_from, data_shift;
	bool data_irregular; /* the data there moved by different displacements, or upwards */
	uint32_t *first;     /* by 64 bytes of the program: the first move that ends behind their start */
	size_t grains;
};

#endif
