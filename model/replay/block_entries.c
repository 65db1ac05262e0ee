/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/block_entries.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/table.h"

enum { LINE_SHIFT = 6 };

/* A block of code: trace blocks from start to end. */
struct code {
	uint32_t start, end;
};

/* A block's entry in one lane, which another block shares. */
struct share {
	uint32_t lane, owner; /* owner: an index */
};

/* A block and the one before. All words count when two are compared. */
struct blocks {
	struct code before, own;
	uint32_t falls; /* 1: the branch between them is not taken */
};

struct pair {
	struct blocks blocks;
	struct share *shares;
	size_t shares_count;
};

struct ifr_block_entries {
	size_t lanes_count;
	struct pair *pairs;
	size_t pairs_count, pairs_room;
	struct ifr_table numbers; /* of pairs */
	struct ifr_table *lanes;  /* by lane: pairs by their hashes */
	uint64_t *owners;         /* by index: where the block begins that had the entry last */
	size_t owners_count, owners_room;
	struct ifr_marks *marks; /* by lane */
	struct blocks last;
	unsigned depth; /* how many of the last two there are */
	bool direct;    /* the branch between them is a direct jump, or not taken */
};

struct ifr_block_entries *ifr_block_entries_new(const struct ifr_pass *pass) {
	if (!pass->machine->values[IFR_FETCH_BLOCK_TAG])
		return NULL;
	struct ifr_block_entries *entries = ifr_alloc(sizeof *entries);
	entries->lanes_count = pass->lanes_count;
	entries->lanes = ifr_alloc(pass->lanes_count * sizeof *entries->lanes);
	entries->marks = ifr_alloc(pass->lanes_count * sizeof *entries->marks);
	return entries;
}

void ifr_block_entries_free(struct ifr_block_entries *entries) {
	if (!entries)
		return;
	for (size_t i = 0; i < entries->lanes_count; i++) {
		ifr_table_release(&entries->lanes[i]);
		free(entries->marks[i].items);
	}
	for (size_t i = 0; i < entries->pairs_count; i++)
		free(entries->pairs[i].shares);
	ifr_table_release(&entries->numbers);
	free(entries->lanes);
	free(entries->marks);
	free(entries->pairs);
	free(entries->owners);
	free(entries);
}

void ifr_block_entries_begin(struct ifr_block_entries *entries) {
	for (size_t i = 0; i < entries->lanes_count; i++)
		entries->marks[i].count = 0;
}

void ifr_block_entries_cut(struct ifr_block_entries *entries) {
	entries->depth = 0;
}

const struct ifr_marks *ifr_block_entries_marks(const struct ifr_block_entries *entries, size_t lane) {
	return &entries->marks[lane];
}

/* --- a pair in one layout ------------------------------------------------------------------------------------- */

static uint64_t last_byte(const struct ifr_geometry *block) {
	return block->address + block->bytes - 1;
}

/* Where the last line of a block of code is entered. */
static uint64_t last_entry(const struct ifr_geometry *blocks, struct code code) {
	const uint64_t start = blocks[code.start].address, line = last_byte(&blocks[code.end]) >> LINE_SHIFT;
	return start >> LINE_SHIFT == line ? start : line << LINE_SHIFT;
}

/* Whether a block has an entry in this layout, and may lose it. */
static bool has_entry(const struct ifr_geometry *blocks, const struct blocks *of) {
	const uint64_t line = blocks[of->own.start].address >> LINE_SHIFT;
	return last_byte(&blocks[of->own.end]) >> LINE_SHIFT == line &&
	       (!of->falls || last_byte(&blocks[of->before.end]) >> LINE_SHIFT == line);
}

static uint64_t hashes_of(const struct ifr_geometry *blocks, const struct blocks *of) {
	return (uint64_t)ifr_block_hash(blocks[of->own.start].address) << IFR_BLOCK_BEFORE_BITS |
	       ifr_block_before_hash(last_entry(blocks, of->before));
}

/* --- new pairs ------------------------------------------------------------------------------------------------ */

static void add_share(struct pair *pair, uint32_t lane, uint32_t owner) {
	pair->shares = ifr_realloc(pair->shares, pair->shares_count + 1, sizeof *pair->shares);
	pair->shares[pair->shares_count++] = (struct share){lane, owner};
}

static uint32_t add_owner(struct ifr_block_entries *entries, uint64_t address) {
	if (entries->owners_count == entries->owners_room) {
		entries->owners_room = 2 * entries->owners_room + 16;
		entries->owners = ifr_realloc(entries->owners, entries->owners_room, sizeof *entries->owners);
	}
	entries->owners[entries->owners_count] = address;
	return (uint32_t)entries->owners_count++;
}

