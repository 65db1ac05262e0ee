/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The link map of ld.bfd ("-Map"): the address of every input section. */
#ifndef IFR_RELINKER_LINK_MAP_H
#define IFR_RELINKER_LINK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct map_item {
	const char *output; /* the output section's name */
	const char *name;   /* the input section's */
	const char *file;   /* "FILE" or "ARCHIVE(MEMBER)" */
	uint64_t address;   /* from 0 in sections that are not loaded */
	uint64_t bytes;     /* after the linker's merging; may be 0 */
	unsigned statement; /* number, from 1, of the script's statement in the output section that placed it */
};

struct map_output {
	const char *name;
	uint64_t address, bytes;
};

struct link_map {
	char *text; /* holds all strings */
	struct map_item *items;
	size_t count;
	struct map_output *outputs; /* the output sections with an address */
	size_t output_count;
	const char **loaded; /* the files that the linker opened, without members of thin archives */
	size_t loaded_count;
};

/* Reads a map; its items are in the order of the linker script. link_map_parse takes ownership of the text. The
 * caller releases the map also after an error. Errors: IFR_E_ENVIRONMENT if the text is not a map. */
int link_map_read(struct link_map *map, const char *path, struct ifr_error *err);
int link_map_parse(struct link_map *map, char *text, struct ifr_error *err);
void link_map_release(struct link_map *map);

/* Finds the output section of a name, or NULL. */
const struct map_output *link_map_output(const struct link_map *map, const char *name);

#endif
