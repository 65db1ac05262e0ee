/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problem: a block of the trace is made of one or more translation blocks, whose accesses vary from execution to
 * execution, and recorders translate the same code many times.
 *
 * Idea: three levels. A translation block has access patterns, usually one. Patterns form chains, kept as a tree
 * in which a chain is found by its parent and its last pattern. A chain becomes a block of the trace, found by a
 * hash of its contents.
 *
 * Invariant: equal blocks have one id, however a recorder cut or retranslated them. It holds because the hash covers the
 * whole block, its accesses and its code, padding included, and nothing that depends on the recorder or on addresses. */
#include "model/record/translations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/random.h"

void translations_init(struct translations *translations) {
	*translations = (struct translations){0};
}

void translations_release(struct translations *translations) {
	for (uint32_t i = 0; i < translations->block_count; i++) {
		free(translations->blocks[i].lengths);
		free(translations->blocks[i].derived);
		free(translations->blocks[i].code);
	}
	for (uint32_t i = 0; i < translations->pattern_count; i++) {
		free(translations->patterns[i].accesses);
	}
	free(translations->blocks);
	free(translations->fast);
	free(translations->facts);
	free(translations->patterns);
	free(translations->chains);
	ifr_table_release(&translations->index);
}

/* Returns items with room for one more, growing by powers of two. */
static void *grow(void *items, uint32_t count, size_t bytes) {
	return count & (count - 1) ? items : ifr_realloc(items, count ? 2 * (size_t)count : 1, bytes);
}

bool translations_define(struct translations *translations, const uint64_t *words, uint32_t count,
                         uint64_t normalised_delta) {
	struct translated block = {.patterns = NONE};
	memcpy(&block.block, words, sizeof block.block);
	size_t head = sizeof block.block / 8, lengths = (block.block.instructions + 7U) / 8;
	size_t derived = block.block.derived * sizeof *block.derived, code = (block.block.bytes + 7U) / 8;
	if (block.block.id != translations->block_count || count != head + lengths + derived / 8 + code ||
	    !block.block.instructions)
		return false;
	block.normalised = block.block.address + normalised_delta;
	block.target = block.block.target ? block.block.target + normalised_delta : 0;
	block.lengths = memcpy(ifr_alloc(lengths * 8), words + head, lengths * 8);
	block.derived = memcpy(ifr_alloc(derived + 8), words + head + lengths, derived);
	block.code = memcpy(ifr_alloc(code * 8 + 8), words + head + lengths + derived / 8, code * 8);
	translations->blocks = grow(translations->blocks, translations->block_count, sizeof *translations->blocks);
	if (block.block.end == RING_END_REPEAT)
		block.repeats =
			block.block.address + block.block.bytes - (block.lengths[block.block.instructions - 1] & RING_LENGTH);
	translations->fast = grow(translations->fast, translations->block_count, 2 * sizeof *translations->fast);
	translations->facts = grow(translations->facts, translations->block_count, 2 * sizeof *translations->facts);
	struct fast_facts *facts = &translations->facts[2 * (size_t)translations->block_count];
	struct fast_entry *fast = &translations->fast[2 * (size_t)translations->block_count];
	if (block.block.branch == IFR_BRANCH_CONDITIONAL || block.repeats)
		block.follower = block.block.address + block.block.bytes;
	block.taken = block.repeats ? block.repeats : block.block.target;
	facts[0] = (struct fast_facts){.address = block.block.address,
	                               .trace_block = NONE,
	                               .branches = block.block.branch != IFR_BRANCH_NONE,
	                               .repeats = block.repeats != 0};
	facts[1] = facts[0];
	fast[0] = (struct fast_entry){.taken_mask = UINT64_MAX};
	if (!block.taken && !block.follower)
		fast[0] = (struct fast_entry){.taken = RING_BLOCK, .taken_mask = RING_RECORD};
	fast[1] = fast[0];
	translations->blocks[translations->block_count++] = block;
	return true;
}

const struct extent follows_previous;

static bool continues_access(uint64_t before, uint64_t event) {
	return RING_SHIFT(event) == 3 && event == before + 8;
}

