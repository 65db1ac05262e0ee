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

/* The output sections whose insides can be laid out anew, in the order of the linker's script. */
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
	uint64_t span_bytes; /* from its aligned start to its end; more than bytes where two sections are joined */
	uint32_t align;      /* a power of two; 0 where unknown */
	unsigned bucket;     /* number of the script's statement that placed it: .text.unlikely, .text.startup, … */
	enum output_section output;
	bool movable;  /* by axes */
	bool nameable; /* a linker script can name it */
	bool thin; /* its file is not on the command line: a member of a thin archive, or from the plugin of -flto */
	const char *pin; /* why it is not movable, else NULL */
};

/* An output section in the base layout, and its units among all. */
struct output_units {
	size_t first, count, movable;
	uint64_t address, bytes;
};

struct units {
	struct unit *items; /* by output section, then by address */
	size_t count;
	struct output_units outputs[OUTPUTS];
};

/* The input sections of a map's items; see objects_read. */
struct unit_sections {
	const struct objects *objects;
	const uint32_t *item_sections, *item_objects;
	bool packed; /* the program's relative relocations are packed (RELR) */
};

/* Reads the units from a map of ld.bfd. Empty input sections are left out. Sections of one name in one object are
 * one unit, because no script can tell them apart. Relative files lie in folder (which tells "a(b).o" from a
 * member). Without sections (NULL) alignments are unknown, and data have no units. */
int units_read(struct units *units, const struct link_map *map, const struct unit_sections *sections,
               const char *folder, struct ifr_error *err);
void units_release(struct units *units);

/* Reads the units of a linked program whose objects lie below folder. If the objects are unreadable, only .text
 * has units, their alignments are unknown, and unread has the reason. */
int units_of_link(struct units *units, const struct link_map *map, const struct ifr_buffer *program,
                  const char *folder, struct ifr_error *unread, struct ifr_error *err);

#endif
