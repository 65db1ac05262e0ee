/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of a program, read from the map of its link. */
#ifndef IFR_RELINKER_UNITS_H
#define IFR_RELINKER_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "relinker/read/link_map.h"
#include "relinker/read/objects.h"

/* The output sections that can be laid out anew, in the order of the linker's script. */
enum output_section { OUTPUT_TEXT, OUTPUT_RODATA, OUTPUT_DATA, OUTPUT_BSS, OUTPUTS };

extern const char *const output_names[OUTPUTS]; /* ".text", … */

struct unit {
	char *name;       /* OBJECT:SECTION, unique; the key of all seeds */
	char *object;     /* the name's first half, unique for each object */
	char *file;       /* the object or archive, as the linker opened it */
	char *member;     /* of the archive, or NULL */
	char *section;    /* the input section's name */
	uint64_t address; /* in the base layout */
	uint64_t bytes;
	uint64_t span_bytes; /* from its aligned start to its end: more than bytes where it is of two sections */
	uint32_t align;      /* a power of two; 0 where it is not known */
	unsigned bucket;     /* which statement of the linker script placed it: .text.unlikely, .text.startup, … */
	enum output_section output;
	bool movable;  /* by axes */
	bool nameable; /* a linker script can say its name */
	bool thin;     /* file is not on the command line: a member of a thin archive, or handed over by the plugin of
	                  -flto */
	const char *pin; /* why it is not movable, else NULL */
};

/* Where a output's units are among all, and the output section in the base layout. */
struct output_units {
	size_t first, count, movable;
	uint64_t address, bytes;
};

struct units {
	struct unit *items; /* by output, and in it by address */
	size_t count;
	struct output_units outputs[OUTPUTS];
};

/* The input sections behind a map's items; see objects_read. */
struct unit_sections {
	const struct objects *objects;
	const uint32_t *item_sections, *item_objects;
	bool packed; /* the program's relative relocations are packed (RELR) */
};

/* Reads the units from a map of ld.bfd. Input sections of no bytes are left out. Two of the same file and section
 * are one unit, as no script can tell them apart. folder is where relative files lie (to tell "a(b).o" from a
 * member). Without sections (NULL) alignments are not known, and data have no units. */
int units_read(struct units *units, const struct link_map *map, const struct unit_sections *sections,
               const char *folder, struct ifr_error *err);
void units_release(struct units *units);

/* The units of a linked program, whose objects lie below folder. Objects that cannot be read leave open what may
 * move among data, and how everything is aligned: unread says why, and text has its units all the same. */
int units_of_link(struct units *units, const struct link_map *map, const struct ifr_buffer *program,
                  const char *folder, struct ifr_error *unread, struct ifr_error *err);

#endif
