/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/aliases.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "common/table.h"
#include "model/memory/store_buffer.h"

enum { CHUNK_EXECUTIONS = 16384 };

/* The tag of a store in the buffer is its number in recent, which turns round with the buffer. */
struct search {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	struct ifr_store_buffer buffer;
	struct ifr_alias_site recent[IFR_STORES_MOST];
	struct ifr_alias_pair *pairs;
	struct ifr_table numbers; /* of pairs, by load and store */
};

static void add_store(struct search *search, const struct ifr_alias_site *site, uint32_t bytes) {
	const uint32_t place = (uint32_t)(search->buffer.count % IFR_STORES_MOST);
	search->recent[place] = *site;
	ifr_store_buffer_add(&search->buffer, site->address, bytes, place);
}

static void add_pair(struct search *search, const struct ifr_alias_site *load,
                     const struct ifr_alias_site *store) {
	const uint64_t key = (uint64_t)load->access << 32 | store->access;
	const size_t known = search->numbers.count;
	const uint32_t number = ifr_table_number(&search->numbers, key);
	if (number == known) {
		search->pairs = ifr_realloc(search->pairs, known + 1, sizeof *search->pairs);
		search->pairs[number] = (struct ifr_alias_pair){*load, *store, 0};
	}
	search->pairs[number].count++;
}

static void walk_access(struct search *search, const struct ifr_alias_site *site) {
	const struct ifr_trace_access *access = &search->accesses[site->access];
	if (access->kind == IFR_ACCESS_STORE) {
		add_store(search, site, access->bytes);
		return;
	}
	const struct ifr_store *met = ifr_store_buffer_find(&search->buffer, site->address, access->bytes);
	if (met && ifr_store_is_alias(met, site->address, access->bytes))
		add_pair(search, site, &search->recent[met->tag]);
}

static void walk_chunk(struct search *search, const struct ifr_trace_chunk *chunk, const uint64_t *addresses) {
	size_t at = 0;
	for (size_t i = 0; i < chunk->executions_count; i++) {
		if (chunk->executions[i] == IFR_EXECUTION_BREAK)
			continue;
		const uint32_t id = chunk->executions[i] >> 1;
		for (uint32_t k = 0; k < search->blocks[id].accesses; k++, at++) {
			const struct ifr_alias_site site = {id, search->blocks[id].first_access + k, chunk->normalised[at],
			                                    addresses[at]};
			walk_access(search, &site);
		}
	}
}

static int compare_pairs(const void *left, const void *right) {
	const struct ifr_alias_pair *a = left, *b = right;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	if (a->load.access != b->load.access)
		return a->load.access > b->load.access ? 1 : -1;
	return (a->store.access > b->store.access) - (a->store.access < b->store.access);
}

int ifr_alias_pairs_find(struct ifr_trace *trace, const struct ifr_address_map *map, unsigned stores,
                         struct ifr_alias_pair **pairs, size_t *count, struct ifr_error *err) {
	struct ifr_trace_chunk chunk;
	uint64_t *addresses = NULL;
	if (ifr_address_map_has_instructions(map))
		return ifr_fail(err, IFR_E_USAGE, "pairs of accesses are not told apart where the compiler's axes vary");
	struct search *search = ifr_alloc(sizeof *search);
	search->buffer.entries = stores < IFR_STORES_MOST ? stores : IFR_STORES_MOST;
	ifr_trace_blocks(trace, &search->blocks);
	ifr_trace_accesses(trace, &search->accesses);
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk); chunk.executions_count;
	     ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk)) {
		addresses = ifr_realloc(addresses, chunk.accesses_count + 1, sizeof *addresses);
		ifr_addresses_of(map, chunk.normalised, chunk.accesses_count, addresses);
		walk_chunk(search, &chunk, addresses);
	}
	ifr_trace_rewind(trace);
	*pairs = search->pairs;
	*count = search->numbers.count;
	if (*count)
		qsort(*pairs, *count, sizeof **pairs, compare_pairs);
	ifr_table_release(&search->numbers);
	free(addresses);
	free(search);
	return 0;
}
