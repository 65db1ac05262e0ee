/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of distances: position-independent jump tables.
 *
 * Problem: an entry holds the distance from the table to its target. Its relocation, against .text, has the place of the
 * entry in the table in its addend, so that symbol and addend alone name another place, perhaps in another function.
 * Idea: code loads the address of the table by a relocation that can be read. The entry's target is that address plus
 * the entry's bytes.
 * Invariant: the target lies in the function that loads the table, in its cold part, or at the start of a function;
 * everything else is refused. */
#ifndef IFR_UNLINKER_TABLES_H
#define IFR_UNLINKER_TABLES_H

#include "unlinker/units.h"

struct table_use {
	uint64_t table, user; /* an address in data, and that of the instruction's field that leads there */
};

struct jump_tables {
	struct table_use *items; /* sorted by table */
	size_t count, capacity;
};

void jump_tables_add(struct jump_tables *tables, uint64_t table, uint64_t user);
void jump_tables_sort(struct jump_tables *tables);
void jump_tables_release(struct jump_tables *tables);
/* Finds the function that the entry of four bytes at an address of data leads to; anchor receives an address in it. False
 * if it cannot be told. Entries that are never used may lead to the end of the function. */
bool jump_tables_target(const struct jump_tables *tables, const struct program *program,
                        const struct split_units *units, const struct part *data, uint64_t entry,
                        uint64_t *anchor);

#endif
