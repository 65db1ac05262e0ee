/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plugin/note.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 12, LINE_MAX_BYTES = 512 };

static bool unit_letter(char c) {
	return isalnum((unsigned char)c) || (c && strchr("._+-", c));
}

void ifr_note_set_unit(struct ifr_note *note, const char *path) {
	const char *slash = strrchr(path, '/');
	snprintf(note->unit, sizeof note->unit, "%s", slash ? slash + 1 : path);
	for (char *c = note->unit; *c; c++)
		if (!unit_letter(*c))
			*c = '_';
	if (!*note->unit)
		strcpy(note->unit, "_");
}

void ifr_note_print(const struct ifr_note *note, struct ifr_buffer *descriptor) {
	ifr_buffer_printf(descriptor, "interfero-note %d\n", IFR_NOTE_VERSION);
	ifr_buffer_printf(descriptor, "plugin %s\ncompiler %s\n", note->plugin, note->compiler);
	ifr_buffer_printf(descriptor, "unit %s\n", note->unit);
	struct ifr_buffer plan = {0};
	ifr_plan_print(&note->plan, &plan);
	/* The plan's own first line names a format that the note's version already implies. */
	const char *axes = strchr(ifr_buffer_text(&plan), '\n');
	ifr_buffer_puts(descriptor, axes ? axes + 1 : "");
	ifr_buffer_release(&plan);
	ifr_buffer_printf(descriptor,
	                  "did ordered=%" PRIu64 " nops=%" PRIu64 " functions=%" PRIu64 " loops=%" PRIu64 "\n",
	                  note->did.ordered, note->did.nops, note->did.functions, note->did.loops);
}

static int set_word(char *field, size_t size, const char *line, const char *key, struct ifr_error *err) {
	size_t length = strlen(key);
	const char *value = line + length + 1;
	if (strncmp(line, key, length) || line[length] != ' ' || !*value || strlen(value) >= size)
		return ifr_fail(err, IFR_E_USAGE, "\"%s WORD\" is missing", key);
	for (const char *c = value; *c; c++)
		if (!unit_letter(*c))
			return ifr_fail(err, IFR_E_USAGE, "\"%s\" holds a character that it may not", key);
	strcpy(field, value);
	return 0;
}

static int set_version(const char *line, struct ifr_error *err) {
	char expected[LINE_MAX_BYTES];
	snprintf(expected, sizeof expected, "interfero-note %d", IFR_NOTE_VERSION);
	if (strcmp(line, expected))
		return ifr_fail(err, IFR_E_USAGE, "the note is of another format than this interfero reads (\"%s\")",
		                expected);
	return 0;
}

/* Reads " name=number" at *text and moves past it. */
static int count(const char **text, const char *name, uint64_t *number, struct ifr_error *err) {
	char format[LINE_MAX_BYTES];
	int used = 0;
	snprintf(format, sizeof format, " %s=%%19[0-9]%%n", name);
	char digits[20];
	if (**text != ' ' || sscanf(*text, format, digits, &used) != 1)
		return ifr_fail(err, IFR_E_USAGE, "the count \"%s\" is missing", name);
	sscanf(digits, "%" SCNu64, number);
	*text += used;
	return 0;
}

static int set_counts(struct ifr_note_counts *did, const char *line, struct ifr_error *err) {
	const char *rest = line + strlen("did");
	int result = count(&rest, "ordered", &did->ordered, err);
	if (!result)
		result = count(&rest, "nops", &did->nops, err);
	if (!result)
		result = count(&rest, "functions", &did->functions, err);
	if (!result)
		result = count(&rest, "loops", &did->loops, err);
	if (!result && *rest)
		result = ifr_fail(err, IFR_E_USAGE, "something stands behind the counts");
	return result;
}

