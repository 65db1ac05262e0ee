/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Set conflicts.
 *
 * Problem: a counter of misses says neither which lines miss nor which others take their ways.
 * Idea: one structure is replayed alone, for two layouts side by side, and each line that misses is kept with its number
 * of misses and with its data or code as a normalised address, by which the line is found in the other layout, too.
 * Invariant: the structure sees the touches of the replay's stages, in their order (model/replay/replay.h), so that
 * the sums are the replay's counters. */
#include "model/layout/conflicts.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/layout/conflict_side.h"
#include "model/replay/replay.h"

enum { CHUNK_EXECUTIONS = 16384 };

struct walk {
	const struct ifr_trace_block *blocks;
	const struct ifr_trace_access *accesses;
	enum ifr_conflict_structure structure;
	unsigned line_bytes;
	bool last_byte; /* of branches */
	struct conflict_side sides[2];
};

static bool misses(struct ifr_cache *cache, uint64_t key) {
	return cache->shape.sets && !ifr_cache_touch(cache, key);
}

static void touch_outer(const struct walk *walk, struct conflict_side *side,
                        const struct ifr_conflict_line *line) {
	if (walk->structure != IFR_CONFLICT_L2)
		return;
	conflict_lines_touch(&side->lines, line);
	if (misses(&side->outer, line->key))
		conflict_lines_note(&side->lines, &side->outer, line);
}

/* Fetches the lines of a block from *next on, up to the line that holds the byte before `end`. */
static void fetch_lines(const struct walk *walk, struct conflict_side *side, uint32_t block, uint64_t end,
                        uint64_t *next) {
	const struct ifr_geometry *place = &side->blocks[block];
	for (; *next <= (end - 1) / walk->line_bytes; ++*next) {
		const uint64_t begin = *next * walk->line_bytes;
		const struct ifr_conflict_line line = {
			.key = *next,
			.block = block,
			.access = IFR_CONFLICT_NO_ACCESS,
			.normalised = walk->blocks[block].normalised + (begin > place->address ? begin - place->address : 0)};
		if (walk->structure == IFR_CONFLICT_L1I)
			conflict_lines_touch(&side->lines, &line);
		if (!misses(&side->fetch, *next))
			continue;
		if (walk->structure == IFR_CONFLICT_L1I)
			conflict_lines_note(&side->lines, &side->fetch, &line);
		touch_outer(walk, side, &line);
	}
}

static void touch_data(const struct walk *walk, struct conflict_side *side, uint32_t block, uint32_t access,
                       uint64_t normalised, uint64_t address) {
	const uint64_t end = address + walk->accesses[access].bytes;
	for (uint64_t key = address / walk->line_bytes; key * walk->line_bytes < end; key++) {
		const uint64_t begin = key * walk->line_bytes;
		const struct ifr_conflict_line line = {.key = key,
		                                       .block = block,
		                                       .access = access,
		                                       .normalised = normalised + (begin > address ? begin - address : 0)};
		if (walk->structure == IFR_CONFLICT_L1D)
			conflict_lines_touch(&side->lines, &line);
		if (!misses(&side->data, key))
			continue;
		if (walk->structure == IFR_CONFLICT_L1D)
			conflict_lines_note(&side->lines, &side->data, &line);
		touch_outer(walk, side, &line);
	}
}

/* The byte of a branch by which the machine's predictors know it. */
static uint64_t branch_offset(const struct walk *walk, const struct ifr_geometry *place) {
	return place->bytes - (walk->last_byte ? 1u : place->branch_bytes);
}

static void touch_branch(const struct walk *walk, struct conflict_side *side, uint32_t block) {
	const struct ifr_geometry *place = &side->blocks[block];
	const uint64_t offset = branch_offset(walk, place);
	const struct ifr_conflict_line line = {.key = place->address + offset,
	                                       .block = block,
	                                       .access = IFR_CONFLICT_NO_ACCESS,
	                                       .normalised = walk->blocks[block].normalised + offset};
	unsigned level = 0;
	conflict_lines_touch(&side->lines, &line);
	while (level < side->levels && misses(&side->branches[level], line.key))
		level++;
	if (level == side->levels)
		conflict_lines_note(&side->lines, &side->branches[level - 1], &line);
}

