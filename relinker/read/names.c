/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/names.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

struct name_entry {
	const char *text;
	uint64_t number;
	uint32_t value;
};

void names_release(struct names *names) {
	ifr_table_release(&names->index);
	free(names->items);
	*names = (struct names){0};
}

/* A fast hash after FNV-1a, without a secret: the names are of the user's own programs, which do not attack the
 * table. */
static uint64_t hash_of(const char *text, uint64_t number) {
	uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static struct name_entry *find_entry(const struct names *names, const char *text, uint64_t number, uint64_t hash) {
	uint32_t at;
	for (size_t probe = 0; (at = ifr_table_next(&names->index, hash, &probe)) != IFR_TABLE_NONE;) {
		struct name_entry *entry = &names->items[at];
		if (entry->number == number && !strcmp(entry->text, text))
			return entry;
	}
	return NULL;
}

static struct name_entry *append_entry(struct names *names) {
	if (names->count == names->capacity) {
		names->capacity = names->capacity ? 2 * names->capacity : 32;
		names->items = ifr_realloc(names->items, names->capacity, sizeof *names->items);
	}
	return &names->items[names->count++];
}

const uint32_t *names_find(const struct names *names, const char *text, uint64_t number) {
	const struct name_entry *entry = find_entry(names, text, number, hash_of(text, number));
	return entry ? &entry->value : NULL;
}

uint32_t *names_add(struct names *names, const char *text, uint64_t number, uint32_t initial, bool *added) {
	const uint64_t hash = hash_of(text, number);
	struct name_entry *entry = find_entry(names, text, number, hash);
	if (added)
		*added = !entry;
	if (!entry) {
		ifr_table_add(&names->index, hash, (uint32_t)names->count);
		entry = append_entry(names);
		*entry = (struct name_entry){text, number, initial};
	}
	return &entry->value;
}
