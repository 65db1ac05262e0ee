/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 64-bit little-endian ELF file in memory, with every table's bounds checked once. */
#ifndef IFR_RELINKER_ELF_VIEW_H
#define IFR_RELINKER_ELF_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct elf_view {
	const uint8_t *bytes; /* aligned to 8, borrowed */
	size_t length;
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections;
	size_t section_count;
	const Elf64_Phdr *segments;
	size_t segment_count;
};

/* Opens x86-64 objects, programs and libraries. name is for messages. Errors: IFR_E_ENVIRONMENT for anything else
 * and for tables or sections that do not lie in the file. */
int elf_view_open(struct elf_view *view, const void *bytes, size_t length, const char *name,
                  struct ifr_error *err);

const char *elf_view_name(const struct elf_view *view, const Elf64_Shdr *section);
/* The first section of that name, or NULL. */
const Elf64_Shdr *elf_view_find(const struct elf_view *view, const char *name);
/* A section's contents as entries of a size, aligned to 8; NULL and no entries if it cannot be read so. */
const void *elf_view_table(const struct elf_view *view, const Elf64_Shdr *section, size_t entry_bytes,
                           size_t *count);
/* A string of a string table, "" if it is not one. */
const char *elf_view_string(const struct elf_view *view, const Elf64_Shdr *strings, uint64_t offset);
/* Where bytes at an address of an allocated section with contents lie in the file. */
bool elf_view_offset(const struct elf_view *view, uint64_t address, uint64_t bytes, uint64_t *offset);

#endif