/* A block execution: its instructions are fetched before their accesses. at: of its first access in the chunk. */
static void walk_block(const struct walk *walk, struct conflict_side *side, uint32_t id,
                       const uint64_t *normalised, const uint64_t *addresses) {
	const struct ifr_trace_block *block = &walk->blocks[id];
	const struct ifr_geometry *place = &side->blocks[id];
	uint64_t next = place->address / walk->line_bytes;
	for (uint32_t k = 0; k < block->accesses; k++) {
		const uint32_t access = block->first_access + k;
		if (place->bytes && side->ends[access] && side->ends[access] <= place->bytes)
			fetch_lines(walk, side, id, place->address + side->ends[access], &next);
		touch_data(walk, side, id, access, normalised[k], addresses[k]);
	}
	if (place->bytes)
		fetch_lines(walk, side, id, place->address + place->bytes, &next);
}

bool ifr_conflict_is_of_branches(enum ifr_conflict_structure structure) {
	return structure == IFR_CONFLICT_BTB || structure == IFR_CONFLICT_PREDICTOR;
}

/* The branch of the execution before is looked up if the sequence goes on: in the BTB if it was taken, in the outcome
 * predictor if it is conditional. */
static bool is_looked_up(const struct walk *walk, uint32_t execution) {
	const uint8_t branch =
		execution == IFR_EXECUTION_BREAK ? IFR_BRANCH_NONE : walk->blocks[execution >> 1].branch;
	return walk->structure == IFR_CONFLICT_PREDICTOR ? branch == IFR_BRANCH_CONDITIONAL
	                                                 : ifr_branch_is_taken(branch, execution);
}

static void walk_chunk(const struct walk *walk, struct conflict_side *side, const struct ifr_trace_chunk *chunk,
                       uint32_t before) {
	size_t at = 0;
	for (size_t i = 0; i < chunk->executions_count; before = chunk->executions[i++]) {
		const uint32_t execution = chunk->executions[i];
		if (execution == IFR_EXECUTION_BREAK)
			continue;
		if (!ifr_conflict_is_of_branches(walk->structure))
			walk_block(walk, side, execution >> 1, chunk->normalised + at, side->addresses + at);
		else if (is_looked_up(walk, before))
			touch_branch(walk, side, before >> 1);
		at += walk->blocks[execution >> 1].accesses;
	}
}

static void walk_trace(struct walk *walk, struct ifr_trace *trace) {
	struct ifr_trace_chunk chunk;
	uint32_t before = IFR_EXECUTION_BREAK;
	ifr_trace_rewind(trace);
	for (ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk); chunk.executions_count;
	     ifr_trace_read_chunk(trace, CHUNK_EXECUTIONS, &chunk)) {
		for (unsigned i = 0; i < 2; i++) {
			struct conflict_side *side = &walk->sides[i];
			side->addresses = ifr_realloc(side->addresses, chunk.accesses_count + 1, sizeof *side->addresses);
			ifr_addresses_of(side->map, chunk.normalised, chunk.accesses_count, side->addresses);
			walk_chunk(walk, side, &chunk, before);
		}
		before = chunk.executions[chunk.executions_count - 1];
	}
	ifr_trace_rewind(trace);
}

static uint64_t rise(const uint64_t misses[2]) {
	return misses[1] > misses[0] ? misses[1] - misses[0] : 0;
}

