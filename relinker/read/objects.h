/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects of a link, and the places of their sections in its output. */
#ifndef IFR_RELINKER_OBJECTS_H
#define IFR_RELINKER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "relinker/read/elf_view.h"
#include "relinker/read/link_map.h"
#include "relinker/read/names.h"

enum place_state {
	PLACE_DROPPED, /* not in the output: a copy of a COMDAT group, unreferenced, or never written */
	PLACE_EXACT,   /* in the output as it is */
	PLACE_EDITED,  /* merged with other sections: no single address */
};

/* An input section's place in the output. */
struct place {
	enum place_state state;
	uint32_t atom;            /* moves with it; 0 if the section never moves */
	uint32_t next_same;       /* the object's next section of the same name, or 0 */
	const Elf64_Shdr *output; /* NULL if the output section is empty and was left out */
	uint64_t address;
};

struct object {
	const char *file; /* as the map writes it */
	uint8_t *bytes;   /* owned */
	struct elf_view view;
	struct place *places; /* for each of its sections */
	const Elf64_Sym *symbols;
	size_t symbol_count;
	size_t local_count;        /* local symbols come first */
	const Elf64_Shdr *strings; /* of the symbols */
};

struct objects {
	struct object *items; /* by their first items in the map */
	size_t count;
	struct names by_file;
};

/* Opens every object that the map names and finds the places of its sections in the output; their atoms stay 0.
 * Relative files lie in folder. For each item of the map, item_sections receives the index of its section (0 if
 * the linker made the item) and item_objects that of its object; both arrays are the caller's. Errors:
 * IFR_E_ENVIRONMENT if a file is not an x86-64 ELF object, or the map leaves open which section is meant. */
int objects_read(struct objects *objects, const struct link_map *map, const struct elf_view *output,
                 const char *folder, uint32_t *item_sections, uint32_t *item_objects, struct ifr_error *err);
void objects_release(struct objects *objects);

const char *object_symbol_name(const struct object *object, const Elf64_Sym *symbol);
const char *object_section_name(const struct object *object, size_t section);

#endif
