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
	const char *pending; /* an input section's name that filled its line: its numbers are on the next one */
	bool output_pending; /* the output section's name filled its line */
	unsigned statement;
};

static void add_item(struct reader *reader, const struct map_item *section) {
	struct link_map *map = reader->map;
	if (map->count == reader->capacity) {
		reader->capacity = reader->capacity ? 2 * reader->capacity : 1024;
		map->items = ifr_realloc(map->items, reader->capacity, sizeof *map->items);
	}
	map->items[map->count++] = *section;
}

/* Reads "0xADDRESS 0xSIZE"; rest receives the text behind. False for other lines: a symbol's has one number. */
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

/* Clears the size of an item that the next one, or the end of the output section, overlaps. Constants that were all
 * merged into earlier ones take no room, but the map gives them another size: that of another section (binutils 2.40)
 * or their own from before the merging (2.44). */
static void clip_last_item(struct reader *reader, uint64_t address) {
	struct map_item *last = &reader->map->items[reader->map->count - 1];
	if (last->output == reader->output && last->address <= address && last->bytes > address - last->address)
		last->bytes = 0;
}

/* Adds an item for "0xADDRESS 0xSIZE FILE" under the pending name; ignores other lines. */
static void read_section(struct reader *reader, char *text) {
	struct map_item section = {.output = reader->output, .name = reader->pending, .statement = reader->statement};
	char *rest;
	reader->pending = NULL;
	if (!read_numbers(text, &section.address, &section.bytes, &rest) || *rest != ' ' || !rest[1])
		return;
	section.file = rest + 1;
	if (reader->map->count)
		clip_last_item(reader, section.address);
	add_item(reader, &section);
}

static void read_output(struct reader *reader, char *text) {
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

/* Ends the first word with a NUL and returns the text behind it. */
static char *cut_word(char *text) {
	char *end = text + strcspn(text, " ");
	char *rest = end + strspn(end, " ");
	*end = '\0';
	return rest;
}

/* Clips the last item of an output section at its end. */
static void end_output(struct reader *reader) {
	const struct link_map *map = reader->map;
	const struct map_output *output = map->output_count ? &map->outputs[map->output_count - 1] : NULL;
	if (map->count && output && output->name == reader->output)
		clip_last_item(reader, output->address + output->bytes);
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
	end_output(reader);
	reader->output = text;
	reader->statement = 0;
	reader->pending = NULL;
	reader->output_pending = !*rest;
	if (*rest)
		read_output(reader, rest);
}

/* "*fill*" is padding; other lines with a star are statements of the script. */
static void read_statement(struct reader *reader, char *text) {
	static const char fill[] = "*fill*";
	uint64_t address, bytes;
	char *rest;
	if (strncmp(text, fill, strlen(fill))) {
		reader->statement++;
		return;
	}
	text += strlen(fill);
	if (read_numbers(text + strspn(text, " "), &address, &bytes, &rest) && reader->map->count)
		clip_last_item(reader, address);
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
			read_statement(reader, text);
		} else if (reader->output) {
			char *rest = cut_word(text);
			reader->pending = text;
			if (*rest)
				read_section(reader, rest);
		}
	} else if (reader->output_pending) {
		read_output(reader, text);
	} else if (reader->pending) {
		read_section(reader, text);
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
	end_output(&reader);
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
