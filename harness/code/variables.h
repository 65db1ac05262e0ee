/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the data that instructions access, from symbols and debug information. */
#ifndef IFR_HARNESS_CODE_VARIABLES_H
#define IFR_HARNESS_CODE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "harness/code/source_lines.h"

/* A variable in static memory; the name is the source's. */
struct ifr_global {
	const char *name;
	uint64_t start, bytes;
};

/* Finds the variable in static memory that contains an address; returns false if there is none. */
bool ifr_source_find_global(struct ifr_source *source, uint64_t address, struct ifr_global *global);
/* Appends its name, and the offset in it: "total+4". */
bool ifr_source_global(struct ifr_source *source, uint64_t address, struct ifr_buffer *text);

/* Appends the name of the local variable or parameter in a stack frame that an instruction accesses; it ends at end,
 * and block is the address of an instruction before it, or its own, with straight code between. Its operand's base
 * register and displacement are compared with the variables' places in the frame, so that no register's value is
 * needed. An array that it indexes is named "price[]". Returns false where debug information, or a fixed place in the
 * frame, is missing. */
bool ifr_source_local(struct ifr_source *source, uint64_t block, uint64_t end, struct ifr_buffer *text);

#endif
