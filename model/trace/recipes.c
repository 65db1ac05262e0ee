/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recipes: of each block, the stored accesses and the derived ones, so that each kind is decoded in a loop without a
 * decision for each access; and the blocks as the reader's user sees them. */
#include <stdlib.h>

#include "model/trace/paths.h"
#include "model/trace/reader.h"

/* Numbers the accesses of a block as they are shown. A prefetch that is not shown gets the number behind the last one:
 * its address goes where the next block's first access overwrites it. Returns how many are shown. */
static uint16_t number_accesses(const struct ifr_trace *trace, const struct ifr_trace_block *block,
                                bool prefetches, uint16_t *numbers) {
	const struct ifr_trace_access *accesses = trace->accesses + block->first_access;
	uint16_t shown = 0;
	for (unsigned i = 0; i < block->accesses; i++)
		numbers[i] = prefetches || accesses[i].kind != IFR_ACCESS_PREFETCH ? shown++ : UINT16_MAX;
	for (unsigned i = 0; i < block->accesses; i++)
		if (numbers[i] == UINT16_MAX && !prefetches)
			numbers[i] = shown;
	return shown;
}

static void prepare_recipe(struct ifr_trace *trace, size_t id, const uint16_t *numbers, uint32_t *followed) {
	const struct ifr_trace_block *block = &trace->blocks[id];
	struct block_recipe *recipe = &trace->recipes[id];
	*recipe = (struct block_recipe){.first_coder = (uint32_t)trace->coder_count, .first_followed = *followed};
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &trace->accesses[block->first_access + i];
		if (access->anchor == IFR_ACCESS_RECORDED) {
			trace->recorded[trace->coder_count++] = numbers[i];
			recipe->recorded++;
			continue;
		}
		const uint64_t base = access->anchor == IFR_ACCESS_ABSOLUTE ? block->normalised : 0;
		trace->followed[(*followed)++] =
			(struct followed){base + (uint64_t)access->offset,
		                      access->anchor < 0 ? access->anchor : numbers[access->anchor], numbers[i]};
		recipe->followed++;
	}
}

/* Appends a block to those that are shown. */
static void show_block(struct ifr_trace *trace, size_t id, uint16_t count, const uint16_t *numbers) {
	const struct ifr_trace_block *block = &trace->blocks[id];
	struct ifr_trace_block *shown = &trace->shown_blocks[id];
	struct ifr_trace_access *accesses = trace->shown_accesses + trace->shown_access_count;
	*shown = *block;
	shown->accesses = count;
	shown->first_access = (uint32_t)trace->shown_access_count;
	for (unsigned i = 0; i < block->accesses; i++) {
		const struct ifr_trace_access *access = &trace->accesses[block->first_access + i];
		if (numbers[i] == count)
			continue;
		accesses[numbers[i]] = *access;
		if (access->anchor >= 0)
			accesses[numbers[i]].anchor = numbers[access->anchor];
	}
	trace->shown_access_count += count;
}

void trace_prepare_sequence(struct ifr_trace *trace, bool prefetches) {
	uint32_t followed = 0;
	uint16_t *numbers = ifr_alloc((UINT16_MAX + 1) * sizeof *numbers);
	trace->recipes = ifr_alloc((trace->block_count + 1) * sizeof *trace->recipes);
	trace->recorded = ifr_alloc((trace->access_count + 1) * sizeof *trace->recorded);
	trace->followed = ifr_alloc((trace->access_count + 1) * sizeof *trace->followed);
	trace->shown_blocks = ifr_alloc((trace->block_count + 1) * sizeof *trace->shown_blocks);
	trace->shown_accesses = ifr_alloc((trace->access_count + 1) * sizeof *trace->shown_accesses);
	trace->coder_count = trace->shown_access_count = 0;
	for (size_t i = 0; i < trace->block_count; i++) {
		const uint16_t shown = number_accesses(trace, &trace->blocks[i], prefetches, numbers);
		prepare_recipe(trace, i, numbers, &followed);
		show_block(trace, i, shown, numbers);
	}
	free(numbers);
	trace->coders = ifr_alloc((trace->coder_count + 1) * sizeof *trace->coders);
	trace->execution_coder = ifr_alloc(sizeof *trace->execution_coder);
	trace->paths = ifr_alloc(sizeof *trace->paths << PATH_BITS);
	trace->path_keys = ifr_alloc(sizeof *trace->path_keys << PATH_BITS);
	ifr_trace_rewind(trace);
}

void ifr_trace_keep_prefetches(struct ifr_trace *trace) {
	trace_release_sequence(trace);
	trace->executions = NULL;
	trace->normalised = NULL;
	trace->execution_room = trace->normalised_room = 0;
	trace_prepare_sequence(trace, true);
}

bool ifr_trace_hides_prefetches(const struct ifr_trace *trace) {
	return trace->shown_access_count < trace->access_count;
}

void trace_release_sequence(struct ifr_trace *trace) {
	free(trace->recipes);
	free(trace->shown_blocks);
	free(trace->shown_accesses);
	free(trace->recorded);
	free(trace->followed);
	free(trace->coders);
	free(trace->execution_coder);
	free(trace->paths);
	free(trace->path_keys);
	free(trace->executions);
	free(trace->normalised);
}
