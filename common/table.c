/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing with linear probing and multiplicative hashing. A removal moves entries back instead of marking a
 * slot, so that a table of short-lived keys does not fill up.
 * Ref: Knuth 1973, The Art of Computer Programming 3, section 6.4, algorithms L and R. */
#include "common/table.h"

#include <stdlib.h>

#include "common/buffer.h"

enum { SMALLEST = 64 };

void ifr_table_release(struct ifr_table *table) {
	free(table->keys);
	free(table->values);
	*table = (struct ifr_table){0};
}

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

uint64_t ifr_table_hash(const uint32_t *words, size_t count) {
	uint64_t hash = count;
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ words[i]) * FACTOR;
	return hash;
}

/* The slot at which the search for a key begins. */
static size_t home_of(const struct ifr_table *table, uint64_t key) {
	return (size_t)(key * FACTOR >> 32) & (table->slots - 1);
}

/* The slot of a key's first entry, or the empty slot that ends the search. */
static size_t slot_of(const struct ifr_table *table, uint64_t key) {
	size_t slot = home_of(table, key);
	while (table->values[slot] && table->keys[slot] != key)
		slot = (slot + 1) & (table->slots - 1);
	return slot;
}

uint32_t ifr_table_find(const struct ifr_table *table, uint64_t key) {
	return table->count ? table->values[slot_of(table, key)] - 1 : IFR_TABLE_NONE;
}

uint32_t ifr_table_next(const struct ifr_table *table, uint64_t key, size_t *probe) {
	if (!table->count)
		return IFR_TABLE_NONE;
	for (;;) {
		const size_t slot = (home_of(table, key) + (*probe)++) & (table->slots - 1);
		if (!table->values[slot] || table->keys[slot] == key)
			return table->values[slot] - 1;
	}
}

/* Puts an entry behind the others of its key. */
static void insert(struct ifr_table *table, uint64_t key, uint32_t value) {
	size_t slot = home_of(table, key);
	while (table->values[slot])
		slot = (slot + 1) & (table->slots - 1);
	table->keys[slot] = key;
	table->values[slot] = value + 1;
	table->count++;
}

static void make_room(struct ifr_table *table) {
	if (2 * table->count < table->slots)
		return;
	struct ifr_table old = *table;
	table->slots = old.slots ? 2 * old.slots : SMALLEST;
	table->keys = ifr_alloc(table->slots * sizeof *table->keys);
	table->values = ifr_alloc(table->slots * sizeof *table->values);
	table->count = 0;
	for (size_t i = 0; i < old.slots; i++)
		if (old.values[i])
			insert(table, old.keys[i], old.values[i] - 1);
	ifr_table_release(&old);
}

void ifr_table_add(struct ifr_table *table, uint64_t key, uint32_t value) {
	make_room(table);
	insert(table, key, value);
}

uint32_t ifr_table_number(struct ifr_table *table, uint64_t key) {
	make_room(table);
	const size_t slot = slot_of(table, key);
	if (!table->values[slot]) {
		table->keys[slot] = key;
		table->values[slot] = (uint32_t)++table->count;
	}
	return table->values[slot] - 1;
}

bool ifr_table_remove(struct ifr_table *table, uint64_t key) {
	const size_t mask = table->slots - 1;
	size_t gap = table->count ? slot_of(table, key) : 0;
	if (!table->count || !table->values[gap])
		return false;
	/* An entry moves into the gap unless its search begins behind the gap. */
	for (size_t slot = (gap + 1) & mask; table->values[slot]; slot = (slot + 1) & mask) {
		if (((slot - home_of(table, table->keys[slot])) & mask) < ((slot - gap) & mask))
			continue;
		table->keys[gap] = table->keys[slot];
		table->values[gap] = table->values[slot];
		gap = slot;
	}
	table->values[gap] = 0;
	table->count--;
	return true;
}
