/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading ld.bfd's link map ("-Map"): the part that lists what went into .text. */
#include "relinker/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

struct reader {
	struct units *units;
	char *section;   /* a name that stood alone on its line: its numbers are on the next */
	unsigned bucket; /* statements of the script seen so far */
};

static void add(struct reader *reader, char *section, uint64_t address, uint64_t bytes, const char *file) {
	struct units *units = reader->units;
	if (!bytes || !*file) {
		free(section);
		return;
	}
	units->items = ifr_realloc(units->items, units->count + 1, sizeof *units->items);
	units->items[units->count++] = (struct unit){
		.section = section,
		.file = ifr_strdup(file),
		.address = address,
		.bytes = bytes,
		.bucket = reader->bucket,
	};
}

/* "0xADDRESS 0xSIZE FILE"; a symbol's line has one number only. */
static bool read_numbers(const char *text, uint64_t *address, uint64_t *bytes, const char **file) {
	char *end;
	if (strncmp(text, "0x", 2))
		return false;
	*address = strtoull(text, &end, 16);
	text = end + strspn(end, " ");
	if (strncmp(text, "0x", 2))
		return false;
	*bytes = strtoull(text, &end, 16);
	*file = *end == ' ' ? end + 1 : end;
	return true;
}

static void read_line(struct reader *reader, const char *line) {
	uint64_t address, bytes;
	const char *file, *text = line + strspn(line, " ");
	size_t indent = (size_t)(text - line);
	if (indent == 1 && *text == '*') {
		free(reader->section);
		reader->section = NULL;
		/* "*fill*" is padding, everything else with a star a statement. */
		if (strncmp(text, "*fill*", 6))
			reader->bucket++;
	} else if (indent == 1 && *text) {
		free(reader->section);
		size_t length = strcspn(text, " ");
		reader->section = ifr_format("%.*s", (int)length, text);
		text += length + strspn(text + length, " ");
		if (!*text)
			return;
		if (read_numbers(text, &address, &bytes, &file))
			add(reader, reader->section, address, bytes, file);
		else
			free(reader->section);
		reader->section = NULL;
	} else if (reader->section && read_numbers(text, &address, &bytes, &file)) {
		add(reader, reader->section, address, bytes, file);
		reader->section = NULL;
	}
}

/* The line that begins the output section .text, behind the heading of the memory map. */
static const char *find_text(const char *map) {
	const char *at = strstr(map, "\nLinker script and memory map");
	while (at && (at = strstr(at + 1, "\n.text")))
		if (at[6] == ' ' || at[6] == '\n')
			return at + 1;
	return NULL;
}

int units_parse_map(struct units *units, const char *map, struct ifr_error *err) {
	struct reader reader = {.units = units};
	const char *line = find_text(map);
	if (!line)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the map of the link shows no .text: nothing can be moved");
	const char *numbers = line + strcspn(line, "\n0"), *rest;
	uint64_t address;
	if (!read_numbers(numbers, &address, &units->text_bytes, &rest))
		return ifr_fail(err, IFR_E_ENVIRONMENT, "the map of the link does not say how large .text is");
	line += strcspn(line, "\n");
	while (*line && line[1] == ' ') {
		const char *start = line + 1;
		line = start + strcspn(start, "\n");
		char *copy = ifr_format("%.*s", (int)(line - start), start);
		read_line(&reader, copy);
		free(copy);
	}
	free(reader.section);
	return 0;
}
