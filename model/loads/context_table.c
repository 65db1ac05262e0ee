/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/context_table.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/loads/history.h"

enum { SMALLEST = 16 };

void ifr_load_context_table_release(struct ifr_load_context_table *table) {
	free(table->items);
	*table = (struct ifr_load_context_table){0};
}

/* The context of a key, or the empty slot that ends the search. */
static struct ifr_load_context *find_slot(const struct ifr_load_context_table *table, uint64_t key) {
	size_t slot = (size_t)ifr_history_mix(key) & (table->slots - 1);
	while (table->items[slot].references && table->items[slot].key != key)
		slot = (slot + 1) & (table->slots - 1);
	return &table->items[slot];
}

static void grow(struct ifr_load_context_table *table) {
	struct ifr_load_context_table larger = {.slots = table->slots ? 2 * table->slots : SMALLEST,
	                                        .count = table->count};
	larger.items = ifr_alloc(larger.slots * sizeof *larger.items);
	for (size_t i = 0; i < table->slots; i++)
		if (table->items[i].references)
			*find_slot(&larger, table->items[i].key) = table->items[i];
	free(table->items);
	*table = larger;
}

bool ifr_load_context_table_count(struct ifr_load_context_table *table, uint64_t key, bool missed, uint64_t moment,
                                  size_t most) {
	if (!table->slots)
		grow(table);
	struct ifr_load_context *context = find_slot(table, key);
	if (!context->references) {
		if (table->count == most)
			return false;
		if (8 * (table->count + 1) > 7 * table->slots) {
			grow(table);
			context = find_slot(table, key);
		}
		*context = (struct ifr_load_context){.key = key, .first = moment};
		table->count++;
	}
	context->references++;
	context->misses += missed;
	return true;
}

static int compare_contexts(const void *left, const void *right) {
	const struct ifr_load_context *a = left, *b = right;
	if (a->references != b->references)
		return a->references < b->references ? 1 : -1;
	if (a->first != b->first)
		return a->first > b->first ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

struct ifr_load_context *ifr_load_context_table_take(struct ifr_load_context_table *table, size_t *count) {
	struct ifr_load_context *items = table->items;
	*count = 0;
	for (size_t i = 0; i < table->slots; i++)
		if (items[i].references)
			items[(*count)++] = items[i];
	*table = (struct ifr_load_context_table){0};
	if (!*count)
		return items;
	qsort(items, *count, sizeof *items, compare_contexts);
	return ifr_realloc(items, *count, sizeof *items);
}
