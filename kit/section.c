/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of ELF files and of the members of archives. */
#include <errno.h>

#include "kit/kit.h"

static int visit_section(Elf *elf, const char *member, const char *name, ifr_section_visit visit, void *data,
                         struct ifr_error *err) {
	GElf_Shdr header;
	Elf_Scn *section = ifr_elf_find_section(elf, name, &header);
	const Elf_Data *bytes = section && header.sh_type != SHT_NOBITS ? elf_rawdata(section, NULL) : NULL;
	return bytes && bytes->d_buf ? visit(member, bytes->d_buf, bytes->d_size, data, err) : 0;
}

static int visit_members(struct ifr_elf_file *archive, const char *name, ifr_section_visit visit, void *data,
                         struct ifr_error *err) {
	int result = 0;
	for (const char *member; !result && (member = ifr_elf_next_member(archive));)
		if (*member != '/')
			result = visit_section(archive->member, member, name, visit, data, err);
	return result;
}

int ifr_sections_visit(const char *path, const char *name, ifr_section_visit visit, void *data,
                       struct ifr_error *err) {
	struct ifr_elf_file file;
	int result = 0;
	if (!ifr_elf_open(&file, path))
		result = ifr_fail_errno(err, errno == ENOENT ? IFR_E_USAGE : IFR_E_ENVIRONMENT, "cannot read %s", path);
	else if (elf_kind(file.elf) == ELF_K_AR)
		result = visit_members(&file, name, visit, data, err);
	else if (elf_kind(file.elf) == ELF_K_ELF)
		result = visit_section(file.elf, "", name, visit, data, err);
	else
		result = ifr_fail(err, IFR_E_USAGE, "%s is neither an ELF file nor an archive", path);
	ifr_elf_close(&file);
	return result;
}
