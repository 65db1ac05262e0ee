/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files and archives, opened for reading by libelf. libelf's functions accept a NULL file and report an error, so
 * a caller checks the kind once and needs no other test. */
#ifndef IFR_KIT_ELF_FILE_H
#define IFR_KIT_ELF_FILE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/buffer.h"

struct ifr_elf_file {
	Elf *elf;        /* NULL if the file cannot be read */
	Elf *member;     /* of an archive: the current member; NULL before the first and after the last */
	Elf_Cmd command; /* for elf_begin of the next member */
	int fd;
};

/* Opens a file; the caller closes it, after an error too. Returns false, with errno, if the file cannot be read. A file
 * that is neither ELF nor an archive opens, too: its elf_kind is neither ELF_K_ELF nor ELF_K_AR. */
bool ifr_elf_open(struct ifr_elf_file *file, const char *path);
void ifr_elf_close(struct ifr_elf_file *file);
/* Opens an ELF file that lies in memory, which must outlive it; returns NULL if libelf refuses it. elf_end closes
 * it. */
Elf *ifr_elf_of_bytes(char *bytes, size_t length);

/* Moves to the next member of an archive and returns its name, which lasts until the next call; NULL after the last
 * one. The archive's own tables are members, too, with names that begin with '/'. */
const char *ifr_elf_next_member(struct ifr_elf_file *archive);
/* Appends the bytes of the current member, as far as the file has them. */
void ifr_elf_read_member(const struct ifr_elf_file *archive, struct ifr_buffer *bytes);

/* Find the first section of a name, or of a type (SHT_*), and fill its header. They return NULL if there is none, and
 * for anything but an ELF file. */
Elf_Scn *ifr_elf_find_section(Elf *elf, const char *name, GElf_Shdr *header);
Elf_Scn *ifr_elf_find_section_type(Elf *elf, unsigned type, GElf_Shdr *header);

#endif
