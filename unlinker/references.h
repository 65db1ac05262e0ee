/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relocations of the new object file.
 *
 * Each relocation of the program is computed, and its value compared with the bytes of the program: where they differ,
 * the linker changed the instruction, and the relocation becomes the one of the instruction as it is. */
#ifndef IFR_UNLINKER_REFERENCES_H
#define IFR_UNLINKER_REFERENCES_H

#include "unlinker/units.h"

struct reference {
	uint64_t at; /* the address of the field */
	uint32_t type;
	uint32_t symbol;         /* of the program; 0: a place */
	const struct part *part; /* of the place */
	uint64_t anchor;         /* its address; with it the unit moves */
	int64_t addend;          /* to the symbol, or to the anchor */
};

struct references {
	struct reference *items;
	size_t count, capacity;
	struct code *codes; /* by part; those of code that is no .text may be unreadable */
	size_t resolved, tables;
};

/* Finds the references of all parts that are kept. Errors: IFR_E_USAGE for the first reference that cannot be shown. */
struct frames;
int references_find(const struct program *program, const struct split_units *units, const struct frames *frames,
                    struct references *references, struct ifr_error *err);
void references_release(const struct program *program, struct references *references);

void references_add(struct references *references, const struct reference *reference);

#endif
