/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One relocation of the program, while it becomes a reference. */
#ifndef IFR_UNLINKER_RELOCATION_H
#define IFR_UNLINKER_RELOCATION_H

#include "unlinker/references.h"
#include "unlinker/tables.h"

struct relocation {
	const struct program *program;
	const struct split_units *units;
	struct references *references;
	const struct jump_tables *tables;
	const struct part *part;
	const struct code *code; /* NULL for data */
	uint64_t at, value;      /* value: of the symbol */
	int64_t addend;
	uint32_t type, symbol;
	bool imported;
	size_t used; /* the relocations that it stood for: 2 for a call to __tls_get_addr that is gone */
};

/* Why a relocation cannot become a reference; NULL where it became one. */
typedef const char *relocation_problem;

/* Kinds of which the linker makes a load from .got: kept, or relaxed to a direct access. */
relocation_problem relocation_read_got(struct relocation *relocation);
/* Kinds of thread-local variables. */
relocation_problem relocation_read_thread(struct relocation *relocation);
/* Adds a reference of another kind or place to the same target. */
void relocation_add(const struct relocation *relocation, uint64_t at, uint32_t type, int64_t addend);
/* Adds a reference to code or data by the value that it has in the program. */
relocation_problem relocation_add_direct(struct relocation *relocation, uint64_t at, uint32_t type,
                                         int64_t addend);

#endif
