/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The survey of a chunk: everything that is the same in every layout, computed once for all lanes.
 *
 * Problem: each stage needs other parts of the chunk, and reading all block executions again for each costs as
 * much as the stage.
 * Idea: one pass over the executions counts blocks, lists the conditional branches, and notes where accesses
 * start. Two sums in one word, of accesses and of conditional branches, need one addition a block (traits). Rare
 * branches (calls, returns, indirect ones) are only noted in the pass, and listed afterwards.
 * Invariant: every list is appended to without a jump: an element is always written, and kept by advancing the
 * count. Lists have room for one element more than the chunk has executions. */
#include "model/replay/stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Moves code that the loop over the executions seldom reaches out of its way. */
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#define KINDS_COPIED 16

void ifr_misses_grow(struct ifr_misses *misses) {
	misses->capacity = misses->capacity ? 2 * misses->capacity : 1024;
	misses->items = ifr_realloc(misses->items, misses->capacity, sizeof *misses->items);
}

static int check_blocks(const struct ifr_pass *pass, size_t from, struct ifr_error *err) {
	const struct ifr_chunk *chunk = pass->chunk;
	for (size_t i = from; i < chunk->blocks_count; i++) {
		const struct ifr_block *block = &chunk->blocks[i];
		if (block->branch > IFR_BRANCH_RETURN ||
		    (size_t)block->first_access + block->accesses > chunk->accesses_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT,
			                "block %zu of the trace has a branch of kind %u and accesses %" PRIu32
			                " to %zu of %zu: "
			                "the trace is damaged, record it again",
			                i, block->branch, block->first_access, (size_t)block->first_access + block->accesses,
			                chunk->accesses_count);
		for (size_t lane = 0; lane < pass->lanes_count; lane++) {
			const struct ifr_geometry *place = &pass->lanes[lane].blocks[i];
			if (!place->bytes != !place->instructions || place->branch_bytes > place->bytes ||
			    (!place->bytes && block->branch != IFR_BRANCH_NONE))
				return ifr_fail(err, IFR_E_BUG,
				                "layout %zu puts block %zu in %u bytes, the last instruction in %u", lane, i,
				                place->bytes, place->branch_bytes);
		}
	}
	return 0;
}

/* A block's trait: its accesses from bit 32 on, bit 0 set if its branch is conditional, and the highest bit if its
 * branch is rare. The sum over a chunk gives two counts at once: a chunk has at most 2^30 executions and accesses.
 */
#define RARE (1ull << 63)
#define MOST_STEPS (1u << 30)

static uint64_t trait_of(const struct ifr_block *block) {
	return (uint64_t)block->accesses << 32 | (block->branch == IFR_BRANCH_CONDITIONAL) |
	       (block->branch > IFR_BRANCH_JUMP ? RARE : 0);
}

static struct ifr_block_data add_accesses(struct ifr_pass *pass, const struct ifr_block *block) {
	const struct ifr_access *accesses = pass->chunk->accesses + block->first_access;
	uint32_t stores = 0, prefetches = 0;
	for (unsigned k = 0; k < block->accesses; k++) {
		pass->access_kinds[block->first_access + k] =
			(uint8_t)((accesses[k].bytes - 1) | accesses[k].store << 6 | accesses[k].prefetch << 7);
		stores += accesses[k].store;
		prefetches += accesses[k].prefetch;
	}
	pass->has_prefetches |= prefetches;
	return (struct ifr_block_data){block->accesses - stores - prefetches, stores, prefetches};
}

/* Takes over the blocks that are new in this chunk. */
static void add_blocks(struct ifr_pass *pass) {
	const size_t count = pass->chunk->blocks_count, old = pass->blocks_count;
	if (count <= old)
		return;
	pass->kinds = ifr_realloc(pass->kinds, count, sizeof *pass->kinds);
	pass->traits = ifr_realloc(pass->traits, count, sizeof *pass->traits);
	pass->block_data = ifr_realloc(pass->block_data, count, sizeof *pass->block_data);
	pass->access_kinds =
		ifr_realloc(pass->access_kinds, pass->chunk->accesses_count + KINDS_COPIED, sizeof *pass->access_kinds);
	pass->block_counts = ifr_realloc(pass->block_counts, count, sizeof *pass->block_counts);
	memset(pass->block_counts + old, 0, (count - old) * sizeof *pass->block_counts);
	for (size_t i = old; i < count; i++) {
		pass->kinds[i] = pass->chunk->blocks[i].branch;
		pass->traits[i] = trait_of(&pass->chunk->blocks[i]);
		pass->block_data[i] = add_accesses(pass, &pass->chunk->blocks[i]);
	}
	pass->blocks_count = count;
}

