/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shipped object files of units, read from a kit's inputs. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/build/rebuilt_units.h"

static int read_member(const char *path, const char *name, struct ifr_buffer *bytes, struct ifr_error *err) {
	struct ifr_elf_file archive;
	const char *member = NULL;
	ifr_elf_open(&archive, path);
	do
		member = ifr_elf_next_member(&archive);
	while (member && strcmp(member, name));
	if (member)
		ifr_elf_read_member(&archive, bytes);
	ifr_elf_close(&archive);
	return member ? 0 : ifr_fail(err, IFR_E_ENVIRONMENT, "%s has no member %s", path, name);
}

int unit_read_shipped(const struct ifr_kit *kit, const struct rebuilt_unit *unit, struct ifr_buffer *bytes,
                      struct ifr_error *err) {
	char *path = ifr_format("%s/root%s", kit->dir, unit->input);
	int result = *unit->member ? read_member(path, unit->member, bytes, err) : ifr_file_read(path, 0, bytes, err);
	free(path);
	return result;
}
