/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pokes: structured mutations of a file, each of one field of one table. The input of such a target is a list of
 * pokes of 8 bytes each; any bytes are a valid poke. */
#ifndef IFR_TESTS_FUZZ_POKES_H
#define IFR_TESTS_FUZZ_POKES_H

#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"

struct poke {
	uint8_t file;      /* index of the file, for the target */
	uint8_t table;     /* index of the table; each index counts modulo the number there is */
	uint16_t entry;    /* index of the table's entry, little-endian */
	uint8_t field;     /* index of the entry's field */
	uint8_t operation; /* how the field changes */
	uint16_t value;    /* operand of the operation, little-endian */
};

enum { POKE_BYTES = 8 };

/* A table in a file. */
struct poke_table {
	size_t at;          /* offset in bytes */
	size_t count;       /* entries */
	size_t stride;      /* bytes of an entry */
	const char *widths; /* bytes of each field, one digit each: "448"; their sum is at most the stride */
};

/* Reads poke number index of a list of pokes; missing bytes are 0. */
struct poke poke_of(const unsigned char *pokes, size_t length, size_t index);
size_t poke_count(size_t length);

/* Pokes a table of a file; a table that exceeds the file stays unchanged. */
void poke_table(struct ifr_buffer *file, const struct poke_table *table, const struct poke *poke);
/* Pokes an ELF file, or the first one in an archive: headers, symbols, relocations, dynamic tags, section contents,
 * any byte, or the file's length. */
void poke_elf(struct ifr_buffer *file, const struct poke *poke);
/* Pokes a text: a number, a byte or a line. */
void poke_text(struct ifr_buffer *file, const struct poke *poke);

/* Replaces an input by `head` uniform bytes and one or more pokes, mostly one. For ifr_fuzz_mutate. */
void poke_draw(uint64_t bits, size_t head, struct ifr_buffer *input);

#endif
