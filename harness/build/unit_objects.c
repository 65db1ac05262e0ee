/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shipped object files of units, read from a kit's inputs. */
#include <fcntl.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/rebuilt_units.h"

static bool append_member(Elf *archive, int file, const char *name, struct ifr_buffer *bytes) {
	bool found = false;
	Elf_Cmd command = ELF_C_READ;
	for (Elf *member; !found && (member = elf_begin(file, command, archive));) {
		Elf_Arhdr *header = elf_getarhdr(member);
		size_t size = 0;
		const char *data =
			header && header->ar_name && !strcmp(header->ar_name, name) ? elf_rawfile(member, &size) : NULL;
		if (data)
			ifr_buffer_append(bytes, data, size);
		found = data;
		command = elf_next(member);
		elf_end(member);
	}
	return found;
}

static int read_member(const char *path, const char *name, struct ifr_buffer *bytes, struct ifr_error *err) {
	int file = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *archive = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
	bool found = archive && append_member(archive, file, name, bytes);
	elf_end(archive);
	if (file >= 0)
		close(file);
	return found ? 0 : ifr_fail(err, IFR_E_ENVIRONMENT, "%s has no member %s", path, name);
}

int unit_read_shipped(const struct ifr_kit *kit, const struct rebuilt_unit *unit, struct ifr_buffer *bytes,
                      struct ifr_error *err) {
	char *path = ifr_format("%s/root%s", kit->dir, unit->input);
	int result = *unit->member ? read_member(path, unit->member, bytes, err) : ifr_file_read(path, 0, bytes, err);
	free(path);
	return result;
}
