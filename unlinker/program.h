/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A linked program with the relocations of its object files, as it lies in memory: parts, symbols, relocations. */
#ifndef IFR_UNLINKER_PROGRAM_H
#define IFR_UNLINKER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kit/kit.h"

#ifndef SHT_X86_64_UNWIND
#define SHT_X86_64_UNWIND 0x70000001
#endif

enum part_kind {
	PART_DROPPED, /* made by the linker, or of no use: .plt, .dynamic, .debug_info */
	PART_WHOLE,   /* one section of the object file */
	PART_SPLIT    /* .text: a section for each unit */
};

/* An output section. */
struct part {
	enum part_kind kind;
	const char *name;
	Elf64_Shdr header;
	const uint8_t *bytes;          /* NULL without contents */
	const Elf64_Rela *relocations; /* by --emit-relocs; offsets are addresses */
	size_t relocation_count;
};

struct program {
	const char *path;
	struct ifr_elf_file file;
	Elf64_Ehdr header;
	struct part *parts; /* by section index; [0] is empty */
	size_t part_count;
	const struct part *text;
	const Elf64_Sym *symbols;
	size_t symbol_count, symbol_names; /* the section of their names */
	bool *imported;                    /* by symbol: the new link resolves it by its name */
	const Elf64_Sym *dynamic_symbols;
	size_t dynamic_count, dynamic_names;
	Elf64_Rela *dynamic; /* relocations for the loader, sorted by address */
	size_t dynamic_relocations;
	uint64_t thread_start, thread_bytes; /* of the segment of thread-local data, with its padding at the end */
};

/* Opens and checks a program; the caller closes it, after an error too. Errors: IFR_E_USAGE with the reason. */
int program_open(struct program *program, const char *path, struct ifr_error *err);
void program_close(struct program *program);

const char *program_symbol_name(const struct program *program, size_t symbol);
/* The part that holds an address, its end excluded; NULL if none does. */
const struct part *program_part_at(const struct program *program, uint64_t address);
/* The relocation of the loader at an address, or NULL. */
const Elf64_Rela *program_dynamic_at(const struct program *program, uint64_t address);
bool part_is_plt(const struct part *part);
bool part_is_got(const struct part *part);

static inline bool part_is_code(const struct part *part) {
	return part->kind != PART_DROPPED && (part->header.sh_flags & SHF_EXECINSTR) && part->bytes;
}

#endif