/* Lists the kind of each access by position, for the data stage. Copies KINDS_COPIED at a time, and so writes up
 * to that many beyond the end. */
static void list_accesses(struct ifr_pass *pass) {
	const struct ifr_chunk *chunk = pass->chunk;
	pass->data_kinds = ifr_realloc(pass->data_kinds, chunk->data_count + KINDS_COPIED, sizeof *pass->data_kinds);
	uint8_t *out = pass->data_kinds;
	for (size_t i = 0; i < chunk->executions_count && chunk->data_count; i++) {
		if (UNLIKELY(chunk->executions[i] == IFR_EXECUTION_BREAK))
			continue;
		const struct ifr_block *block = &chunk->blocks[chunk->executions[i] >> 1];
		const uint8_t *kinds = pass->access_kinds + block->first_access;
		for (unsigned k = 0; k < block->accesses; k += KINDS_COPIED)
			memcpy(out + k, kinds + k, KINDS_COPIED);
		out += block->accesses;
	}
}

static void reserve(struct ifr_stream_list *list, size_t count, bool next) {
	list->executions = ifr_realloc(list->executions, count, sizeof *list->executions);
	if (next)
		list->next = ifr_realloc(list->next, count, sizeof *list->next);
	list->count = 0;
}

/* Appends an element, or (keep false) writes one that the next overwrites: without a jump. */
static inline void append(struct ifr_stream_list *list, uint32_t execution, uint32_t next, bool keep) {
	list->executions[list->count] = execution;
	list->next[list->count] = next;
	list->count += keep;
}

static void list_rare(struct ifr_pass *pass, uint32_t execution, uint32_t next) {
	const uint8_t kind = pass->kinds[execution >> 1];
	if (next == IFR_EXECUTION_BREAK)
		return;
	append(&pass->streams[IFR_STREAM_INDIRECT], execution | 1, next >> 1, ifr_branch_is_indirect(kind));
	append(&pass->calls, execution | 1, next >> 1, kind >= IFR_BRANCH_CALL);
}

static bool is_conditional(const struct ifr_pass *pass, uint32_t execution) {
	return execution != IFR_EXECUTION_BREAK && pass->kinds[execution >> 1] == IFR_BRANCH_CONDITIONAL;
}

/* Lists the last branch of the chunk before, whose successor is this chunk's first block. Returns the number of
 * conditional branches listed: 0 or 1. */
static size_t list_pending(struct ifr_pass *pass, uint32_t pending) {
	const struct ifr_chunk *chunk = pass->chunk;
	if (pending == IFR_EXECUTION_BREAK || !chunk->executions_count || chunk->executions[0] == IFR_EXECUTION_BREAK)
		return 0;
	if (pass->kinds[pending >> 1] > IFR_BRANCH_JUMP)
		list_rare(pass, pending, chunk->executions[0]);
	pass->streams[IFR_STREAM_CONDITIONAL].executions[0] = pending;
	return is_conditional(pass, pending);
}

/* Lists the rare branches at these executions. A branch without a successor within steps_count stays pending. */
static void list_all_rare(struct ifr_pass *pass, const uint32_t *at, size_t count, size_t executions_count) {
	const uint32_t *executions = pass->chunk->executions;
	for (size_t i = 0; i < count && at[i] + 1 < executions_count; i++)
		list_rare(pass, executions[at[i]], executions[at[i] + 1]);
}

/* The pass over the executions. A conditional branch is listed at its own execution, and dropped again if a break
 * follows. Returns the number of executions before the first that names no block: all of them if the chunk is
 * sound. */
