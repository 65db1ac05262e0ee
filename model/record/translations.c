/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/record/translations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/random.h"

/* Blocks of the trace by a hash of what they are: qemu translates again what it threw away. */
struct block_index {
	uint64_t *hashes;
	uint32_t *ids;
	size_t room, count;
};

void translations_init(struct tables *tables) {
	*tables = (struct tables){.index = ifr_alloc(sizeof *tables->index)};
}

void translations_release(struct tables *tables) {
	for (uint32_t i = 0; i < tables->block_count; i++) {
		free(tables->blocks[i].lengths);
		free(tables->blocks[i].derived);
	}
	for (uint32_t i = 0; i < tables->shape_count; i++) {
		free(tables->shapes[i].accesses);
	}
	free(tables->blocks);
	free(tables->hot);
	free(tables->shapes);
	free(tables->chains);
	free(tables->index->hashes);
	free(tables->index->ids);
	free(tables->index);
}

/* Room for one more, in steps of powers of two. */
static void *grow(void *items, uint32_t count, size_t bytes) {
	return count & (count - 1) ? items : ifr_realloc(items, count ? 2 * (size_t)count : 1, bytes);
}

bool translations_define(struct tables *tables, const uint64_t *words, uint32_t count, uint64_t place_delta) {
	struct translated block = {.shapes = NONE};
	memcpy(&block.block, words, sizeof block.block);
	size_t head = sizeof block.block / 8, lengths = (block.block.instructions + 7U) / 8;
	size_t derived = block.block.derived * sizeof *block.derived;
	if (block.block.id != tables->block_count || count != head + lengths + derived / 8 ||
	    !block.block.instructions)
		return false;
	block.place = block.block.address + place_delta;
	block.target = block.block.target ? block.block.target + place_delta : 0;
	block.lengths = memcpy(ifr_alloc(lengths * 8), words + head, lengths * 8);
	block.derived = memcpy(ifr_alloc(derived + 8), words + head + lengths, derived);
	tables->blocks = grow(tables->blocks, tables->block_count, sizeof *tables->blocks);
	if (block.block.end == RING_END_REPEAT)
		block.repeats =
			block.block.address + block.block.bytes - (block.lengths[block.block.instructions - 1] & RING_LENGTH);
	tables->hot = grow(tables->hot, tables->block_count, sizeof *tables->hot);
	tables->hot[tables->block_count] =
		(struct hot){.address = block.block.address, .target = block.block.target, .trace_block = NONE};
	if (block.block.branch == IFR_BRANCH_CONDITIONAL)
		tables->hot[tables->block_count].fall = block.block.address + block.block.bytes;
	tables->blocks[tables->block_count++] = block;
	return true;
}

const struct span follows_previous;

static bool follows(uint64_t before, uint64_t event) {
	return RING_SHIFT(event) == 3 && event == before + 8;
}

uint32_t translations_add_pattern(struct tables *tables, uint32_t block, const uint64_t *events, uint32_t count,
                                  uint16_t cut) {
	static const struct span nowhere;
	uint32_t number = tables->shape_count;
	tables->shapes = grow(tables->shapes, number, sizeof *tables->shapes);
	struct shape *shape = &tables->shapes[tables->shape_count++];
	*shape = (struct shape){.block = block,
	                        .next = tables->blocks[block].shapes,
	                        .accesses = ifr_alloc((count + 1) * sizeof *shape->accesses),
	                        .count = (uint16_t)count,
	                        .roots = {NONE, NONE},
	                        .cut = cut};
	for (uint32_t i = 0; i < count; i++) {
		const bool continues = i && follows(events[i - 1], events[i]);
		shape->accesses[i] =
			(struct hot_access){continues ? &follows_previous : &nowhere, events[i] & ~RING_ADDRESS};
	}
	tables->blocks[block].shapes = number;
	return number;
}

void translations_set_fast_entry(struct tables *tables, uint32_t number) {
	const struct shape *shape = &tables->shapes[number];
	const struct ring_block *block = &tables->blocks[shape->block].block;
	struct hot *hot = &tables->hot[shape->block];
	bool alone = block->end == RING_END_BRANCH && shape->cut == block->instructions && shape->roots[0] != NONE;
	hot->accesses = shape->accesses;
	hot->count = shape->count;
	hot->instructions = block->instructions;
	const uint32_t written = alone ? tables->chains[shape->roots[0]].block : NONE;
	hot->trace_block = alone && written == NONE ? UNWRITTEN : written;
}

static uint32_t *first_chain(struct tables *tables, uint32_t parent, uint32_t shape, bool repeated) {
	return parent == NONE ? &tables->shapes[shape].roots[repeated] : &tables->chains[parent].child;
}

uint32_t translations_chain(struct tables *tables, uint32_t parent, uint32_t shape, bool repeated) {
	uint32_t first = *first_chain(tables, parent, shape, repeated), number = tables->chain_count;
	for (uint32_t chain = first; chain != NONE; chain = tables->chains[chain].sibling)
		if (tables->chains[chain].shape == shape)
			return chain;
	tables->chains = grow(tables->chains, number, sizeof *tables->chains);
	tables->chains[tables->chain_count++] = (struct chain){
		.parent = parent, .shape = shape, .block = NONE, .child = NONE, .sibling = first, .repeated = repeated};
	*first_chain(tables, parent, shape, repeated) = number;
	return number;
}

