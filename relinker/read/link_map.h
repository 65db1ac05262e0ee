/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link map of ld.bfd ("-Map"): where every input section went. */
#ifndef IFR_RELINKER_LINK_MAP_H
#define IFR_RELINKER_LINK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct map_item {
	const char *output; /* the output section's name */
	const char *name;   /* the input section's */
	const char *file;   /* "FILE" or "ARCHIVE(MEMBER)" */
	uint64_t address;   /* 0-based in sections that are not loaded */
	uint64_t bytes;     /* after the linker's merging; may be 0 */
	unsigned
		statement; /* of the script's statements in the output section, counted from 1, the one that placed it */
};

struct map_output {
	const char *name;
	uint64_t address, bytes;
};

struct link_map {
	char *text; /* holds all strings */
	struct map_item *items;
	size_t count;
	struct map_output *outputs; /* those with an address */
	size_t output_count;
	const char **loaded; /* the files that the linker opened by themselves, not as members of a thin archive */
	size_t loaded_count;
};

/* Reads a map, in the order of the linker script; link_map_parse takes the text over. Both may leave a map that
 * wants releasing also where they fail. Errors: IFR_E_ENVIRONMENT if it is none. */
int link_map_read(struct link_map *map, const char *path, struct ifr_error *err);
int link_map_parse(struct link_map *map, char *text, struct ifr_error *err);
void link_map_release(struct link_map *map);

/* The output section of a name, NULL if the map has none. */
const struct map_output *link_map_output(const struct link_map *map, const char *name);

#endif
