/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/layout/changes.h"

#include <stdlib.h>

#include "common/buffer.h"

enum { CHUNK_EXECUTIONS = 16384 };

struct walk {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	unsigned line_bytes, page_bytes;
	struct ifr_layout_changes *changes;
};

static uint64_t crossed(uint64_t address, uint32_t bytes, uint64_t unit) {
	return (address + bytes - 1) / unit - address / unit;
}

static void walk_access(const struct walk *walk, uint32_t block, uint32_t access, uint64_t data,
                        const uint64_t *addresses) {
	struct ifr_access_change *change = &walk->changes->accesses[access];
	const uint32_t bytes = walk->accesses[access].bytes;
	const bool first = !(change->lines[0] + change->lines[1]);
	bool crosses = false;
	for (unsigned i = 0; i < IFR_CHANGE_LAYOUTS && bytes; i++) {
		const uint64_t lines = crossed(addresses[i], bytes, walk->line_bytes);
		change->lines[i] += lines;
		change->pages[i] += crossed(addresses[i], bytes, walk->page_bytes);
		crosses |= lines > 0;
	}
	if (!first || !crosses)
		return;
	change->block = block;
	change->data = data;
	for (unsigned i = 0; i < IFR_CHANGE_LAYOUTS; i++)
		change->address[i] = addresses[i];
}

static void walk_chunk(const struct walk *walk, const struct ifr_trace_chunk *chunk,
                       uint64_t *const addresses[IFR_CHANGE_LAYOUTS]) {
	size_t at = 0;
	for (size_t i = 0; i < chunk->executions_count; i++) {
		if (chunk->executions[i] == IFR_EXECUTION_BREAK)
			continue;
		const uint32_t id = chunk->executions[i] >> 1;
		walk->changes->blocks[id].executions++;
		for (uint32_t k = 0; k < walk->blocks[id].accesses; k++, at++) {
			const uint64_t pair[IFR_CHANGE_LAYOUTS] = {addresses[0][at], addresses[1][at]};
			walk_access(walk, id, walk->blocks[id].first_access + k, chunk->normalised[at], pair);
		}
	}
}

static void walk_trace(const struct walk *walk, struct ifr_trace *trace,
                       const struct ifr_address_map *const *maps) {
	struct ifr_trace_chunk chunk;
	uint64_t *addresses[IFR_CHANGE_LAYOUTS] = {NULL};
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk); chunk.executions_count;
	     ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk)) {
		for (unsigned i = 0; i < IFR_CHANGE_LAYOUTS; i++) {
			addresses[i] = ifr_realloc(addresses[i], chunk.accesses_count + 1, sizeof *addresses[i]);
			ifr_addresses_of(maps[i], chunk.normalised, chunk.accesses_count, addresses[i]);
		}
		walk_chunk(walk, &chunk, addresses);
	}
	ifr_trace_rewind(trace);
	free(addresses[0]);
	free(addresses[1]);
}

static int place_blocks(const struct ifr_trace *trace, const struct ifr_address_map *map, unsigned layout,
                        struct ifr_layout_changes *changes, struct ifr_error *err) {
	struct ifr_geometry *geometry = ifr_alloc((changes->block_count + 1) * sizeof *geometry);
	uint16_t *ends = ifr_alloc((changes->access_count + 1) * sizeof *ends);
	int result = ifr_address_map_blocks(map, trace, IFR_ENTRY_JUMP, geometry, ends, err);
	for (size_t i = 0; i < changes->block_count && !result; i++) {
		changes->blocks[i].address[layout] = geometry[i].address;
		changes->blocks[i].bytes = geometry[i].bytes;
	}
	free(geometry);
	free(ends);
	return result;
}

int ifr_layout_changes_count(struct ifr_trace *trace, const struct ifr_address_map *const *maps,
                             unsigned line_bytes, unsigned page_bytes, struct ifr_layout_changes *changes,
                             struct ifr_error *err) {
	struct walk walk = {.line_bytes = line_bytes, .page_bytes = page_bytes, .changes = changes};
	int result = 0;
	*changes = (struct ifr_layout_changes){.block_count = ifr_trace_blocks(trace, &walk.blocks),
	                                       .access_count = ifr_trace_accesses(trace, &walk.accesses)};
	if (ifr_address_map_has_instructions(maps[0]) || ifr_address_map_has_instructions(maps[1]))
		return ifr_fail(err, IFR_E_USAGE,
		                "accesses and windows are not told apart where the compiler's axes vary");
	changes->accesses = ifr_alloc((changes->access_count + 1) * sizeof *changes->accesses);
	changes->blocks = ifr_alloc((changes->block_count + 1) * sizeof *changes->blocks);
	for (unsigned i = 0; i < IFR_CHANGE_LAYOUTS && !result; i++)
		result = place_blocks(trace, maps[i], i, changes, err);
	if (!result)
		walk_trace(&walk, trace, maps);
	return result;
}

void ifr_layout_changes_release(struct ifr_layout_changes *changes) {
	free(changes->accesses);
	free(changes->blocks);
	*changes = (struct ifr_layout_changes){0};
}

uint64_t ifr_block_windows(const struct ifr_block_change *block, unsigned layout, unsigned bytes) {
	return block->bytes ? crossed(block->address[layout], block->bytes, bytes) + 1 : 0;
}
