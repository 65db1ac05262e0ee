/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/kit.h"

#include <string.h>
#include <unistd.h>

static int fail_not_a_program(int fd, const char *path, struct ifr_error *err) {
	char start[2] = "";
	ssize_t got = pread(fd, start, sizeof start, 0);
	if (got == 2 && start[0] == '#' && start[1] == '!')
		return ifr_fail(
			err, IFR_E_USAGE,
			"%s is a script, not an ELF program: name the program that runs it and give the script as its "
			"argument",
			path);
	return ifr_fail(err, IFR_E_USAGE, "%s is not an ELF program", path);
}

/* Looks for the build-id among the notes of one segment. */
static void find_build_id(Elf_Data *data, char *hex) {
	GElf_Nhdr note;
	size_t at = 0, name, description;
	while (data && (at = gelf_getnote(data, at, &note, &name, &description)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
		    memcmp((char *)data->d_buf + name, "GNU", sizeof "GNU"))
			continue;
		if (note.n_descsz > IFR_BUILD_ID_MAX_BYTES)
			continue;
		const unsigned char *bytes = (unsigned char *)data->d_buf + description;
		for (size_t i = 0; i < note.n_descsz; i++) {
			hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
			hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
		}
		hex[2 * note.n_descsz] = '\0';
		return;
	}
}

int ifr_build_id_read(const char *path, char hex[2 * IFR_BUILD_ID_MAX_BYTES + 1], struct ifr_error *err) {
	struct ifr_elf_file file;
	GElf_Ehdr header;
	int result = 0;
	hex[0] = '\0';
	if (!ifr_elf_open(&file, path))
		result = ifr_fail_errno(err, IFR_E_USAGE, "cannot open %s", path);
	else if (elf_kind(file.elf) != ELF_K_ELF || !gelf_getehdr(file.elf, &header))
		result = fail_not_a_program(file.fd, path, err);
	else if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		result = ifr_fail(err, IFR_E_USAGE, "%s is an ELF file but not a linked program or library", path);
	else if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
		result = ifr_fail(err, IFR_E_USAGE, "%s is not for x86-64, the only processor interfero knows", path);
	size_t count = 0;
	if (!result && elf_getphdrnum(file.elf, &count))
		result = ifr_fail(err, IFR_E_USAGE, "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
	else if (!result && !count)
		result = ifr_fail(err, IFR_E_USAGE, "%s is a damaged ELF file: it has no program headers", path);
	for (size_t i = 0; i < count && !result && !*hex; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(file.elf, (int)i, &segment))
			result = ifr_fail(err, IFR_E_USAGE, "%s is a damaged ELF file: %s", path, elf_errmsg(-1));
		else if (segment.p_type == PT_NOTE)
			find_build_id(elf_getdata_rawchunk(file.elf, (int64_t)segment.p_offset, segment.p_filesz,
			                                   segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
			              hex);
	}
	ifr_elf_close(&file);
	return result;
}
