/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of a program, read from the map of its link. */
#ifndef IFR_RELINKER_UNITS_H
#define IFR_RELINKER_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct unit {
	char *name;       /* OBJECT:SECTION, unique; the key of all seeds */
	char *object;     /* the name's first half, unique for each object */
	char *file;       /* the object or archive, as the linker opened it */
	char *member;     /* of the archive, or NULL */
	char *section;    /* the input section's name */
	uint64_t address; /* in the base layout */
	uint64_t bytes;
	unsigned bucket; /* which statement of the linker script placed it: .text.unlikely, .text.startup, … */
	bool movable;
	bool thin; /* file is a member of a thin archive, which the linker did not open by that name */
};

struct units {
	struct unit *items;
	size_t count;
	uint64_t text_bytes; /* size of the output section */
};

/* Reads the units of the output section .text from a map of ld.bfd, in the order of their addresses. Input
 * sections of no bytes are left out. Two of the same file and section are one unit, as no script can tell them
 * apart. folder is where relative files lie (to tell "a(b).o" from a member). */
int units_read(struct units *units, const char *map, const char *folder, struct ifr_error *err);
void units_release(struct units *units);

/* The parsing step alone: files and sections as the map writes them, without names (used by units_read and tests).
 */
int units_parse_map(struct units *units, const char *map, struct ifr_error *err);

#endif
