/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes to a file that know what it is made of: one field of one table at a time. An input of a target is then a
 * list of pokes of 8 bytes each; any bytes are a poke. */
#ifndef IFR_TESTS_FUZZ_POKES_H
#define IFR_TESTS_FUZZ_POKES_H

#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"

struct poke {
	uint8_t file;      /* for the target: which one */
	uint8_t table;     /* all of these count modulo how many there are */
	uint16_t entry;    /* of the table, little-endian */
	uint8_t field;     /* of the entry */
	uint8_t operation; /* what becomes of it */
	uint16_t value;    /* for the operation */
};

enum { POKE_BYTES = 8 };

/* Where a table lies in a file. */
struct poke_table {
	size_t at, count;   /* entries */
	size_t stride;      /* bytes an entry */
	const char *widths; /* of its fields, as digits in their order: "448"; they fill the entry at most */
};

/* Poke number index of a list of pokes; the bytes that are missing are 0. */
struct poke poke_of(const unsigned char *pokes, size_t length, size_t index);
size_t poke_count(size_t length);

/* Pokes a table of a file; entries that do not lie in the file are left alone. */
void poke_table(struct ifr_buffer *file, const struct poke_table *table, const struct poke *poke);
/* An object, a program or library, or the first of them in an archive: its headers, symbols, relocations, dynamic
 * tags, contents of sections; and any byte, and the file's length. */
void poke_elf(struct ifr_buffer *file, const struct poke *poke);
/* A text of lines: numbers, bytes, lines. */
void poke_text(struct ifr_buffer *file, const struct poke *poke);

/* In place of an input: head bytes that are uniform, then mostly one poke, sometimes a few. For ifr_fuzz_mutate.
 */
void poke_draw(uint64_t bits, size_t head, struct ifr_buffer *input);

#endif
