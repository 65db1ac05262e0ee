/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of ELF files and of the members of archives. */
#include "kit/kit.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* Finds the bytes of a section, or NULL. */
static const Elf_Data *find_section(Elf *elf, const char *name) {
	size_t names;
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *own = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (own && !strcmp(own, name) && header.sh_type != SHT_NOBITS)
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

static int visit_section(Elf *elf, const char *member, const char *name, ifr_section_visit visit, void *data,
                         struct ifr_error *err) {
	const Elf_Data *bytes = find_section(elf, name);
	return bytes && bytes->d_buf ? visit(member, bytes->d_buf, bytes->d_size, data, err) : 0;
}

static int visit_members(Elf *archive, int file, const char *name, ifr_section_visit visit, void *data,
                         struct ifr_error *err) {
	int result = 0;
	Elf_Cmd command = ELF_C_READ;
	for (Elf *member; !result && (member = elf_begin(file, command, archive));) {
		const Elf_Arhdr *header = elf_getarhdr(member);
		if (header && header->ar_name && *header->ar_name != '/')
			result = visit_section(member, header->ar_name, name, visit, data, err);
		command = elf_next(member);
		elf_end(member);
	}
	return result;
}

int ifr_sections_visit(const char *path, const char *name, ifr_section_visit visit, void *data,
                       struct ifr_error *err) {
	elf_version(EV_CURRENT);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot read %s", path);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	int result = 0;
	if (elf && elf_kind(elf) == ELF_K_AR)
		result = visit_members(elf, file, name, visit, data, err);
	else if (elf && elf_kind(elf) == ELF_K_ELF)
		result = visit_section(elf, "", name, visit, data, err);
	else
		result = ifr_fail(err, IFR_E_USAGE, "%s is neither an ELF file nor an archive", path);
	elf_end(elf);
	close(file);
	return result;
}
