/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of an object as lists of instructions without nops, for comparing the bodies of two objects, or
 * pairing them. */
#ifndef IFR_HARNESS_VERIFY_INSTRUCTIONS_H
#define IFR_HARNESS_VERIFY_INSTRUCTIONS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

struct instruction {
	uint64_t at; /* in its section */
	uint8_t length;
	uint8_t field, field_bytes; /* a displacement or immediate relative to the next instruction; 0 without one */
	bool jump;                  /* its length may depend on how far it goes */
	uint32_t mnemonic;
};

struct function {
	const char *name;
	size_t section;
	uint64_t start, end;
	struct instruction *items;
	size_t count;
};

struct section {
	const char *name;
	const uint8_t *bytes;
	uint64_t length, flags;
	GElf_Rela *relocations; /* by offset */
	size_t relocation_count;
};

struct object {
	const char *path;
	Elf *elf;
	struct section *sections;
	size_t section_count;
	GElf_Sym *symbols;
	const char **symbol_names;
	size_t symbol_count;
	struct function *functions; /* by section and start */
	size_t function_count;
};

/* Reads a relocatable x86-64 object from bytes, which must outlive it, as path must. It is to be closed in either
 * case. Errors: IFR_E_USAGE if it is none; IFR_E_ENVIRONMENT if there is something else than instructions in a
 * function. */
int object_open(struct object *object, const struct ifr_buffer *bytes, const char *path, struct ifr_error *err);
void object_close(struct object *object);

/* The function that holds an address of a section, its end included, or NULL. */
const struct function *object_function_at(const struct object *object, size_t section, uint64_t at);

/* How many of the function's instructions begin before the address. */
size_t function_index(const struct function *function, uint64_t at);

/* The function of that name; names may come twice, and are found in turn, from *from on, which starts at 0. */
const struct function *object_function(const struct object *object, const char *name, size_t *from);

/* How many nops stand between two offsets of a section; -1 if there is anything else. */
int section_nops(const struct section *section, uint64_t from, uint64_t to);

/* The relocation of a field, or NULL. */
const GElf_Rela *section_relocation(const struct section *section, uint64_t at, uint64_t length);

#endif
