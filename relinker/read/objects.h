/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The objects that went into a link, and where their sections lie in its output. */
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
	PLACE_DROPPED, /* not in the output: a copy of a COMDAT group, unreferenced, or of no interest */
	PLACE_EXACT,   /* there as it is */
	PLACE_EDITED,  /* merged with others: no single address */
};

/* An input section's place in the output. */
struct place {
	enum place_state state;
	uint32_t atom;            /* that carries it, 0 for what never moves */
	uint32_t next_same;       /* the object's next section of that name, or 0 */
	const Elf64_Shdr *output; /* NULL if the output section is not there, being empty */
	uint64_t address;
};

struct object {
	const char *file; /* as the map writes it */
	uint8_t *bytes;   /* owned */
	struct elf_view view;
	struct place *places; /* for each of its sections */
	const Elf64_Sym *symbols;
	size_t symbol_count;
	size_t local_count;        /* of them */
	const Elf64_Shdr *strings; /* of the symbols */
	size_t first_item;         /* of the map, in the script's order */
};

struct objects {
	struct object *items; /* in the order in which the map first names them */
	size_t count;
	struct names by_file;
};

/* Opens every object that the map names and finds its sections' places in the output (without atoms). folder is
 * where relative files lie. item_sections receives for each item of the map its section's index (0: the linker
 * made it), item_objects its object; both arrays are the caller's. Errors: IFR_E_ENVIRONMENT when a file is not an
 * x86-64 ELF object, or the map leaves open which section is meant. */
int objects_read(struct objects *objects, const struct link_map *map, const struct elf_view *output,
                 const char *folder, uint32_t *item_sections, uint32_t *item_objects, struct ifr_error *err);
void objects_release(struct objects *objects);

const char *object_symbol_name(const struct object *object, const Elf64_Sym *symbol);
const char *object_section_name(const struct object *object, size_t section);

#endif