/* --- a block of the trace -------------------------------------------------------------------------------------
 */

static void add_access(struct ifr_buffer *accesses, const struct ifr_trace_access *access) {
	ifr_buffer_append(accesses, access, sizeof *access);
}

/* One translation block's part: its accesses in the order of its instructions, recorded ones from the shape,
 * derived ones from the decoder. */
static void append_part(const struct translated *part, const struct shape *shape, struct ifr_trace_block *block,
                        struct ifr_buffer *accesses) {
	uint16_t event = 0, derived = 0, end = block->bytes;
	uint32_t first_of[512]; /* index of each instruction's first access */
	for (unsigned i = 0; i < shape->cut && i < 512; i++) {
		uint8_t length = part->lengths[i] & RING_LENGTH;
		end = (uint16_t)(end + length);
		first_of[i] = (uint32_t)(accesses->length / sizeof(struct ifr_trace_access));
		for (; event < shape->count && RING_INSN(shape->accesses[event].tag) == i; event++)
			add_access(accesses,
			           &(struct ifr_trace_access){.anchor = IFR_ACCESS_RECORDED,
			                                      .end = end,
			                                      .bytes = (uint8_t)(1U << RING_SHIFT(shape->accesses[event].tag)),
			                                      .store = RING_STORE(shape->accesses[event].tag)});
		for (; derived < part->block.derived && part->derived[derived].insn == i; derived++) {
			const struct ring_derived *from = &part->derived[derived];
			struct ifr_trace_access access = {
				.offset = from->offset, .end = end, .bytes = (uint8_t)(1U << from->shift), .store = from->store};
			access.anchor = from->anchor < 0 ? IFR_ACCESS_ABSOLUTE : (int32_t)first_of[from->anchor];
			if (from->anchor < 0)
				access.offset += (int64_t)(part->place - block->place);
			add_access(accesses, &access);
		}
		block->branch_bytes = length;
	}
	block->instructions = (uint16_t)(block->instructions + shape->cut);
	block->bytes = end;
	bool whole = shape->cut == part->block.instructions;
	block->branch = whole ? part->block.branch : IFR_BRANCH_NONE;
	block->target = whole ? part->target : 0;
}

static uint32_t find_or_add(struct block_index *index, const struct ifr_trace_block *block,
                            const struct ifr_buffer *accesses, struct ifr_trace_writer *writer) {
	if (4 * index->count >= 3 * index->room) {
		struct block_index old = *index;
		index->room = old.room ? 2 * old.room : 1024;
		index->hashes = ifr_alloc(index->room * sizeof *index->hashes);
		index->ids = ifr_alloc(index->room * sizeof *index->ids);
		for (size_t i = 0; i < old.room; i++)
			if (old.hashes[i]) {
				size_t at = old.hashes[i] % index->room;
				while (index->hashes[at])
					at = (at + 1) % index->room;
				index->hashes[at] = old.hashes[i];
				index->ids[at] = old.ids[i];
			}
		free(old.hashes);
		free(old.ids);
	}
	uint64_t hash = ifr_siphash(1, 2, block, sizeof *block);
	hash = ifr_siphash(hash, 3, accesses->data, accesses->length) | 1;
	size_t at = hash % index->room;
	for (; index->hashes[at]; at = (at + 1) % index->room)
		if (index->hashes[at] == hash)
			return index->ids[at];
	index->hashes[at] = hash;
	index->count++;
	return index->ids[at] = ifr_trace_add_block(writer, block, (const void *)ifr_buffer_text(accesses));
}

uint32_t translations_trace_block(struct tables *tables, uint32_t chain, struct ifr_trace_writer *writer) {
	uint32_t path[4096], depth = 0;
	struct ifr_trace_block block;
	struct ifr_buffer accesses = {0};
	memset(&block, 0, sizeof block); /* padding too: it is hashed and written */
	for (uint32_t i = chain; i != NONE && depth < 4096; i = tables->chains[i].parent)
		path[depth++] = tables->chains[i].shape;
	assert(depth); /* the chain itself is one */
	block.place = tables->blocks[tables->shapes[path[depth - 1]].block].place;
	while (depth--) {
		const struct shape *shape = &tables->shapes[path[depth]];
		append_part(&tables->blocks[shape->block], shape, &block, &accesses);
	}
	block.accesses = (uint16_t)(accesses.length / sizeof(struct ifr_trace_access));
	if (tables->chains[chain].repeated) {
		struct ifr_trace_access *access = (void *)accesses.data;
		block.instructions = block.bytes = block.branch_bytes = 0;
		for (unsigned i = 0; i < block.accesses; i++)
			access[i].end = 0;
	}
	uint32_t id = find_or_add(tables->index, &block, &accesses, writer);
	tables->chains[chain].block = id;
	ifr_buffer_release(&accesses);
	return id;
}
