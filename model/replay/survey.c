/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a chunk is the same in every layout, found once for all lanes. */
#include "model/replay/stages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
			if (!place->bytes || place->branch_bytes > place->bytes)
				return ifr_fail(err, IFR_E_BUG,
				                "layout %zu puts block %zu in %u bytes, the last instruction in %u", lane, i,
				                place->bytes, place->branch_bytes);
		}
	}
	return 0;
}

int ifr_survey_check(const struct ifr_pass *pass, struct ifr_error *err) {
	const struct ifr_chunk *chunk = pass->chunk;
	const int rc = check_blocks(pass, pass->blocks_count, err);
	if (rc)
		return rc;
	if (chunk->steps_count > UINT32_MAX || chunk->data_count > UINT32_MAX)
		return ifr_fail(err, IFR_E_BUG, "a chunk has %zu steps and %zu accesses: at most 2^32 - 1 are in one",
		                chunk->steps_count, chunk->data_count);
	size_t data = 0;
	for (size_t i = 0; i < chunk->steps_count; i++) {
		if (chunk->steps[i] == IFR_STEP_BREAK)
			continue;
		if (chunk->steps[i] >> 1 >= chunk->blocks_count)
			return ifr_fail(err, IFR_E_ENVIRONMENT,
			                "step %zu of the trace runs block %" PRIu32
			                " of %zu: the trace is damaged, record it again",
			                i, chunk->steps[i] >> 1, chunk->blocks_count);
		data += chunk->blocks[chunk->steps[i] >> 1].accesses;
	}
	if (data != chunk->data_count)
		return ifr_fail(err, IFR_E_ENVIRONMENT,
		                "a chunk of the trace has %zu addresses for %zu accesses: it is damaged, record it again",
		                chunk->data_count, data);
	return 0;
}

static void reserve(struct ifr_stream_list *list, size_t count) {
	list->steps = ifr_realloc(list->steps, count, sizeof *list->steps);
	list->next = ifr_realloc(list->next, count, sizeof *list->next);
	list->count = 0;
}

/* Appends without a branch of its own: what is not kept is written over by the next. */
static inline void append(struct ifr_stream_list *list, uint32_t step, uint32_t next, bool keep) {
	list->steps[list->count] = step;
	list->next[list->count] = next;
	list->count += keep;
}

static inline void sort_branch(struct ifr_pass *pass, uint32_t step, uint32_t next, uint8_t kind) {
	struct ifr_stream_list *streams = pass->streams;
	if (pass->wanted[IFR_STREAM_ALL])
		append(&streams[IFR_STREAM_ALL], step, next, kind != IFR_BRANCH_NONE);
	if (pass->wanted[IFR_STREAM_CONDITIONAL])
		append(&streams[IFR_STREAM_CONDITIONAL], step, next, kind == IFR_BRANCH_CONDITIONAL);
	if (pass->wanted[IFR_STREAM_TAKEN])
		append(&streams[IFR_STREAM_TAKEN], step, next, step & (kind != IFR_BRANCH_NONE));
	if (ifr_branch_is_indirect(kind) && pass->wanted[IFR_STREAM_INDIRECT])
		append(&streams[IFR_STREAM_INDIRECT], step, next, true);
	if (kind >= IFR_BRANCH_CALL)
		append(&pass->calls, step, next, true);
}

/* Blocks not seen before. */
static void know_blocks(struct ifr_pass *pass) {
	const size_t count = pass->chunk->blocks_count, old = pass->blocks_count;
	if (count <= old)
		return;
	pass->kinds = ifr_realloc(pass->kinds, count, sizeof *pass->kinds);
	pass->block_counts = ifr_realloc(pass->block_counts, count, sizeof *pass->block_counts);
	memset(pass->block_counts + old, 0, (count - old) * sizeof *pass->block_counts);
	for (size_t i = old; i < count; i++)
		pass->kinds[i] = pass->chunk->blocks[i].branch;
	pass->blocks_count = count;
}

/* Steps from one break to the next, or to the end; returns where it stopped. */
static size_t survey_run(struct ifr_pass *pass, size_t at, uint32_t *pending, uint32_t *data) {
	const struct ifr_chunk *chunk = pass->chunk;
	uint32_t last = *pending;
	size_t i = at;
	for (; i < chunk->steps_count && chunk->steps[i] != IFR_STEP_BREAK; i++) {
		const uint32_t block = chunk->steps[i] >> 1;
		const uint8_t kind = pass->kinds[block];
		pass->data_starts[i] = *data;
		*data += chunk->blocks[block].accesses;
		pass->block_counts[block]++;
		if (last != IFR_STEP_BREAK)
			sort_branch(pass, last, block, pass->kinds[last >> 1]);
		/* Only conditional branches can be not taken, whatever the bit says. */
		last = chunk->steps[i] | (kind != IFR_BRANCH_CONDITIONAL);
	}
	*pending = last;
	return i;
}

void ifr_survey(struct ifr_pass *pass, uint32_t *pending) {
	const size_t count = pass->chunk->steps_count;
	uint32_t data = 0;
	know_blocks(pass);
	for (size_t i = 0; i < IFR_STREAM_COUNT; i++)
		if (pass->wanted[i])
			reserve(&pass->streams[i], count + 1);
	reserve(&pass->calls, count + 1);
	pass->data_starts = ifr_realloc(pass->data_starts, count + 1, sizeof *pass->data_starts);
	for (size_t i = 0; i < count; i++) {
		i = survey_run(pass, i, pending, &data);
		if (i < count)
			*pending = IFR_STEP_BREAK;
	}
}

static void count_branch(struct ifr_counters *counters, uint8_t branch, uint64_t times) {
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

void ifr_survey_count(const struct ifr_pass *pass, size_t lane, struct ifr_counters *counters) {
	for (size_t i = 0; i < pass->blocks_count; i++) {
		const struct ifr_geometry *place = &pass->lanes[lane].blocks[i];
		const uint64_t times = pass->block_counts[i], last = place->address + place->bytes - 1;
		if (!times)
			continue;
		count_branch(counters, pass->kinds[i], times);
		counters->value[IFR_EVENT_INSTRUCTIONS] += times * place->instructions;
		counters->value[IFR_EVENT_L1I_LOADS] +=
			times * ((last >> pass->line_shift) - (place->address >> pass->line_shift) + 1);
		counters->value[IFR_EVENT_ITLB_LOADS] +=
			times * ((last >> pass->page_shift) - (place->address >> pass->page_shift) + 1);
	}
}

void ifr_survey_release(struct ifr_pass *pass) {
	for (size_t i = 0; i < IFR_STREAM_COUNT; i++) {
		free(pass->streams[i].steps);
		free(pass->streams[i].next);
	}
	free(pass->calls.steps);
	free(pass->calls.next);
	free(pass->kinds);
	free(pass->block_counts);
	free(pass->data_starts);
}
