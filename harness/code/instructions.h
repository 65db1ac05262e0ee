/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoded object files: functions as lists of instructions without nops, to compare or pair the functions of two
 * object files. */
#ifndef IFR_HARNESS_CODE_INSTRUCTIONS_H
#define IFR_HARNESS_CODE_INSTRUCTIONS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

struct ifr_instruction {
	uint64_t at; /* offset in its section */
	uint8_t length;
	uint8_t field, field_bytes; /* displacement relative to the next instruction: offset and size; 0: none */
	bool jump;                  /* a jump with a displacement, whose length may depend on the distance */
	uint32_t mnemonic;          /* ZydisMnemonic */
};

struct ifr_function {
	const char *name;
	size_t section;
	uint64_t start, end; /* offsets in the section */
	struct ifr_instruction *items;
	size_t count;
};

struct ifr_section {
	const char *name;
	const uint8_t *bytes;
	uint64_t length, flags;
	GElf_Rela *relocations; /* by offset */
	size_t relocation_count;
};

struct ifr_object_file {
	const char *path;
	Elf *elf;
	struct ifr_section *sections;
	size_t section_count;
	GElf_Sym *symbols;
	const char **symbol_names;
	size_t symbol_count;
	struct ifr_function *functions; /* by section and start */
	size_t function_count;
};

/* Reads a relocatable x86-64 object file from bytes and decodes its functions; bytes and path must outlive it. The
 * caller closes it, after an error too. Errors: IFR_E_USAGE for other files; IFR_E_ENVIRONMENT if a function
 * contains anything but instructions. */
int ifr_object_file_open(struct ifr_object_file *object, const struct ifr_buffer *bytes, const char *path,
                         struct ifr_error *err);
void ifr_object_file_close(struct ifr_object_file *object);

/* Finds the function that contains an offset of a section, the function's end included, or returns NULL. */
const struct ifr_function *ifr_object_file_function_at(const struct ifr_object_file *object, size_t section,
                                                       uint64_t at);

/* Counts the instructions of a function that begin before an offset of its section: the index of the instruction
 * at that offset. */
size_t ifr_function_index(const struct ifr_function *function, uint64_t at);

/* Finds the next function of a name from index *from on, cyclically, and sets *from behind it; returns NULL if
 * there is none. Calls with one *from, first 0, find functions of the same name in turn. */
const struct ifr_function *ifr_object_file_next_function(const struct ifr_object_file *object, const char *name,
                                                         size_t *from);

/* Counts the nops that fill the bytes between two offsets of a section; -1 if the bytes are not all nops. */
int ifr_section_count_nops(const struct ifr_section *section, uint64_t from, uint64_t to);

/* Finds the first relocation inside length bytes at an offset of a section, or returns NULL. */
const GElf_Rela *ifr_section_find_relocation(const struct ifr_section *section, uint64_t at, uint64_t length);

#endif
