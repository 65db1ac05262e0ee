/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link map of ld.bfd ("-Map"): where every input section went. */
#ifndef IFR_RELINKER_LINK_MAP_H
#define IFR_RELINKER_LINK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct placed_section {
	const char *output; /* the output section's name */
	const char *name;   /* the input section's */
	const char *file;   /* "FILE" or "ARCHIVE(MEMBER)" */
	uint64_t address;   /* 0-based in sections that are not loaded */
	uint64_t bytes;     /* after the linker's merging; may be 0 */
};

struct link_map {
	char *text; /* holds all strings */
	struct placed_section *items;
	size_t count;
};

/* Reads a map file, in the order of the linker script. */
int link_map_read(struct link_map *map, const char *path, struct ifr_error *err);
void link_map_release(struct link_map *map);

#endif