static int set_axis(struct ifr_plan *plan, char *line, struct ifr_error *err) {
	char *words = line + strcspn(line, " ");
	if (*words)
		*words++ = '\0';
	int axis = ifr_axis_find(line, err);
	if (axis < 0)
		return axis;
	if (ifr_axes[axis].owner != IFR_OWNER_PLUGIN || plan->axis[axis].on)
		return ifr_fail(err, IFR_E_USAGE, "the axis %s is named twice or is not the plugin's", line);
	return ifr_plan_set(plan, (enum ifr_axis)axis, words, err);
}

static int set_line(struct ifr_note *note, unsigned number, char *line, bool *whole, struct ifr_error *err) {
	if (*whole)
		return ifr_fail(err, IFR_E_USAGE, "a line stands behind the counts");
	switch (number) {
	case 0:
		return set_version(line, err);
	case 1:
		return set_word(note->plugin, sizeof note->plugin, line, "plugin", err);
	case 2:
		return set_word(note->compiler, sizeof note->compiler, line, "compiler", err);
	case 3:
		return set_word(note->unit, sizeof note->unit, line, "unit", err);
	}
	if (strncmp(line, "did ", 4))
		return set_axis(&note->plan, line, err);
	*whole = true;
	return set_counts(&note->did, line, err);
}

static int parse_descriptor(const char *text, size_t length, struct ifr_note *note, struct ifr_error *err) {
	memset(note, 0, sizeof *note);
	ifr_plan_init(&note->plan);
	bool whole = false;
	unsigned number = 0;
	for (size_t at = 0; at < length; number++) {
		const char *newline = memchr(text + at, '\n', length - at);
		size_t size = newline ? (size_t)(newline - text) - at : length - at;
		char line[LINE_MAX_BYTES];
		if (!newline || size >= sizeof line || memchr(text + at, '\0', size))
			return ifr_fail(err, IFR_E_USAGE, "line %u is cut off, too long or holds a NUL", number + 1);
		memcpy(line, text + at, size);
		line[size] = '\0';
		int result = set_line(note, number, line, &whole, err);
		if (result)
			return result;
		at += size + 1;
	}
	return whole ? 0 : ifr_fail(err, IFR_E_USAGE, "its last line is missing");
}

static uint64_t word_at(const unsigned char *bytes) {
	return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
}

static uint64_t padded(uint64_t size) {
	return (size + 3) & ~UINT64_C(3);
}

/* A damaged note gives one message, with the offset at which it begins. */
static int bad_note(struct ifr_error *err, size_t offset, const char *why) {
	return ifr_fail(err, IFR_E_USAGE,
	                "%s, byte %zu: %s; compile the unit again with this interfero, or strip the section",
	                IFR_NOTE_SECTION, offset, why);
}

int ifr_note_next(const void *section, size_t length, size_t *offset, struct ifr_note *note,
                  struct ifr_error *err) {
	const unsigned char *bytes = section;
	for (size_t at = *offset; at < length;) {
		size_t left = length - at;
		if (left < HEADER_BYTES)
			return bad_note(err, at, "a note's header is cut off");
		uint64_t name = word_at(bytes + at), size = word_at(bytes + at + 4), type = word_at(bytes + at + 8);
		uint64_t text = HEADER_BYTES + padded(name);
		if (text + size > left)
			return bad_note(err, at, "a note is longer than the section");
		/* The last note of a section need not be padded. */
		size_t next = text + padded(size) > left ? length : at + (size_t)(text + padded(size));
		if (name == sizeof IFR_NOTE_OWNER && !memcmp(bytes + at + HEADER_BYTES, IFR_NOTE_OWNER, (size_t)name)) {
			struct ifr_error inner = {0};
			if (type != IFR_NOTE_TYPE)
				return bad_note(err, at, "the note's type is not known here");
			if (parse_descriptor((const char *)bytes + at + text, (size_t)size, note, &inner))
				return bad_note(err, at, inner.message);
			*offset = next;
			return 1;
		}
		at = next;
	}
	*offset = length;
	return 0;
}