static size_t scan_steps(struct ifr_pass *pass, uint32_t pending, uint32_t *data) {
	const uint32_t *executions = pass->chunk->executions;
	const size_t count = pass->chunk->executions_count, blocks_count = pass->chunk->blocks_count;
	const uint64_t *traits = pass->traits;
	uint64_t *block_counts = pass->block_counts;
	uint32_t *conditional = pass->streams[IFR_STREAM_CONDITIONAL].executions, *data_starts = pass->data_starts;
	uint32_t *rare = pass->rare;
	uint64_t sum = list_pending(pass, pending); /* of traits */
	size_t i = 0, rare_count = 0;
	for (; i < count; i++) {
		const uint32_t execution = executions[i], block = execution >> 1;
		if (UNLIKELY(i % IFR_DATA_START_INTERVAL == 0))
			data_starts[i / IFR_DATA_START_INTERVAL] = (uint32_t)(sum >> 32);
		if (UNLIKELY(block >= blocks_count)) {
			if (execution != IFR_EXECUTION_BREAK)
				break;
			sum -= i && is_conditional(pass, executions[i - 1]);
			continue;
		}
		const uint64_t trait = traits[block];
		block_counts[block]++;
		conditional[(uint32_t)sum] = execution;
		sum += trait;
		rare[rare_count] = (uint32_t)i;
		rare_count += trait >> 63;
		sum &= ~RARE;
	}
	list_all_rare(pass, rare, rare_count, i);
	pass->streams[IFR_STREAM_CONDITIONAL].count =
		(uint32_t)sum - (i && i == count && is_conditional(pass, executions[i - 1]));
	*data = (uint32_t)(sum >> 32);
	return i;
}

/* Undoes the block counts of a refused chunk. */
static void uncount_blocks(struct ifr_pass *pass, size_t executions) {
	for (size_t i = 0; i < executions; i++)
		if (pass->chunk->executions[i] != IFR_EXECUTION_BREAK)
			pass->block_counts[pass->chunk->executions[i] >> 1]--;
}

static int scan_chunk(struct ifr_pass *pass, uint32_t pending, struct ifr_error *err) {
	const struct ifr_chunk *chunk = pass->chunk;
	uint32_t data;
	const size_t good = scan_steps(pass, pending, &data);
	if (good == chunk->executions_count && data == chunk->data_count)
		return 0;
	uncount_blocks(pass, good);
	if (good < chunk->executions_count)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "a step of the trace runs block %" PRIu32 " of %zu: the trace is damaged, record it again",
		                chunk->executions[good] >> 1, chunk->blocks_count);
	return ifr_fail(err, IFR_E_ENVIRONMENT,
	                "a chunk of the trace has %zu addresses for %" PRIu32
	                " accesses: it is damaged, record it again",
	                chunk->data_count, data);
}

/* Lists a stream that only some machines need: all branches, or the taken ones. Only a conditional branch can be
 * not taken, whatever its bit says. */
static void list_stream(struct ifr_pass *pass, enum ifr_stream stream, uint32_t last) {
	const struct ifr_chunk *chunk = pass->chunk;
	struct ifr_stream_list list = pass->streams[stream];
	for (size_t i = 0; i < chunk->executions_count; i++) {
		const uint32_t from = last, execution = chunk->executions[i];
		last = execution;
		if (from == IFR_EXECUTION_BREAK || execution == IFR_EXECUTION_BREAK)
			continue;
		const uint8_t kind = pass->kinds[from >> 1];
		const uint32_t branch = from | (kind != IFR_BRANCH_CONDITIONAL);
		append(&list, branch, execution >> 1, (kind != IFR_BRANCH_NONE) & (stream == IFR_STREAM_ALL ? 1 : branch));
	}
	pass->streams[stream] = list;
}

static void reserve_all(struct ifr_pass *pass, size_t count) {
	for (size_t i = 0; i < IFR_STREAM_COUNT; i++)
		reserve(&pass->streams[i], count, i != IFR_STREAM_CONDITIONAL);
	reserve(&pass->calls, count, true);
	pass->rare = ifr_realloc(pass->rare, count, sizeof *pass->rare);
	pass->data_starts =
		ifr_realloc(pass->data_starts, count / IFR_DATA_START_INTERVAL + 1, sizeof *pass->data_starts);
}

