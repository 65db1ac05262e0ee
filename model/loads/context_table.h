/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References and misses by context: a hash table that grows up to a limit. Private to the room. */
#ifndef INTERFERO_MODEL_CONTEXT_TABLE_H
#define INTERFERO_MODEL_CONTEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A context of a load. */
struct ifr_load_context {
	uint64_t key;
	uint64_t first; /* number of the block execution, from the trace's first on, that met it first */
	uint64_t references, misses;
};

struct ifr_load_context_table {
	struct ifr_load_context *items; /* without references: an empty slot */
	size_t slots, count;
};

/* Counts a reference. Returns false if the context is new and there are already `most`. */
bool ifr_load_context_table_count(struct ifr_load_context_table *table, uint64_t key, bool missed, uint64_t moment,
                                  size_t most);
/* Returns the contexts, the most references first, and their number; the table is empty afterwards. The caller frees. */
struct ifr_load_context *ifr_load_context_table_take(struct ifr_load_context_table *table, size_t *count);
void ifr_load_context_table_release(struct ifr_load_context_table *table);

#endif
