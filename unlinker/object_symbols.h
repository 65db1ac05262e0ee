/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of the object file, and its symbols. */
#ifndef IFR_UNLINKER_OBJECT_SYMBOLS_H
#define IFR_UNLINKER_OBJECT_SYMBOLS_H

#include "common/buffer.h"
#include "unlinker/program.h"

struct section_made {
	const struct part *part;
	const char *name;
	uint64_t start, end, align; /* in the program */
	bool rewritten;             /* its contents are copy; moved: the offset of each byte */
	struct ifr_buffer copy;
	uint32_t *moved;
};

/* Section i of the list has the index i + 1 in the file. */
struct sections_made {
	struct section_made *items;
	size_t count;
	size_t *first; /* by part, and the end */
};

/* The section that holds an address of a part; SIZE_MAX if none does. */
size_t sections_made_at(const struct program *program, const struct sections_made *made, const struct part *part,
                        uint64_t address);
void sections_made_release(struct sections_made *made);

struct object_symbols {
	struct ifr_buffer table, names;
	size_t locals;
	uint32_t *map; /* from the program's symbols; 0: left out */
};

/* Makes the symbol table: a symbol for each section, in their order, then local symbols, then the others. Imported
 * symbols are left out unless they are needed; needed is by symbol. */
void object_symbols_make(const struct program *program, const struct sections_made *made, const bool *needed,
                         struct object_symbols *symbols);
void object_symbols_release(struct object_symbols *symbols);

#endif
