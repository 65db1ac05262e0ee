/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place in the source of an instruction, by which a compiler finds it again after edits elsewhere. */
#ifndef IFR_HARNESS_CODE_POSITIONS_H
#define IFR_HARNESS_CODE_POSITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/code/source_lines.h"

struct ifr_source_position {
	char *function;        /* in the source, also if it was inlined, by its linkage name */
	char *file;            /* without folder */
	char *text;            /* of the line; NULL: the file is not there */
	unsigned declared;     /* the line of the function's declaration */
	unsigned line, column; /* column 0: unknown */
};

/* Finds the position of the instruction at an address; returns false where debug information is missing. The caller
 * releases it. */
bool ifr_source_position_find(struct ifr_source *source, uint64_t address, struct ifr_source_position *position);
void ifr_source_position_release(struct ifr_source_position *position);
/* Finds line and column alone. Returns false if they are unknown. */
bool ifr_source_line_find(struct ifr_source *source, uint64_t address, unsigned *line, unsigned *column);

#endif
