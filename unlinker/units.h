/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of .text: functions, and functions that cannot be parted from their neighbours. */
#ifndef IFR_UNLINKER_UNITS_H
#define IFR_UNLINKER_UNITS_H

#include "unlinker/code.h"
#include "unlinker/unlinker.h"

/* A function of .text by its symbol; functions of one address are one. */
struct function {
	uint64_t start, end; /* end: behind its last byte, and behind what follows up to padding */
	size_t symbol;       /* 0: bytes before the first symbol */
	bool tied;           /* to the next function */
};

struct split_unit {
	uint64_t start, end;
	char *name; /* of its section */
	unsigned align;
	size_t symbol; /* of its first function that has one; 0: of none */
	size_t functions;
};

struct split_units {
	struct function *functions;
	size_t function_count;
	struct split_unit *items; /* by address */
	size_t count;
};

/* Decodes .text and finds its units. Errors: IFR_E_USAGE for bytes of a function that are no instructions. */
struct frames;
int split_units_find(const struct program *program, const struct frames *frames, struct code *code,
                     struct split_units *units, struct ifr_error *err);
void split_units_release(struct split_units *units);
/* The function or unit that holds an address, padding excluded; NULL if none does. */
const struct function *split_function_at(const struct split_units *units, uint64_t address);
const struct split_unit *split_unit_at(const struct split_units *units, uint64_t address);

#endif