uint32_t translations_add_pattern(struct translations *translations, uint32_t block, const uint64_t *events,
                                  uint32_t count, uint16_t cut) {
	static const struct extent nowhere;
	uint32_t number = translations->pattern_count;
	translations->patterns = grow(translations->patterns, number, sizeof *translations->patterns);
	struct access_pattern *pattern = &translations->patterns[translations->pattern_count++];
	*pattern = (struct access_pattern){.block = block,
	                                   .next = translations->blocks[block].patterns,
	                                   .accesses = ifr_alloc((count + 1) * sizeof *pattern->accesses),
	                                   .count = (uint16_t)count,
	                                   .roots = {NONE, NONE},
	                                   .cut = cut};
	for (uint32_t i = 0; i < count; i++) {
		const bool continues = i && continues_access(events[i - 1], events[i]);
		pattern->accesses[i] = (struct pattern_access){.extent = continues ? &follows_previous : &nowhere,
		                                               .tag = events[i] & ~RING_ADDRESS};
	}
	translations->blocks[block].patterns = number;
	return number;
}

void pattern_access_refresh(struct pattern_access *access) {
	const struct extent *extent = access->extent;
	access->offset = extent->delta - access->tag;
	access->start = extent->start + extent->delta;
	access->bytes = extent->bytes;
}

void translations_set_fast_entry(struct translations *translations, uint32_t number, bool repeated,
                                 struct ifr_trace_writer *writer) {
	const struct access_pattern *pattern = &translations->patterns[number];
	const struct ring_block *block = &translations->blocks[pattern->block].block;
	const size_t entry = 2 * (size_t)pattern->block + repeated;
	struct fast_entry *fast = &translations->fast[entry];
	struct fast_facts *facts = &translations->facts[entry];
	const uint32_t chain = pattern->roots[repeated];
	const bool alone = (block->end == RING_END_BRANCH || block->end == RING_END_REPEAT) &&
	                   pattern->cut == block->instructions && chain != NONE;
	const uint32_t written = alone ? translations->chains[chain].block : NONE;
	facts->count = pattern->count;
	facts->trace_block = alone && written == NONE ? UNWRITTEN : written;
	fast->accesses = pattern->accesses;
	fast->instructions = repeated ? 0 : block->instructions;
	fast->all_accesses = pattern->count + (uint32_t)block->derived;
	fast->coders = facts->trace_block < UNWRITTEN ? trace_coders(writer, written) : NULL;
	fast->ready = 0; /* of no epoch: the accesses are copied first */
	for (unsigned taken = 0; taken < 2; taken++)
		fast->executions[taken] = written << 1 | (taken && facts->branches);
}

static uint32_t *first_chain(struct translations *translations, uint32_t parent, uint32_t pattern, bool repeated) {
	return parent == NONE ? &translations->patterns[pattern].roots[repeated] : &translations->chains[parent].child;
}

uint32_t translations_chain(struct translations *translations, uint32_t parent, uint32_t pattern, bool repeated) {
	uint32_t first = *first_chain(translations, parent, pattern, repeated), number = translations->chain_count;
	for (uint32_t chain = first; chain != NONE; chain = translations->chains[chain].sibling)
		if (translations->chains[chain].pattern == pattern)
			return chain;
	translations->chains = grow(translations->chains, number, sizeof *translations->chains);
	translations->chains[translations->chain_count++] = (struct chain){.parent = parent,
	                                                                   .pattern = pattern,
	                                                                   .block = NONE,
	                                                                   .child = NONE,
	                                                                   .sibling = first,
	                                                                   .repeated = repeated};
	*first_chain(translations, parent, pattern, repeated) = number;
	return number;
}

/* --- blocks of the trace ------------------------------------------------------------------------------------- */

/* A block of the trace that is being put together. */
struct block_builder {
	struct ifr_trace_block block;
	struct ifr_buffer accesses, code;
};

static uint8_t access_kind(uint64_t tag) {
	return tag & RING_PREFETCH ? IFR_ACCESS_PREFETCH : RING_STORE(tag) ? IFR_ACCESS_STORE : IFR_ACCESS_LOAD;
}

static void append_access(struct ifr_buffer *accesses, const struct ifr_trace_access *access) {
	ifr_buffer_append(accesses, access, sizeof *access);
}

/* Appends one translation block: its accesses in the order of its instructions, recorded ones from the pattern,
 * derived ones from the decoder. */
