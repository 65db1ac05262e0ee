/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/read/names.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

struct name_entry {
	const char *text;
	uint64_t number;
	uint32_t hash;
	uint32_t value;
};

void names_release(struct names *names) {
	free(names->items);
	*names = (struct names){0};
}

/* A fast hash after FNV-1a, without a secret: the names are of the user's own programs, which do not attack the
 * table. */
static uint32_t hash_of(const char *text, uint64_t number) {
	uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash ^ hash >> 32);
}

static struct name_entry *slot_of(const struct names *names, const char *text, uint64_t number, uint32_t hash) {
	for (size_t i = hash & (names->capacity - 1);; i = (i + 1) & (names->capacity - 1)) {
		struct name_entry *entry = &names->items[i];
		if (!entry->text || (entry->hash == hash && entry->number == number && !strcmp(entry->text, text)))
			return entry;
	}
}

static void grow_table(struct names *names) {
	struct names larger = {.capacity = names->capacity ? 2 * names->capacity : 64, .count = names->count};
	larger.items = ifr_alloc(larger.capacity * sizeof *larger.items);
	for (size_t i = 0; i < names->capacity; i++) {
		const struct name_entry *entry = &names->items[i];
		if (!entry->text)
			continue;
		size_t at = entry->hash & (larger.capacity - 1);
		while (larger.items[at].text)
			at = (at + 1) & (larger.capacity - 1);
		larger.items[at] = *entry;
	}
	free(names->items);
	*names = larger;
}

const uint32_t *names_find(const struct names *names, const char *text, uint64_t number) {
	if (!names->count)
		return NULL;
	const struct name_entry *entry = slot_of(names, text, number, hash_of(text, number));
	return entry->text ? &entry->value : NULL;
}

uint32_t *names_add(struct names *names, const char *text, uint64_t number, uint32_t initial, bool *added) {
	if (2 * (names->count + 1) > names->capacity)
		grow_table(names);
	uint32_t hash = hash_of(text, number);
	struct name_entry *entry = slot_of(names, text, number, hash);
	if (added)
		*added = !entry->text;
	if (!entry->text) {
		*entry = (struct name_entry){text, number, hash, initial};
		names->count++;
	}
	return &entry->value;
}