static int by_set(const void *left, const void *right) {
	const struct ifr_conflict_line *a = left, *b = right;
	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	if (a->misses[1] != b->misses[1])
		return a->misses[1] > b->misses[1] ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

static int by_rise(const void *left, const void *right) {
	const struct ifr_conflict_set *a = left, *b = right;
	const uint64_t one = rise(a->misses), other = rise(b->misses);
	if (one != other)
		return one > other ? -1 : 1;
	return (a->set > b->set) - (a->set < b->set);
}

/* The misses, beyond the first, of a line of the second layout's in the first. */
static uint64_t misses_elsewhere(const struct walk *walk, const struct ifr_conflict_line *line) {
	const struct conflict_side *side = &walk->sides[0];
	const struct ifr_geometry *place = &side->blocks[line->block];
	const uint64_t key = ifr_conflict_is_of_branches(walk->structure)
	                         ? place->address + branch_offset(walk, place)
	                         : ifr_address_of(side->map, line->normalised) / walk->line_bytes;
	const uint32_t number = ifr_table_find(&side->lines.numbers, key);
	return number != IFR_TABLE_NONE ? side->lines.items[number].misses[1] - 1 : 0;
}

/* The misses of a set, beyond the first of each line, and the most of one line. */
struct set_misses {
	uint64_t all, most;
};

/* Lines with a tenth of the misses of the set's first, and lines that are there at half of all its misses. */
static bool is_met(const struct ifr_conflict_line *line, const struct set_misses *set) {
	enum { PART = 10 };
	return (line->misses[1] && PART * line->misses[1] >= set->most) || (set->all && 2 * line->met >= set->all);
}

static void list_lines(const struct walk *walk, struct ifr_conflicts *conflicts) {
	const struct conflict_lines *list = &walk->sides[1].lines;
	struct set_misses *sets = ifr_alloc(conflicts->shape.sets * sizeof *sets);
	conflicts->lines = ifr_alloc((list->count + 1) * sizeof *conflicts->lines);
	for (size_t i = 0; i < list->count; i++) {
		struct ifr_conflict_line *line = &list->items[i];
		line->set = (uint32_t)ifr_cache_set(&conflicts->shape, line->key);
		const uint64_t again = --line->misses[1];
		sets[line->set].all += again;
		sets[line->set].most = again > sets[line->set].most ? again : sets[line->set].most;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct ifr_conflict_line *line = &list->items[i];
		if (!is_met(line, &sets[line->set]))
			continue;
		line->misses[0] = misses_elsewhere(walk, line);
		conflicts->lines[conflicts->line_count++] = *line;
	}
	if (conflicts->line_count)
		qsort(conflicts->lines, conflicts->line_count, sizeof *conflicts->lines, by_set);
	free(sets);
}

static void list_sets(struct ifr_conflicts *conflicts) {
	conflicts->sets = ifr_alloc((conflicts->line_count + 1) * sizeof *conflicts->sets);
	for (size_t i = 0, end; i < conflicts->line_count; i = end) {
		struct ifr_conflict_set set = {.set = conflicts->lines[i].set, .first = i};
		for (end = i; end < conflicts->line_count && conflicts->lines[end].set == set.set; end++)
			for (unsigned j = 0; j < 2; j++)
				set.misses[j] += conflicts->lines[end].misses[j];
		set.count = end - i;
		if (rise(set.misses))
			conflicts->sets[conflicts->set_count++] = set;
	}
	if (conflicts->set_count)
		qsort(conflicts->sets, conflicts->set_count, sizeof *conflicts->sets, by_rise);
}

int ifr_conflicts_count(struct ifr_trace *trace, const struct ifr_address_map *const maps[2],
                        const struct ifr_machine *machine, enum ifr_conflict_structure structure,
                        struct ifr_conflicts *conflicts, struct ifr_error *err) {
	struct walk walk = {.structure = structure,
	                    .line_bytes = ifr_machine_line_bytes(machine),
	                    .last_byte = machine->values[IFR_CORE_BRANCH_BYTE]};
	int result = 0;
	*conflicts = (struct ifr_conflicts){.shape = conflict_shape(machine, structure)};
	if (!conflicts->shape.sets)
		return ifr_fail(err, IFR_E_USAGE, "the machine has no such structure");
	if (ifr_address_map_has_instructions(maps[0]) || ifr_address_map_has_instructions(maps[1]))
		return ifr_fail(err, IFR_E_USAGE, "set conflicts are not told where the compiler's axes vary");
	ifr_trace_blocks(trace, &walk.blocks);
	ifr_trace_accesses(trace, &walk.accesses);
	for (unsigned i = 0; i < 2 && !result; i++)
		result = conflict_side_open(&walk.sides[i], trace, maps[i], machine, structure, err);
	if (!result) {
		walk_trace(&walk, trace);
		list_lines(&walk, conflicts);
		list_sets(conflicts);
	}
	for (unsigned i = 0; i < 2; i++) {
		conflicts->misses[i] = walk.sides[i].lines.misses;
		conflict_side_close(&walk.sides[i]);
	}
	return result;
}

void ifr_conflicts_release(struct ifr_conflicts *conflicts) {
	free(conflicts->lines);
	free(conflicts->sets);
	*conflicts = (struct ifr_conflicts){0};
}
