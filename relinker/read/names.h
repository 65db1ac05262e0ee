/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from (text, number) to a number. */
#ifndef IFR_RELINKER_NAMES_H
#define IFR_RELINKER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/table.h"

struct names {
	struct ifr_table index; /* of the entries, by a hash of text and number */
	struct name_entry *items;
	size_t count, capacity;
};

void names_release(struct names *names);

/* Finds the value of a key, or NULL. */
const uint32_t *names_find(const struct names *names, const char *text, uint64_t number);

/* Finds the value of a key, or adds the key with an initial value. added receives whether the key is new; it may
 * be NULL. The table borrows text. The pointer is valid until the next addition. */
uint32_t *names_add(struct names *names, const char *text, uint64_t number, uint32_t initial, bool *added);

#endif
