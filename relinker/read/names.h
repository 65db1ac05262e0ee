/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table from (text, number) to a number. */
#ifndef IFR_RELINKER_NAMES_H
#define IFR_RELINKER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names {
	struct name_entry *items; /* open addressing; text NULL where empty */
	size_t capacity;          /* a power of two, or 0 */
	size_t count;
};

void names_release(struct names *names);

/* The value stored under a key, or NULL. */
const uint32_t *names_find(const struct names *names, const char *text, uint64_t number);

/* The place of the value under a key, initial if the key is new (added then says so, may be NULL). Borrows text;
 * the place is valid until the next addition. */
uint32_t *names_add(struct names *names, const char *text, uint64_t number, uint32_t initial, bool *added);

#endif
