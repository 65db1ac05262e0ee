/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/elf_view.h"

#include <string.h>

static bool inside(const struct elf_view *view, uint64_t offset, uint64_t bytes) {
	return offset <= view->length && bytes <= view->length - offset;
}

/* Whether a section lies in the file and, if it is a string table, ends with a NUL. */
static bool check_section(const struct elf_view *view, const Elf64_Shdr *section) {
	if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL)
		return true;
	if (!inside(view, section->sh_offset, section->sh_size))
		return false;
	return section->sh_type != SHT_STRTAB || !section->sh_size ||
	       !view->bytes[section->sh_offset + section->sh_size - 1];
}

static bool check_tables(struct elf_view *view) {
	const Elf64_Ehdr *header = view->header;
	if (!header->e_shoff || header->e_shoff % 8 || header->e_phoff % 8 || header->e_shnum == 0 ||
	    header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shstrndx >= header->e_shnum ||
	    !inside(view, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return false;
	if (header->e_phnum && (header->e_phentsize != sizeof(Elf64_Phdr) ||
	                        !inside(view, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr))))
		return false;
	view->sections = (const void *)(view->bytes + header->e_shoff);
	view->section_count = header->e_shnum;
	view->segments = header->e_phnum ? (const void *)(view->bytes + header->e_phoff) : NULL;
	view->segment_count = header->e_phnum;
	for (size_t i = 0; i < view->section_count; i++)
		if (!check_section(view, &view->sections[i]))
			return false;
	return view->sections[header->e_shstrndx].sh_type == SHT_STRTAB;
}

int elf_view_open(struct elf_view *view, const void *bytes, size_t length, const char *name,
                  struct ifr_error *err) {
	*view = (struct elf_view){.bytes = bytes, .length = length, .header = bytes};
	static const unsigned char expected[] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
	                                         ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
	if (length < sizeof(Elf64_Ehdr) || memcmp(bytes, expected, sizeof expected) ||
	    view->header->e_machine != EM_X86_64)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s is not an x86-64 ELF file", name);
	if (!check_tables(view))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "%s has a damaged or unusual section table", name);
	return 0;
}

const char *elf_view_string(const struct elf_view *view, const Elf64_Shdr *strings, uint64_t offset) {
	if (strings->sh_type != SHT_STRTAB || offset >= strings->sh_size)
		return "";
	return (const char *)view->bytes + strings->sh_offset + offset;
}

const char *elf_view_name(const struct elf_view *view, const Elf64_Shdr *section) {
	return elf_view_string(view, &view->sections[view->header->e_shstrndx], section->sh_name);
}

const Elf64_Shdr *elf_view_find(const struct elf_view *view, const char *name) {
	for (size_t i = 1; i < view->section_count; i++)
		if (!strcmp(elf_view_name(view, &view->sections[i]), name))
			return &view->sections[i];
	return NULL;
}

const void *elf_view_table(const struct elf_view *view, const Elf64_Shdr *section, size_t entry_bytes,
                           size_t *count) {
	*count = 0;
	if (section->sh_type == SHT_NOBITS || section->sh_offset % 8 || section->sh_size % entry_bytes)
		return NULL;
	*count = section->sh_size / entry_bytes;
	return view->bytes + section->sh_offset;
}

bool elf_view_offset(const struct elf_view *view, uint64_t address, uint64_t bytes, uint64_t *offset) {
	for (size_t i = 1; i < view->section_count; i++) {
		const Elf64_Shdr *section = &view->sections[i];
		if (!(section->sh_flags & SHF_ALLOC) || section->sh_type == SHT_NOBITS || address < section->sh_addr ||
		    address - section->sh_addr > section->sh_size ||
		    bytes > section->sh_size - (address - section->sh_addr))
			continue;
		*offset = section->sh_offset + (address - section->sh_addr);
		return true;
	}
	return false;
}
