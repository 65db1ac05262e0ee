/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/link_map.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"

struct reader {
	struct link_map *map;
	size_t capacity;
	const char *output;
	const char *pending; /* a name that stood alone on its line: its numbers are on the next */
};

static void add(struct reader *reader, const struct placed_section *section) {
	struct link_map *map = reader->map;
	if (map->count == reader->capacity) {
		reader->capacity = reader->capacity ? 2 * reader->capacity : 1024;
		map->items = ifr_realloc(map->items, reader->capacity, sizeof *map->items);
	}
	map->items[map->count++] = *section;
}

/* "0xADDRESS 0xSIZE FILE" becomes a section under the pending name; anything else is not one. */
static void take_numbers(struct reader *reader, char *text) {
	struct placed_section section = {.output = reader->output, .name = reader->pending};
	reader->pending = NULL;
	char *end;
	if (strncmp(text, "0x", 2))
		return;
	section.address = strtoull(text, &end, 16);
	text = end + strspn(end, " ");
	if (strncmp(text, "0x", 2))
		return;
	section.bytes = strtoull(text, &end, 16);
	if (*end != ' ' || !end[1])
		return;
	section.file = end + 1;
	add(reader, &section);
}

/* Cuts the first word off and returns what stands behind it. */
static char *cut_word(char *text) {
	char *end = text + strcspn(text, " ");
	char *rest = end + strspn(end, " ");
	*end = '\0';
	return rest;
}

static void read_line(struct reader *reader, char *line) {
	char *text = line + strspn(line, " ");
	size_t indent = (size_t)(text - line);
	if (!*text)
		return;
	if (indent == 0) {
		cut_word(text);
		reader->output = text;
		reader->pending = NULL;
	} else if (indent == 1) {
		reader->pending = NULL;
		if (*text == '*' || !reader->output)
			return;
		char *rest = cut_word(text);
		reader->pending = text;
		if (*rest)
			take_numbers(reader, rest);
	} else if (reader->pending) {
		take_numbers(reader, text);
	}
}

int link_map_read(struct link_map *map, const char *path, struct ifr_error *err) {
	*map = (struct link_map){0};
	struct ifr_buffer contents = {0};
	int result = ifr_file_read(path, 0, &contents, err);
	if (result)
		return result;
	map->text = ifr_buffer_detach(&contents);
	char *line = map->text ? strstr(map->text, "\nLinker script and memory map") : NULL;
	if (!line)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the map of the link has no memory map");
	struct reader reader = {.map = map};
	line = strchr(line + 1, '\n');
	while (line && line[1]) {
		char *start = line + 1;
		line = strchr(start, '\n');
		if (line)
			*line = '\0';
		read_line(&reader, start);
	}
	return 0;
}

void link_map_release(struct link_map *map) {
	free(map->items);
	free(map->text);
	*map = (struct link_map){0};
}
