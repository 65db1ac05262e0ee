/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A 64-bit little-endian ELF file in memory whose tables have been checked to lie in the file. libelf is not used
 * here, because the relinker needs the bytes at their offsets in the file to compare and patch them. */
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

/* Opens an x86-64 object, program or library; name is for messages. Errors: IFR_E_ENVIRONMENT for other files, and
 * for tables or sections that do not lie in the file. */
int elf_view_open(struct elf_view *view, const void *bytes, size_t length, const char *name,
                  struct ifr_error *err);

const char *elf_view_name(const struct elf_view *view, const Elf64_Shdr *section);
/* Finds the first section of a name, or NULL. */
const Elf64_Shdr *elf_view_find(const struct elf_view *view, const char *name);
/* Returns a section's contents as a table of entries, aligned to 8; NULL and a count of 0 if it cannot be one. */
const void *elf_view_table(const struct elf_view *view, const Elf64_Shdr *section, size_t entry_bytes,
                           size_t *count);
/* Returns a string of a string table, "" if the section or the offset is wrong. */
const char *elf_view_string(const struct elf_view *view, const Elf64_Shdr *strings, uint64_t offset);
/* Finds the offset in the file of bytes at an address, which must lie in an allocated section with contents. */
bool elf_view_offset(const struct elf_view *view, uint64_t address, uint64_t bytes, uint64_t *offset);

#endif
