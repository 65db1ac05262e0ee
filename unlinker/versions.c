/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of imported symbols. .symtab has them after ld.bfd; after other linkers, only the loader's tables tell them.
 * Ref: Linux Standard Base 5.0, Core, section 10.7 (symbol versioning). */
#include "unlinker/versions.h"

#include <string.h>

#include "common/buffer.h"

static const Elf_Data *find_data(const struct program *program, unsigned type, GElf_Shdr *header) {
	Elf_Scn *section = ifr_elf_find_section_type(program->file.elf, type, header);
	return section ? elf_getdata(section, NULL) : NULL;
}

/* The name of a needed version; NULL if there is none. */
static const char *find_needed(const struct program *program, unsigned index) {
	GElf_Shdr header;
	Elf_Data *data = (Elf_Data *)find_data(program, SHT_GNU_verneed, &header);
	GElf_Verneed need;
	GElf_Vernaux version;
	for (int at = 0; data && gelf_getverneed(data, at, &need); at += (int)need.vn_next) {
		int aux = at + (int)need.vn_aux;
		for (unsigned i = 0; i < need.vn_cnt && gelf_getvernaux(data, aux, &version); i++) {
			if (version.vna_other == index)
				return elf_strptr(program->file.elf, header.sh_link, version.vna_name);
			if (!version.vna_next)
				break;
			aux += (int)version.vna_next;
		}
		if (!need.vn_next || (int)need.vn_next < 0)
			break;
	}
	return NULL;
}

char *versions_name(const struct program *program, size_t symbol) {
	const char *name = program_symbol_name(program, symbol), *version = NULL;
	GElf_Shdr header;
	Elf_Data *indices = (Elf_Data *)find_data(program, SHT_GNU_versym, &header);
	GElf_Versym index;
	for (size_t i = 1; indices && !strchr(name, '@') && i < program->dynamic_count; i++) {
		const char *own =
			elf_strptr(program->file.elf, program->dynamic_names, program->dynamic_symbols[i].st_name);
		if (!own || strcmp(own, name))
			continue;
		if (gelf_getversym(indices, (int)i, &index) && (index & 0x7fff) > 1)
			version = find_needed(program, index & 0x7fff);
		break;
	}
	return version ? ifr_format("%s@%s", name, version) : ifr_strdup(name);
}