/* The pair's share in a lane; NULL if it has none. */
static const struct share *find_share(const struct pair *pair, uint32_t lane) {
	for (size_t i = 0; i < pair->shares_count; i++)
		if (pair->shares[i].lane == lane)
			return &pair->shares[i];
	return NULL;
}

/* Adds a pair to the others with its hashes. Those of one block have one entry without loss; and so have, in programs,
 * two that only taken branches lead to. */
static void join(struct ifr_block_entries *entries, const struct ifr_geometry *blocks, uint32_t lane,
                 uint32_t number) {
	const struct ifr_table *table = &entries->lanes[lane];
	struct pair *pair = &entries->pairs[number];
	const uint64_t hashes = hashes_of(blocks, &pair->blocks), start = blocks[pair->blocks.own.start].address;
	const struct pair *other = NULL;
	const struct share *shared = NULL;
	uint32_t value;
	for (size_t probe = 0; !shared && (value = ifr_table_next(table, hashes, &probe)) != IFR_TABLE_NONE;) {
		const struct pair *candidate = &entries->pairs[value];
		shared = find_share(candidate, lane);
		if (blocks[candidate->blocks.own.start].address != start &&
		    (pair->blocks.falls || candidate->blocks.falls))
			other = candidate;
	}
	if (shared)
		add_share(pair, lane, shared->owner);
	else if (other) {
		const uint32_t owner = add_owner(entries, blocks[other->blocks.own.start].address);
		for (size_t probe = 0; (value = ifr_table_next(table, hashes, &probe)) != IFR_TABLE_NONE;)
			add_share(&entries->pairs[value], lane, owner);
		add_share(pair, lane, owner);
	}
	ifr_table_add(&entries->lanes[lane], hashes, number);
}

/* The pair of the last blocks. */
static struct pair *find_pair(struct ifr_block_entries *entries, const struct ifr_pass *pass) {
	const struct blocks *last = &entries->last;
	const uint64_t key = ifr_table_hash((const uint32_t *)last, sizeof *last / sizeof(uint32_t));
	uint32_t number;
	for (size_t probe = 0; (number = ifr_table_next(&entries->numbers, key, &probe)) != IFR_TABLE_NONE;)
		if (!memcmp(&entries->pairs[number].blocks, last, sizeof *last))
			return &entries->pairs[number];
	if (entries->pairs_count == entries->pairs_room) {
		entries->pairs_room = 2 * entries->pairs_room + 256;
		entries->pairs = ifr_realloc(entries->pairs, entries->pairs_room, sizeof *entries->pairs);
	}
	number = (uint32_t)entries->pairs_count++;
	entries->pairs[number] = (struct pair){.blocks = *last};
	ifr_table_add(&entries->numbers, key, number);
	for (uint32_t lane = 0; lane < entries->lanes_count; lane++)
		if (has_entry(pass->lanes[lane].blocks, last))
			join(entries, pass->lanes[lane].blocks, lane, number);
	return &entries->pairs[number];
}

/* --- the sequence --------------------------------------------------------------------------------------------- */

static void use_entry(struct ifr_block_entries *entries, const struct ifr_pass *pass, const struct pair *pair,
                      size_t i) {
	for (size_t k = 0; k < pair->shares_count; k++) {
		const struct share *share = &pair->shares[k];
		const uint64_t start = pass->lanes[share->lane].blocks[pair->blocks.own.start].address;
		if (entries->owners[share->owner] != start)
			ifr_marks_add(&entries->marks[share->lane], (uint32_t)i);
		entries->owners[share->owner] = start;
	}
}

void ifr_block_entries_follow(struct ifr_block_entries *entries, const struct ifr_pass *pass, uint32_t before,
                              size_t i) {
	const uint8_t kind = pass->kinds[before >> 1];
	const bool taken = ifr_branch_is_taken(kind, before);
	struct blocks *last = &entries->last;
	last->own.end = before >> 1;
	if (entries->depth == 2 && entries->direct)
		use_entry(entries, pass, find_pair(entries, pass), i);
	*last = (struct blocks){last->own, {.start = pass->chunk->executions[i] >> 1}, !taken};
	entries->depth += entries->depth < 2;
	entries->direct = !taken || kind == IFR_BRANCH_CONDITIONAL || kind == IFR_BRANCH_JUMP;
}
