/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/context_chain.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/loads/history.h"

enum { SMALLEST = 16 };

size_t ifr_context_table_bytes(size_t slot_count) {
	const struct ifr_context_table *table = NULL;
	return slot_count / 8 * 7 * (sizeof *table->items + sizeof *table->shorter) +
	       slot_count * sizeof *table->slots;
}

static void release(struct ifr_context_table *table) {
	free(table->items);
	free(table->shorter);
	free(table->slots);
	*table = (struct ifr_context_table){0};
}

/* The slot of a key, or the empty one that ends the search. */
static inline size_t find_slot(const struct ifr_context_table *table, uint64_t key) {
	size_t slot = (size_t)ifr_history_mix(key) & (table->slot_count - 1);
	while (table->slots[slot] && table->items[table->slots[slot] - 1].key != key)
		slot = (slot + 1) & (table->slot_count - 1);
	return slot;
}

static bool find(const struct ifr_context_table *table, uint64_t key, uint32_t *item) {
	if (!table->slot_count)
		return false;
	const uint32_t number = table->slots[find_slot(table, key)];
	*item = number - 1;
	return number != 0;
}

/* Room for seven eighths of the slots. */
static void grow(struct ifr_context_table *table) {
	table->slot_count = table->slot_count ? 2 * table->slot_count : SMALLEST;
	table->items = ifr_realloc(table->items, table->slot_count / 8 * 7, sizeof *table->items);
	table->shorter = ifr_realloc(table->shorter, table->slot_count / 8 * 7, sizeof *table->shorter);
	free(table->slots);
	table->slots = ifr_alloc(table->slot_count * sizeof *table->slots);
	for (size_t i = 0; i < table->count; i++)
		table->slots[find_slot(table, table->items[i].key)] = (uint32_t)i + 1;
}

static uint32_t insert(struct ifr_context_table *table, uint64_t key, uint64_t moment, uint32_t shorter) {
	if (table->count == table->slot_count / 8 * 7)
		grow(table);
	const uint32_t item = (uint32_t)table->count++;
	table->items[item] = (struct ifr_load_context){.key = key, .first = moment};
	table->shorter[item] = shorter;
	table->slots[find_slot(table, key)] = item + 1;
	return item;
}

/* Adds the sums of a length to those of the next shorter one. */
static void add_to_shorter(struct ifr_context_chain *chain, size_t length) {
	const struct ifr_context_table *table = &chain->tables[length];
	for (size_t i = 0; i < table->count; i++) {
		struct ifr_load_context *shorter = &chain->tables[length - 1].items[table->shorter[i]];
		shorter->references += table->items[i].references;
		shorter->misses += table->items[i].misses;
	}
}

/* Gives up a length and all longer ones. */
static void give_up(struct ifr_context_chain *chain, size_t length) {
	while (chain->lengths > length) {
		chain->lengths--;
		if (chain->lengths)
			add_to_shorter(chain, chain->lengths);
		release(&chain->tables[chain->lengths]);
	}
}

static void count(struct ifr_context_chain *chain, uint32_t item, bool missed) {
	struct ifr_load_context *context = &chain->tables[chain->lengths - 1].items[item];
	context->references++;
	context->misses += missed;
	chain->last = item;
}

bool ifr_context_chain_meet(struct ifr_context_chain *chain, uint64_t key, bool missed) {
	const struct ifr_context_table *table = &chain->tables[chain->lengths - 1];
	uint32_t item = chain->last;
	if (!(item < table->count && table->items[item].key == key) && !find(table, key, &item))
		return false;
	count(chain, item, missed);
	return true;
}

void ifr_context_chain_add(struct ifr_context_chain *chain, const uint64_t *keys, bool missed, uint64_t moment,
                           size_t most) {
	size_t known = chain->lengths;
	uint32_t item = 0;
	while (known && !find(&chain->tables[known - 1], keys[known - 1], &item))
		known--;
	for (; known < chain->lengths; known++)
		if (chain->tables[known].count == most)
			give_up(chain, known);
		else
			item = insert(&chain->tables[known], keys[known], moment, item);
	if (chain->lengths)
		count(chain, item, missed);
}

void ifr_context_chain_sum(struct ifr_context_chain *chain) {
	for (size_t length = chain->lengths; length > 1; length--)
		add_to_shorter(chain, length - 1);
}

static int compare_contexts(const void *left, const void *right) {
	const struct ifr_load_context *a = left, *b = right;
	if (a->references != b->references)
		return a->references < b->references ? 1 : -1;
	if (a->first != b->first)
		return a->first > b->first ? 1 : -1;
	return (a->key > b->key) - (a->key < b->key);
}

struct ifr_load_context *ifr_context_chain_take(struct ifr_context_chain *chain, size_t length, size_t *count) {
	struct ifr_context_table *table = &chain->tables[length];
	struct ifr_load_context *items = table->items;
	*count = table->count;
	table->items = NULL;
	release(table);
	if (!*count)
		return items;
	qsort(items, *count, sizeof *items, compare_contexts);
	return ifr_realloc(items, *count, sizeof *items);
}