int ifr_survey_chunk(struct ifr_pass *pass, uint32_t *pending, struct ifr_error *err) {
	const struct ifr_chunk *chunk = pass->chunk;
	if (chunk->executions_count > MOST_STEPS || chunk->data_count > MOST_STEPS)
		return ifr_fail(err, IFR_E_BUG, "a chunk has %zu executions and %zu accesses: at most 2^30 are in one",
		                chunk->executions_count, chunk->data_count);
	int rc = check_blocks(pass, pass->blocks_count, err);
	if (rc)
		return rc;
	add_blocks(pass);
	reserve_all(pass, chunk->executions_count + 1);
	rc = scan_chunk(pass, *pending, err);
	if (rc)
		return rc;
	list_accesses(pass);
	if (pass->wanted[IFR_STREAM_ALL])
		list_stream(pass, IFR_STREAM_ALL, *pending);
	if (pass->wanted[IFR_STREAM_TAKEN])
		list_stream(pass, IFR_STREAM_TAKEN, *pending);
	*pending = chunk->executions_count ? chunk->executions[chunk->executions_count - 1] : *pending;
	return 0;
}

static void count_branch(struct ifr_counts *counters, uint8_t branch, uint64_t times) {
	if (branch == IFR_BRANCH_NONE)
		return;
	counters->value[IFR_EVENT_BRANCHES] += times;
	if (branch == IFR_BRANCH_CONDITIONAL)
		counters->value[IFR_EVENT_CONDITIONAL_BRANCHES] += times;
	if (ifr_branch_is_indirect(branch))
		counters->value[IFR_EVENT_INDIRECT_BRANCHES] += times;
	if (branch == IFR_BRANCH_RETURN)
		counters->value[IFR_EVENT_RETURNS] += times;
}

/* Counts a line and a page for each access. The data stage counts further lines and pages. */
static void count_data(struct ifr_counts *counters, const struct ifr_block_data *data, uint64_t times) {
	counters->value[IFR_EVENT_L1D_LOADS] += times * data->loads;
	counters->value[IFR_EVENT_L1D_STORES] += times * data->stores;
	counters->value[IFR_EVENT_DTLB_LOADS] += times * data->loads;
	counters->value[IFR_EVENT_DTLB_STORES] += times * data->stores;
	counters->value[IFR_EVENT_PREFETCHES] += times * data->prefetches;
}

void ifr_survey_count(const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	for (size_t i = 0; i < pass->blocks_count; i++) {
		const struct ifr_geometry *place = &pass->lanes[lane].blocks[i];
		const uint64_t times = pass->block_counts[i], last = place->address + place->bytes - 1;
		if (!times)
			continue;
		count_branch(counters, pass->kinds[i], times);
		count_data(counters, &pass->block_data[i], times);
		if (!place->bytes)
			continue;
		for (unsigned shift = 4; shift <= 6; shift++)
			counters->value[IFR_EVENT_WINDOWS_16 + shift - 4] +=
				times * ((last >> shift) - (place->address >> shift) + 1);
		counters->value[IFR_EVENT_INSTRUCTIONS] += times * place->instructions;
		counters->value[IFR_EVENT_L1I_LOADS] +=
			times * ((last >> pass->line_shift) - (place->address >> pass->line_shift) + 1);
		counters->value[IFR_EVENT_ITLB_LOADS] +=
			times * ((last >> pass->page_shift) - (place->address >> pass->page_shift) + 1);
	}
}

void ifr_survey_release(struct ifr_pass *pass) {
	for (size_t i = 0; i < IFR_STREAM_COUNT; i++) {
		free(pass->streams[i].executions);
		free(pass->streams[i].next);
	}
	free(pass->calls.executions);
	free(pass->calls.next);
	free(pass->kinds);
	free(pass->block_counts);
	free(pass->traits);
	free(pass->rare);
	free(pass->block_data);
	free(pass->access_kinds);
	free(pass->data_starts);
	free(pass->data_kinds);
}
