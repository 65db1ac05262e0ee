/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/optimize/shared_entries.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"

enum { WINDOW = 64 };

/* Branches whose keys are equal share an entry, or a set of `ways` entries. */
struct keyed {
	uint64_t key, executions;
	size_t block;
};

static int by_key(const void *a, const void *b) {
	const struct keyed *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->executions != y->executions)
		return x->executions > y->executions ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

static int by_executions(const void *a, const void *b) {
	const struct shared_pair *x = a, *y = b;
	if (x->executions != y->executions)
		return x->executions > y->executions ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* The sets of the largest BTB; 0: there is none. */
static unsigned find_btb(const struct ifr_machine *machine, unsigned *ways, unsigned *index_bit) {
	static const enum ifr_setting levels[] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	unsigned entries = 0, sets = 0;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		const unsigned *values = &machine->values[levels[i]];
		if (values[0] <= entries)
			continue;
		entries = values[0];
		*ways = values[1];
		*index_bit = values[2];
		sets = entries / values[1];
	}
	return sets;
}

/* The predictors' address of a branch. */
static uint64_t find_branch(const struct ifr_machine *machine, const struct placed_block *block) {
	const bool last = machine->values[IFR_CORE_BRANCH_BYTE] != 0;
	return block->address + block->bytes - (last ? 1 : block->branch_bytes);
}

/* Blocks that begin inside one another end with the same branch, which counts once, with all executions. */
static size_t find_branches(const struct ifr_machine *machine, const struct placed_block *blocks, size_t count,
                            struct keyed *branches) {
	size_t found = 0, kept = 0;
	for (size_t i = 0; i < count; i++)
		if (blocks[i].branch_bytes)
			branches[found++] = (struct keyed){find_branch(machine, &blocks[i]), blocks[i].executions, i};
	qsort(branches, found, sizeof *branches, by_key);
	for (size_t i = 0; i < found; i++) {
		if (kept && branches[kept - 1].key == branches[i].key)
			branches[kept - 1].executions += branches[i].executions;
		else
			branches[kept++] = branches[i];
	}
	return kept;
}

struct search {
	struct shared_pair *pairs;
	size_t count;
	struct shared_counts *counts;
	const struct placed_block *blocks;
};

/* Branches of equal keys, the most executed first, that are more than fit. */
static void note_group(struct search *search, enum shared_structure structure, const struct keyed *group,
                       size_t count) {
	search->pairs[search->count++] =
		(struct shared_pair){structure, group[0].block, group[1].block, group[1].executions};
	for (size_t i = 0; i < count; i++)
		search->counts[search->blocks[group[i].block].owner].shared[structure] += group[i].executions;
}

static void find_groups(struct search *search, enum shared_structure structure, struct keyed *keyed, size_t count,
                        size_t fits) {
	qsort(keyed, count, sizeof *keyed, by_key);
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count && keyed[next].key == keyed[first].key; next++)
			;
		if (next - first > fits)
			note_group(search, structure, &keyed[first], next - first);
	}
}

/* Windows beyond the fewest that so many bytes can enter. */
static uint64_t count_windows(const struct placed_block *block, unsigned window) {
	const uint64_t entered = (block->address + block->bytes - 1) / window - block->address / window + 1,
				   fewest = (block->bytes + window - 1) / window;
	return (entered - fewest) * block->executions;
}

size_t shared_entries_find(const struct ifr_machine *machine, const struct placed_block *blocks, size_t count,
                           struct shared_pair **pairs, struct shared_counts *counts) {
	const unsigned window = machine->values[IFR_OP_CACHE_WINDOW] ? machine->values[IFR_OP_CACHE_WINDOW] : WINDOW;
	const uint64_t span = ifr_machine_predictor_span(machine);
	unsigned ways = 0, index_bit = 0;
	const unsigned sets = find_btb(machine, &ways, &index_bit);
	struct keyed *keyed = ifr_alloc((count + 1) * sizeof *keyed);
	struct search search = {
		.pairs = ifr_alloc((2 * count + 1) * sizeof *search.pairs), .counts = counts, .blocks = blocks};
	const size_t branches = find_branches(machine, blocks, count, keyed);
	for (size_t i = 0; i < count; i++)
		counts[blocks[i].owner].windows += count_windows(&blocks[i], window);
	for (size_t i = 0; i < branches && span; i++)
		keyed[i].key %= span;
	if (span)
		find_groups(&search, SHARED_PREDICTOR, keyed, branches, 1);
	for (size_t i = 0; i < branches && sets; i++)
		keyed[i].key = (find_branch(machine, &blocks[keyed[i].block]) >> index_bit) % sets;
	if (sets)
		find_groups(&search, SHARED_BTB, keyed, branches, ways);
	free(keyed);
	qsort(search.pairs, search.count, sizeof *search.pairs, by_executions);
	*pairs = search.pairs;
	return search.count;
}
