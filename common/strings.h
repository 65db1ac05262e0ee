/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing list of strings that owns its strings, with a NULL behind the last: an argv. */
#ifndef IFR_COMMON_STRINGS_H
#define IFR_COMMON_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ifr_strings {
	char **items; /* count strings and a NULL; NULL while empty */
	size_t count;
	size_t capacity;
};

void ifr_strings_init(struct ifr_strings *strings);
void ifr_strings_release(struct ifr_strings *strings);
void ifr_strings_add(struct ifr_strings *strings, const char *text); /* copies */
void ifr_strings_take(struct ifr_strings *strings, char *text);      /* takes over a malloc'd string */
void ifr_strings_drop_last(struct ifr_strings *strings);             /* there is one */
void ifr_strings_add_all(struct ifr_strings *strings, const struct ifr_strings *more);
bool ifr_strings_contain(const struct ifr_strings *strings, const char *text);
/* Splits text at any of the separators; drops empty parts. */
void ifr_strings_split(struct ifr_strings *strings, const char *text, const char *separators);

bool ifr_starts_with(const char *text, const char *prefix);
bool ifr_ends_with(const char *text, const char *suffix);

#ifdef __cplusplus
}
#endif
#endif
