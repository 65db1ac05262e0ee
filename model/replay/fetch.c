/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instruction fetch, lane by lane: L1I and ITLB. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct fetch_lane {
	struct ifr_cache lines, pages;
	uint64_t line_misses, page_misses;
	uint64_t last_line, last_page; /* of the fetch before: most recently used, so a hit that changes nothing */
};

static void *create_fetch(const struct ifr_pass *pass) {
	struct fetch_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		ifr_cache_init(&lanes[i].lines, ifr_machine_cache_shape(pass->machine, IFR_L1I_BYTES));
		ifr_cache_init(&lanes[i].pages, ifr_machine_tlb_shape(pass->machine, IFR_ITLB_ENTRIES));
		lanes[i].last_line = lanes[i].last_page = IFR_CACHE_EMPTY;
	}
	return lanes;
}

static void destroy_fetch(void *state, const struct ifr_pass *pass) {
	struct fetch_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		ifr_cache_release(&lanes[i].lines);
		ifr_cache_release(&lanes[i].pages);
	}
	free(lanes);
}

/* Counts the block's accesses that come before the instruction at this offset. */
static uint32_t accesses_before(const struct ifr_block *block, const struct ifr_lane *lane, uint64_t offset) {
	const uint16_t *ends = lane->access_ends + block->first_access;
	uint32_t count = 0;
	while (count < block->accesses && ends[count] <= offset)
		count++;
	return count;
}

/* Position of the first access of a block execution. */
static uint32_t data_start(const struct ifr_pass *pass, size_t execution) {
	const struct ifr_chunk *chunk = pass->chunk;
	uint32_t position = pass->data_starts[execution / IFR_DATA_START_INTERVAL];
	for (size_t i = execution / IFR_DATA_START_INTERVAL * IFR_DATA_START_INTERVAL; i < execution; i++)
		position +=
			chunk->executions[i] == IFR_EXECUTION_BREAK ? 0 : chunk->blocks[chunk->executions[i] >> 1].accesses;
	return position;
}

struct walk {
	struct ifr_cache *cache;
	struct ifr_misses *misses;
	uint64_t last, missed;
	unsigned shift;
};

void ifr_fetch_miss(const struct ifr_pass *pass, struct ifr_misses *misses, size_t lane, size_t execution,
                    uint64_t key, unsigned shift) {
	const uint32_t id = pass->chunk->executions[execution] >> 1;
	const uint64_t start = key << shift, address = pass->lanes[lane].blocks[id].address;
	uint32_t position = data_start(pass, execution);
	if (start > address)
		position += accesses_before(&pass->chunk->blocks[id], &pass->lanes[lane], start - address);
	ifr_misses_add(misses, key, position);
	misses->items[misses->count - 1].execution = (uint32_t)execution;
}

static inline __attribute__((always_inline)) void fetch_block(struct walk *walk, const struct ifr_pass *pass,
                                                              size_t lane, size_t execution,
                                                              const struct ifr_geometry *place) {
	if (!place->bytes)
		return;
	uint64_t key = place->address >> walk->shift;
	const uint64_t end = (place->address + place->bytes - 1) >> walk->shift;
	key += key == walk->last;
	for (; key <= end; key++)
		if (!ifr_cache_touch(walk->cache, key)) {
			ifr_fetch_miss(pass, walk->misses, lane, execution, key, walk->shift);
			walk->missed++;
		}
	walk->last = end;
}

/* Fetches the lines, or pages, of a chunk in one lane. */
static void fetch_chunk(struct walk *walk, const struct ifr_pass *pass, size_t lane) {
	const struct ifr_chunk *chunk = pass->chunk;
	struct walk local = *walk;
	local.misses->count = 0;
	for (size_t i = 0; i < chunk->executions_count && local.cache->shape.sets; i++)
		if (chunk->executions[i] != IFR_EXECUTION_BREAK)
			fetch_block(&local, pass, lane, i, &pass->lanes[lane].blocks[chunk->executions[i] >> 1]);
	*walk = local;
}

static void run_fetch(void *state, struct ifr_pass *pass) {
	struct fetch_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++) {
		struct fetch_lane *lane = &lanes[i];
		struct walk lines = {&lane->lines, &pass->fetch_lines[i], lane->last_line, 0, pass->line_shift};
		struct walk pages = {&lane->pages, &pass->fetch_pages[i], lane->last_page, 0, pass->page_shift};
		fetch_chunk(&lines, pass, i);
		fetch_chunk(&pages, pass, i);
		lane->last_line = lines.last;
		lane->last_page = pages.last;
		lane->line_misses += lines.missed;
		lane->page_misses += pages.missed;
	}
}

static void count_fetch(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	const struct fetch_lane *lanes = state;
	(void)pass;
	counters->value[IFR_EVENT_L1I_MISSES] += lanes[lane].line_misses;
	counters->value[IFR_EVENT_ITLB_MISSES] += lanes[lane].page_misses;
}

const struct ifr_stage ifr_stage_fetch = {
	.name = "scalar", .create = create_fetch, .run = run_fetch, .count = count_fetch, .destroy = destroy_fetch};
