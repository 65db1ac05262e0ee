/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where in the sources units come from, by the debugging information of the program that ships. */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "harness/experiment/addresses.h"

/* What is looked for among the functions of a unit of compilation. */
struct search {
	uint64_t address;
	char *found;
};

static int is_there(Dwarf_Die *function, void *context) {
	struct search *search = context;
	Dwarf_Addr from;
	int line;
	const char *file = dwarf_decl_file(function);
	if (dwarf_lowpc(function, &from) || from != search->address || !file || dwarf_decl_line(function, &line))
		return DWARF_CB_OK;
	search->found = ifr_format("%s:%d", ifr_path_base(file), line);
	return DWARF_CB_ABORT;
}

/* "lvm.c:1120", where the function at an address is written; the caller frees, NULL where nothing is known. */
static char *line_of(Dwarf *dwarf, uint64_t address) {
	struct search search = {address, NULL};
	Dwarf_Off next, offset = 0;
	for (size_t header; !search.found && !dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL);
	     offset = next) {
		Dwarf_Die unit;
		if (dwarf_offdie(dwarf, offset + header, &unit) && dwarf_haspc(&unit, address) > 0)
			dwarf_getfuncs(&unit, is_there, &search, 0);
	}
	return search.found;
}

/* The program as it was linked, if it is still that. */
static Dwarf *open_shipped(const struct ifr_kit *kit, int *file) {
	char digest[IFR_SHA256_HEX];
	int64_t bytes;
	*file = -1;
	if (!kit->output || ifr_sha256_file(kit->output, digest, &bytes, NULL) || strcmp(digest, kit->sha256))
		return NULL;
	*file = open(kit->output, O_RDONLY | O_CLOEXEC);
	return *file < 0 ? NULL : dwarf_begin(*file, DWARF_C_READ);
}

void ifr_addresses_find_sources(const struct ifr_kit *kit, const struct ifr_relinker *relinker,
                                struct ifr_addresses *addresses) {
	int file;
	Dwarf *dwarf = open_shipped(kit, &file);
	for (size_t i = 0; dwarf && i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		size_t place = ifr_addresses_place(addresses, unit.name);
		if (place < addresses->unit_count && !addresses->sources[place])
			addresses->sources[place] = line_of(dwarf, unit.address);
	}
	if (dwarf)
		dwarf_end(dwarf);
	if (file >= 0)
		close(file);
}
