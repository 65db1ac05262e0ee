/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table from 64-bit keys to 32-bit values, usually indexes into an array of the caller's. A table of zeros is
 * empty. A longer key is looked up by a 64-bit hash of it: several entries may then have one key, and the caller
 * compares what their values stand for (ifr_table_next). */
#ifndef IFR_COMMON_TABLE_H
#define IFR_COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ifr_table {
	uint64_t *keys;
	uint32_t *values; /* plus one; 0: an empty slot */
	size_t slots;     /* a power of two, or 0 */
	size_t count;     /* of entries, at most half the slots */
};

#define IFR_TABLE_NONE UINT32_MAX

void ifr_table_release(struct ifr_table *table);

/* The hash of a key of so many words. */
uint64_t ifr_table_hash(const uint32_t *words, size_t count);

/* A value of a key, the only one if there is no other; IFR_TABLE_NONE if there is none. */
uint32_t ifr_table_find(const struct ifr_table *table, uint64_t key);
/* Steps through the values of a key, in no order: *probe is 0 at first, and IFR_TABLE_NONE ends them. The table must not
 * change meanwhile. */
uint32_t ifr_table_next(const struct ifr_table *table, uint64_t key, size_t *probe);
/* Adds an entry, also to a key that has some. value is below IFR_TABLE_NONE. */
void ifr_table_add(struct ifr_table *table, uint64_t key, uint32_t value);
/* The value of a key. A new key is added with the number of entries before it: 0, 1, 2, … */
uint32_t ifr_table_number(struct ifr_table *table, uint64_t key);
/* Removes an entry of a key. Returns false if there is none. */
bool ifr_table_remove(struct ifr_table *table, uint64_t key);

#endif
