/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/strings.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

void ifr_strings_init(struct ifr_strings *strings) {
	*strings = (struct ifr_strings){0};
}

void ifr_strings_release(struct ifr_strings *strings) {
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	ifr_strings_init(strings);
}

void ifr_strings_take(struct ifr_strings *strings, char *text) {
	if (strings->count + 2 > strings->capacity) {
		strings->capacity = strings->capacity ? strings->capacity * 2 : 16;
		strings->items = ifr_realloc(strings->items, strings->capacity, sizeof *strings->items);
	}
	strings->items[strings->count++] = text;
	strings->items[strings->count] = NULL;
}

void ifr_strings_add(struct ifr_strings *strings, const char *text) {
	ifr_strings_take(strings, ifr_strdup(text));
}

void ifr_strings_drop_last(struct ifr_strings *strings) {
	free(strings->items[--strings->count]);
	strings->items[strings->count] = NULL;
}

void ifr_strings_add_all(struct ifr_strings *strings, const struct ifr_strings *more) {
	for (size_t i = 0; i < more->count; i++)
		ifr_strings_add(strings, more->items[i]);
}

bool ifr_strings_contain(const struct ifr_strings *strings, const char *text) {
	for (size_t i = 0; i < strings->count; i++)
		if (!strcmp(strings->items[i], text))
			return true;
	return false;
}

void ifr_strings_split(struct ifr_strings *strings, const char *text, const char *separators) {
	for (;;) {
		text += strspn(text, separators);
		size_t length = strcspn(text, separators);
		if (!length)
			return;
		ifr_strings_take(strings, ifr_format("%.*s", (int)length, text));
		text += length;
	}
}

bool ifr_starts_with(const char *text, const char *prefix) {
	return !strncmp(text, prefix, strlen(prefix));
}

bool ifr_ends_with(const char *text, const char *suffix) {
	size_t length = strlen(text), tail = strlen(suffix);
	return length >= tail && !memcmp(text + length - tail, suffix, tail);
}