static void append_translation(const struct translated *part, const struct access_pattern *pattern,
                               struct block_builder *builder) {
	struct ifr_trace_block *block = &builder->block;
	struct ifr_buffer *accesses = &builder->accesses;
	uint16_t event = 0, derived = 0, end = block->bytes;
	uint32_t first_of[512]; /* index of the first access of each instruction */
	for (unsigned i = 0; i < pattern->cut && i < 512; i++) {
		uint8_t length = part->lengths[i] & RING_LENGTH;
		end = (uint16_t)(end + length);
		first_of[i] = (uint32_t)(accesses->length / sizeof(struct ifr_trace_access));
		for (; event < pattern->count && RING_INSN(pattern->accesses[event].tag) == i; event++)
			append_access(accesses, &(struct ifr_trace_access){
										.anchor = IFR_ACCESS_RECORDED,
										.end = end,
										.bytes = (uint8_t)(1U << RING_SHIFT(pattern->accesses[event].tag)),
										.kind = access_kind(pattern->accesses[event].tag)});
		for (; derived < part->block.derived && part->derived[derived].insn == i; derived++) {
			const struct ring_derived *from = &part->derived[derived];
			struct ifr_trace_access access = {
				.offset = from->offset, .end = end, .bytes = (uint8_t)(1U << from->shift), .kind = from->store};
			access.anchor = from->anchor < 0 ? IFR_ACCESS_ABSOLUTE : (int32_t)first_of[from->anchor];
			if (from->anchor < 0)
				access.offset += (int64_t)(part->normalised - block->normalised);
			append_access(accesses, &access);
		}
		block->branch_bytes = length;
	}
	ifr_buffer_append(&builder->code, part->code, (size_t)end - block->bytes);
	block->instructions = (uint16_t)(block->instructions + pattern->cut);
	block->bytes = end;
	bool whole = pattern->cut == part->block.instructions;
	block->branch = whole ? part->block.branch : IFR_BRANCH_NONE;
	block->target = whole ? part->target : 0;
}

static uint8_t find_end(const struct translated *last, const struct access_pattern *pattern, bool limited) {
	if (pattern->cut < last->block.instructions)
		return IFR_END_FAULT;
	switch (last->block.end) {
	case RING_END_BRANCH:
		return IFR_END_BRANCH;
	case RING_END_SYSCALL:
		return IFR_END_SYSTEM_CALL;
	case RING_END_REPEAT:
		return IFR_END_REPEAT;
	default:
		return limited ? IFR_END_LIMIT : IFR_END_INTERRUPTION;
	}
}

static uint32_t find_or_add_block(struct ifr_table *index, const struct block_builder *builder,
                                  struct ifr_trace_writer *writer) {
	const struct ifr_buffer *accesses = &builder->accesses, *code = &builder->code;
	uint64_t hash = ifr_siphash(1, 2, &builder->block, sizeof builder->block);
	hash = ifr_siphash(hash, 3, accesses->data, accesses->length);
	hash = ifr_siphash(hash, 4, code->data, code->length);
	uint32_t id = ifr_table_find(index, hash);
	if (id != IFR_TABLE_NONE)
		return id;
	id = ifr_trace_add_block(writer, &builder->block, (const void *)ifr_buffer_text(accesses),
	                         ifr_buffer_text(code));
	ifr_table_add(index, hash, id);
	return id;
}

/* Makes the block a further iteration of a repeated string instruction, which fetches nothing. */
static void make_iteration(struct block_builder *builder) {
	struct ifr_trace_access *access = (void *)builder->accesses.data;
	builder->block.instructions = builder->block.bytes = builder->block.branch_bytes = 0;
	for (unsigned i = 0; i < builder->block.accesses; i++)
		access[i].end = 0;
	ifr_buffer_clear(&builder->code);
}

uint32_t translations_trace_block(struct translations *translations, uint32_t chain, bool limited,
                                  struct ifr_trace_writer *writer) {
	uint32_t path[4096], depth = 0;
	struct block_builder builder;
	memset(&builder, 0, sizeof builder); /* clears the block's padding, too, which is hashed and written */
	for (uint32_t i = chain; i != NONE && depth < 4096; i = translations->chains[i].parent)
		path[depth++] = translations->chains[i].pattern;
	assert(depth); /* a path has at least the chain itself */
	builder.block.normalised = translations->blocks[translations->patterns[path[depth - 1]].block].normalised;
	while (depth--) {
		const struct access_pattern *pattern = &translations->patterns[path[depth]];
		const struct translated *part = &translations->blocks[pattern->block];
		append_translation(part, pattern, &builder);
		builder.block.end = find_end(part, pattern, limited);
	}
	builder.block.accesses = (uint16_t)(builder.accesses.length / sizeof(struct ifr_trace_access));
	if (translations->chains[chain].repeated)
		make_iteration(&builder);
	uint32_t id = find_or_add_block(&translations->index, &builder, writer);
	translations->chains[chain].block = id;
	ifr_buffer_release(&builder.accesses);
	ifr_buffer_release(&builder.code);
	return id;
}
