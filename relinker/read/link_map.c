/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/link_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"

struct reader {
	struct link_map *map;
	size_t capacity, output_capacity, loaded_capacity;
	const char *output;
	const char *pending; /* a name that stood alone on its line: its numbers are on the next */
	bool output_pending; /* the same, of an output section */
	unsigned statement;
};

static void add(struct reader *reader, const struct map_item *section) {
	struct link_map *map = reader->map;
	if (map->count == reader->capacity) {
		reader->capacity = reader->capacity ? 2 * reader->capacity : 1024;
		map->items = ifr_realloc(map->items, reader->capacity, sizeof *map->items);
	}
	map->items[map->count++] = *section;
}

/* "0xADDRESS 0xSIZE"; rest receives what stands behind. A symbol's line has one number only. */
static bool read_numbers(char *text, uint64_t *address, uint64_t *bytes, char **rest) {
	char *end;
	if (strncmp(text, "0x", 2))
		return false;
	*address = strtoull(text, &end, 16);
	text = end + strspn(end, " ");
	if (strncmp(text, "0x", 2))
		return false;
	*bytes = strtoull(text, rest, 16);
	return true;
}

/* Constants that were all merged into earlier ones take no room, and the map gives them another section's size:
 * what follows tells. */
static void end_before(struct reader *reader, uint64_t address) {
	struct map_item *last = &reader->map->items[reader->map->count - 1];
	if (last->output == reader->output && last->address <= address && last->bytes > address - last->address)
		last->bytes = 0;
}

/* "0xADDRESS 0xSIZE FILE" becomes a section under the pending name; anything else is not one. */
static void take_section(struct reader *reader, char *text) {
	struct map_item section = {.output = reader->output, .name = reader->pending, .statement = reader->statement};
	char *rest;
	reader->pending = NULL;
	if (!read_numbers(text, &section.address, &section.bytes, &rest) || *rest != ' ' || !rest[1])
		return;
	section.file = rest + 1;
	if (reader->map->count)
		end_before(reader, section.address);
	add(reader, &section);
}

static void take_output(struct reader *reader, char *text) {
	struct map_output output = {.name = reader->output};
	struct link_map *map = reader->map;
	char *rest;
	reader->output_pending = false;
	if (!read_numbers(text, &output.address, &output.bytes, &rest))
		return;
	if (map->output_count == reader->output_capacity) {
		reader->output_capacity = reader->output_capacity ? 2 * reader->output_capacity : 64;
		map->outputs = ifr_realloc(map->outputs, reader->output_capacity, sizeof *map->outputs);
	}
	map->outputs[map->output_count++] = output;
}

/* Cuts the first word off and returns what stands behind it. */
static char *cut_word(char *text) {
	char *end = text + strcspn(text, " ");
	char *rest = end + strspn(end, " ");
	*end = '\0';
	return rest;
}

static void add_loaded(struct reader *reader, const char *file) {
	struct link_map *map = reader->map;
	if (map->loaded_count == reader->loaded_capacity) {
		reader->loaded_capacity = reader->loaded_capacity ? 2 * reader->loaded_capacity : 64;
		map->loaded = ifr_realloc(map->loaded, reader->loaded_capacity, sizeof *map->loaded);
	}
	map->loaded[map->loaded_count++] = file;
}

static void begin_output(struct reader *reader, char *text) {
	static const char load[] = "LOAD ";
	if (!strncmp(text, load, strlen(load))) {
		add_loaded(reader, text + strlen(load));
		return;
	}
	char *rest = cut_word(text);
	reader->output = text;
	reader->statement = 0;
	reader->pending = NULL;
	reader->output_pending = !*rest;
	if (*rest)
		take_output(reader, rest);
}

/* "*fill*" is padding, everything else with a star a statement of the script. */
static void take_statement(struct reader *reader, char *text) {
	static const char fill[] = "*fill*";
	uint64_t address, bytes;
	char *rest;
	if (strncmp(text, fill, strlen(fill))) {
		reader->statement++;
		return;
	}
	text += strlen(fill);
	if (read_numbers(text + strspn(text, " "), &address, &bytes, &rest) && reader->map->count)
		end_before(reader, address);
}

static void read_line(struct reader *reader, char *line) {
	char *text = line + strspn(line, " ");
	size_t indent = (size_t)(text - line);
	if (!*text)
		return;
	if (indent == 0) {
		begin_output(reader, text);
	} else if (indent == 1) {
		reader->pending = NULL;
		reader->output_pending = false;
		if (*text == '*') {
			take_statement(reader, text);
		} else if (reader->output) {
			char *rest = cut_word(text);
			reader->pending = text;
			if (*rest)
				take_section(reader, rest);
		}
	} else if (reader->output_pending) {
		take_output(reader, text);
	} else if (reader->pending) {
		take_section(reader, text);
	}
}

int link_map_parse(struct link_map *map, char *text, struct ifr_error *err) {
	*map = (struct link_map){.text = text};
	char *line = text ? strstr(text, "\nLinker script and memory map") : NULL;
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

int link_map_read(struct link_map *map, const char *path, struct ifr_error *err) {
	struct ifr_buffer contents = {0};
	*map = (struct link_map){0};
	int result = ifr_file_read(path, 0, &contents, err);
	return result ? result : link_map_parse(map, ifr_buffer_detach(&contents), err);
}

void link_map_release(struct link_map *map) {
	free(map->items);
	free(map->outputs);
	free(map->loaded);
	free(map->text);
	*map = (struct link_map){0};
}

const struct map_output *link_map_output(const struct link_map *map, const char *name) {
	for (size_t i = 0; i < map->output_count; i++)
		if (!strcmp(map->outputs[i].name, name))
			return &map->outputs[i];
	return NULL;
}
