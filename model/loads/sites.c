/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/loads/sites.h"

#include <stdlib.h>

#include "common/table.h"
#include "model/loads/history.h"

/* Trace blocks of the same code: first byte and length in one key. */
static uint64_t code_key(const struct ifr_trace_block *block) {
	return ifr_history_mix(block->normalised) + block->bytes;
}

/* The ends of repeated string instructions, by their first byte: a further iteration knows only the latter. */
static void find_repeated(const struct ifr_trace_block *blocks, size_t count, struct ifr_table *lengths) {
	for (size_t i = 0; i < count; i++) {
		const struct ifr_trace_block *block = &blocks[i];
		const uint64_t start = block->normalised + block->bytes - block->branch_bytes;
		if (block->end == IFR_END_REPEAT && block->bytes && ifr_table_find(lengths, start) == IFR_TABLE_NONE)
			ifr_table_add(lengths, start, block->branch_bytes);
	}
}

/* The last byte of the instruction of an access. */
static uint64_t last_byte(const struct ifr_trace_block *block, const struct ifr_trace_access *access,
                          const struct ifr_table *repeated) {
	if (block->bytes)
		return block->normalised + access->end - 1;
	const uint32_t length = ifr_table_find(repeated, block->normalised);
	return length == IFR_TABLE_NONE ? block->normalised : block->normalised + length - 1;
}

void ifr_load_sites_find(const struct ifr_trace *trace, struct ifr_load_sites *sites) {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	const size_t count = ifr_trace_blocks(trace, &blocks), access_count = ifr_trace_accesses(trace, &accesses);
	struct ifr_table loads = {0}, codes = {0}, repeated = {0};
	*sites = (struct ifr_load_sites){0};
	sites->of_access = ifr_alloc((access_count + 1) * sizeof *sites->of_access);
	sites->codes = ifr_alloc((count + 1) * sizeof *sites->codes);
	sites->items = ifr_alloc((access_count + 1) * sizeof *sites->items);
	find_repeated(blocks, count, &repeated);
	for (size_t i = 0; i < count; i++) {
		sites->codes[i] = blocks[i].bytes ? ifr_table_number(&codes, code_key(&blocks[i])) + 1 : 0;
		for (uint32_t k = 0; k < blocks[i].accesses; k++) {
			const uint32_t at = blocks[i].first_access + k;
			sites->of_access[at] = IFR_NO_LOAD;
			if (accesses[at].kind != IFR_ACCESS_LOAD)
				continue;
			const uint64_t last = last_byte(&blocks[i], &accesses[at], &repeated);
			sites->of_access[at] = ifr_table_number(&loads, last);
			if (sites->of_access[at] == sites->count)
				sites->items[sites->count++] = (struct ifr_load_site){(uint32_t)i, at, last};
		}
	}
	ifr_table_release(&loads);
	ifr_table_release(&codes);
	ifr_table_release(&repeated);
}

void ifr_load_sites_release(struct ifr_load_sites *sites) {
	free(sites->items);
	free(sites->of_access);
	free(sites->codes);
	*sites = (struct ifr_load_sites){0};
}
