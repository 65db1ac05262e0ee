/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool ifr_elf_open(struct ifr_elf_file *file, const char *path) {
	*file = (struct ifr_elf_file){.command = ELF_C_READ, .fd = open(path, O_RDONLY | O_CLOEXEC)};
	if (file->fd < 0)
		return false;
	elf_version(EV_CURRENT);
	/* ELF_C_READ, not ELF_C_READ_MMAP: a file that shrinks meanwhile is an error, not a SIGBUS. */
	file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	return true;
}

void ifr_elf_close(struct ifr_elf_file *file) {
	elf_end(file->member);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct ifr_elf_file){.fd = -1};
}

Elf *ifr_elf_of_bytes(char *bytes, size_t length) {
	elf_version(EV_CURRENT);
	return length ? elf_memory(bytes, length) : NULL;
}

const char *ifr_elf_next_member(struct ifr_elf_file *archive) {
	while (elf_kind(archive->elf) == ELF_K_AR) {
		if (archive->member)
			archive->command = elf_next(archive->member);
		elf_end(archive->member);
		archive->member = elf_begin(archive->fd, archive->command, archive->elf);
		if (!archive->member)
			return NULL;
		const Elf_Arhdr *header = elf_getarhdr(archive->member);
		if (header && header->ar_name)
			return header->ar_name;
	}
	return NULL;
}

/* elf_rawfile would do, but libelf 0.188 never frees what it reads of a member. */
void ifr_elf_read_member(const struct ifr_elf_file *archive, struct ifr_buffer *bytes) {
	char chunk[65536];
	const Elf_Arhdr *header = elf_getarhdr(archive->member);
	off_t at = (off_t)elf_getbase(archive->member), end = header ? at + (off_t)header->ar_size : at;
	for (ssize_t got = 1; got > 0 && at < end; at += got) {
		const size_t rest = (size_t)(end - at);
		got = pread(archive->fd, chunk, rest < sizeof chunk ? rest : sizeof chunk, at);
		if (got > 0)
			ifr_buffer_append(bytes, chunk, (size_t)got);
	}
}

Elf_Scn *ifr_elf_find_section(Elf *elf, const char *name, GElf_Shdr *header) {
	size_t names;
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		const char *own = gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name) : NULL;
		if (own && !strcmp(own, name))
			return section;
	}
	return NULL;
}

Elf_Scn *ifr_elf_find_section_type(Elf *elf, unsigned type, GElf_Shdr *header) {
	if (elf_kind(elf) != ELF_K_ELF)
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}
