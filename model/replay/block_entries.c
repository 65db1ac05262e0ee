/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/block_entries.h"

#include <stdlib.h>

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

struct pair {
	struct code before, own;
	bool falls; /* the branch between them is not taken */
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
	/* The last two blocks; depth says how many there are. */
	struct code before, own;
	unsigned depth;
	bool falls, direct;
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

/* Whether the pair has an entry in this layout, and may lose it. */
static bool has_entry(const struct ifr_geometry *blocks, const struct pair *pair) {
	const uint64_t line = blocks[pair->own.start].address >> LINE_SHIFT;
	return last_byte(&blocks[pair->own.end]) >> LINE_SHIFT == line &&
	       (!pair->falls || last_byte(&blocks[pair->before.end]) >> LINE_SHIFT == line);
}

static uint64_t hashes_of(const struct ifr_geometry *blocks, const struct pair *pair) {
	return (uint64_t)ifr_block_hash(blocks[pair->own.start].address) << IFR_BLOCK_BEFORE_BITS |
	       ifr_block_before_hash(last_entry(blocks, pair->before));
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
	const uint64_t hashes = hashes_of(blocks, pair), start = blocks[pair->own.start].address;
	const struct pair *other = NULL;
	const struct share *shared = NULL;
	uint32_t value;
	for (size_t probe = 0; !shared && (value = ifr_table_next(table, hashes, &probe)) != IFR_TABLE_NONE;) {
		shared = find_share(&entries->pairs[value], lane);
		if (blocks[entries->pairs[value].own.start].address != start &&
		    (pair->falls || entries->pairs[value].falls))
			other = &entries->pairs[value];
	}
	if (shared)
		add_share(pair, lane, shared->owner);
	else if (other) {
		const uint32_t owner = add_owner(entries, blocks[other->own.start].address);
		for (size_t probe = 0; (value = ifr_table_next(table, hashes, &probe)) != IFR_TABLE_NONE;)
			add_share(&entries->pairs[value], lane, owner);
		add_share(pair, lane, owner);
	}
	ifr_table_add(&entries->lanes[lane], hashes, number);
}

static uint64_t key_of(const struct pair *pair) {
	const uint32_t words[] = {pair->before.start, pair->before.end, pair->own.start, pair->own.end, pair->falls};
	uint64_t key = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		key = (key ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ key >> 29;
	return key;
}

static bool is_same(const struct pair *a, const struct pair *b) {
	return a->before.start == b->before.start && a->before.end == b->before.end && a->own.start == b->own.start &&
	       a->own.end == b->own.end && a->falls == b->falls;
}

static struct pair *find_pair(struct ifr_block_entries *entries, const struct ifr_pass *pass,
                              const struct pair *wanted) {
	const uint64_t key = key_of(wanted);
	uint32_t number;
	for (size_t probe = 0; (number = ifr_table_next(&entries->numbers, key, &probe)) != IFR_TABLE_NONE;)
		if (is_same(&entries->pairs[number], wanted))
			return &entries->pairs[number];
	if (entries->pairs_count == entries->pairs_room) {
		entries->pairs_room = 2 * entries->pairs_room + 256;
		entries->pairs = ifr_realloc(entries->pairs, entries->pairs_room, sizeof *entries->pairs);
	}
	number = (uint32_t)entries->pairs_count++;
	entries->pairs[number] = *wanted;
	ifr_table_add(&entries->numbers, key, number);
	for (uint32_t lane = 0; lane < entries->lanes_count; lane++)
		if (has_entry(pass->lanes[lane].blocks, wanted))
			join(entries, pass->lanes[lane].blocks, lane, number);
	return &entries->pairs[number];
}

/* --- the sequence --------------------------------------------------------------------------------------------- */

static void use_entry(struct ifr_block_entries *entries, const struct ifr_pass *pass, const struct pair *pair,
                      size_t i) {
	for (size_t k = 0; k < pair->shares_count; k++) {
		const struct share *share = &pair->shares[k];
		const uint64_t start = pass->lanes[share->lane].blocks[pair->own.start].address;
		if (entries->owners[share->owner] != start)
			ifr_marks_add(&entries->marks[share->lane], (uint32_t)i);
		entries->owners[share->owner] = start;
	}
}

void ifr_block_entries_follow(struct ifr_block_entries *entries, const struct ifr_pass *pass, uint32_t before,
                              size_t i) {
	const uint8_t kind = pass->kinds[before >> 1];
	const bool taken = ifr_branch_is_taken(kind, before);
	entries->own.end = before >> 1;
	if (entries->depth == 2 && entries->direct) {
		const struct pair wanted = {entries->before, entries->own, entries->falls, NULL, 0};
		use_entry(entries, pass, find_pair(entries, pass, &wanted), i);
	}
	entries->before = entries->own;
	entries->own.start = pass->chunk->executions[i] >> 1;
	entries->depth += entries->depth < 2;
	entries->falls = !taken;
	entries->direct = !taken || kind == IFR_BRANCH_CONDITIONAL || kind == IFR_BRANCH_JUMP;
}
