/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads notes from a section's bytes, which may be damaged or hostile. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compiletime/note.h"

enum { HEADER_BYTES = 12, LINE_MAX_BYTES = 1 << 16 };

static bool plain_word(const char *text) {
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
			return false;
	return *text;
}

static int set_word(char *field, size_t size, const char *line, const char *key, struct ifr_error *err) {
	size_t length = strlen(key);
	const char *value = line + length + 1;
	if (strncmp(line, key, length) || line[length] != ' ' || !*value || strlen(value) >= size)
		return ifr_fail(err, IFR_E_USAGE, "\"%s WORD\" is missing", key);
	if (!plain_word(value))
		return ifr_fail(err, IFR_E_USAGE, "\"%s\" holds a character that it may not", key);
	strcpy(field, value);
	return 0;
}

static int set_version(const char *line, struct ifr_error *err) {
	char expected[64];
	snprintf(expected, sizeof expected, "interfero-note %d", IFR_NOTE_VERSION);
	if (strcmp(line, expected))
		return ifr_fail(err, IFR_E_USAGE, "the note is of another format than this interfero reads (\"%s\")",
		                expected);
	return 0;
}

/* Reads " name=number" at *text and moves *text behind it; false if the text there is another. */
static bool read_number(const char **text, const char *name, uint64_t *number) {
	size_t length = strlen(name);
	const char *at = *text;
	if (*at++ != ' ' || strncmp(at, name, length) || at[length] != '=')
		return false;
	at += length + 1;
	size_t digits = strspn(at, "0123456789");
	if (!digits || digits > 19)
		return false;
	*number = 0;
	for (size_t i = 0; i < digits; i++)
		*number = *number * 10 + (uint64_t)(at[i] - '0');
	*text = at + digits;
	return true;
}

static int set_counts(struct ifr_note_counts *did, const char *line, struct ifr_error *err) {
	const struct {
		const char *name;
		uint64_t *number;
	} counts[] = {
		{"ordered", &did->ordered}, {"nops", &did->nops},     {"functions", &did->functions},
		{"loops", &did->loops},     {"frames", &did->frames}, {"variables", &did->variables},
	};
	const char *rest = line + strlen("did");
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (!read_number(&rest, counts[i].name, counts[i].number))
			return ifr_fail(err, IFR_E_USAGE, "the count \"%s\" is missing", counts[i].name);
	read_number(&rest, "checks", &did->checks);
	read_number(&rest, "prefetches", &did->prefetches);
	read_number(&rest, "split", &did->split);
	read_number(&rest, "copies", &did->copies);
	return *rest ? ifr_fail(err, IFR_E_USAGE, "something stands behind the counts") : 0;
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

/* "function NAME order=3 …" */
static int set_entry(struct ifr_note *note, char *line, bool variable, struct ifr_error *err) {
	char *name = strchr(line, ' ') + 1, *end = name + strcspn(name, " ");
	const char *rest = end;
	struct ifr_note_counts sums = note->did;
	size_t facts = 0;
	uint64_t fact[IFR_NOTE_FACTS] = {0};
	for (int i = 0; i < IFR_NOTE_FACTS; i++)
		facts += read_number(&rest, ifr_note_facts[i], &fact[i]) && fact[i];
	if (end == name || !facts || *rest)
		return ifr_fail(err, IFR_E_USAGE, "a line about a function or variable is not of the known form");
	*end = '\0';
	for (int i = 0; i < IFR_NOTE_FACTS; i++)
		if (fact[i])
			ifr_note_add_fact(note, variable, name, (enum ifr_note_fact)i, fact[i]);
	note->did = sums; /* the last line gives the sums */
	return 0;
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
	if (number == 4 && !strncmp(line, "template ", 9))
		return set_word(note->template_key, sizeof note->template_key, line, "template", err);
	if (!strncmp(line, "function ", 9) || !strncmp(line, "variable ", 9))
		return set_entry(note, line, *line == 'v', err);
	if (strncmp(line, "did ", 4))
		return set_axis(&note->plan, line, err);
	*whole = true;
	return set_counts(&note->did, line, err);
}

static int parse_lines(char *text, size_t length, struct ifr_note *note, struct ifr_error *err) {
	bool whole = false;
	unsigned number = 0;
	int result = 0;
	for (size_t at = 0; at < length && !result; number++) {
		char *newline = memchr(text + at, '\n', length - at);
		size_t size = newline ? (size_t)(newline - text) - at : length - at;
		if (!newline || size >= LINE_MAX_BYTES || memchr(text + at, '\0', size))
			return ifr_fail(err, IFR_E_USAGE, "line %u is cut off, too long or holds a NUL", number + 1);
		*newline = '\0';
		result = set_line(note, number, text + at, &whole, err);
		at += size + 1;
	}
	return result || whole ? result : ifr_fail(err, IFR_E_USAGE, "its last line is missing");
}

static int parse_descriptor(const char *text, size_t length, struct ifr_note *note, struct ifr_error *err) {
	struct ifr_buffer copy = {0};
	ifr_buffer_append(&copy, text, length);
	ifr_note_init(note);
	int result = parse_lines(copy.data, length, note, err);
	ifr_buffer_release(&copy);
	if (result)
		ifr_note_release(note);
	return result;
}

static uint64_t word_at(const unsigned char *bytes) {
	return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
}

static uint64_t padded(uint64_t size) {
	return (size + 3) & ~UINT64_C(3);
}

/* Fails with one message that holds the offset at which a damaged note begins. */
static int fail_bad_note(struct ifr_error *err, size_t offset, const char *why) {
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
			return fail_bad_note(err, at, "a note's header is cut off");
		uint64_t name = word_at(bytes + at), size = word_at(bytes + at + 4), type = word_at(bytes + at + 8);
		uint64_t text = HEADER_BYTES + padded(name);
		if (text + size > left)
			return fail_bad_note(err, at, "a note is longer than the section");
		/* The last note of a section need not be padded. */
		size_t next = text + padded(size) > left ? length : at + (size_t)(text + padded(size));
		if (name == sizeof IFR_NOTE_OWNER && !memcmp(bytes + at + HEADER_BYTES, IFR_NOTE_OWNER, (size_t)name)) {
			struct ifr_error inner = {0};
			if (type != IFR_NOTE_TYPE)
				return fail_bad_note(err, at, "the note's type is not known here");
			if (parse_descriptor((const char *)bytes + at + text, (size_t)size, note, &inner))
				return fail_bad_note(err, at, inner.message);
			*offset = next;
			return 1;
		}
		at = next;
	}
	*offset = length;
	return 0;
}
