/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L1I, ITLB and BTB of a batch of lanes, in one pass over the block executions.
 *
 * Problem: the scalar stages walk the chunk once for each lane, and look up every block in every lane's caches.
 * Idea: the key groups that a block touches (resident.h) are found once, when the block is new. A block execution
 * then tests three words, of which each holds one bit a lane, and stores three times.
 * Invariant: times grow with every block execution, so that the times of key groups order the touches as program
 * order does, in all lanes. The BTB is touched for a block when its successor is known, with the successor's time:
 * the three structures share no state, so that only the order within each of them matters.
 * Gain: a block execution costs the same for one lane as for 64 (git log 338d3e4). A group without keys, for blocks
 * that have no line, page or branch to touch, spares a jump that is hard to predict: 235 to 265 M conditional
 * branches/s for 16 layouts under AVX-512 (96e450b). */
#include "model/replay/lanes/front_end.h"

#include <stdlib.h>

/* The key groups that one block execution touches. branch is touched when the block's successor is known. */
struct touched_groups {
	uint32_t lines, pages, branch;
	uint32_t taken; /* 1: branch is a taken branch, 0: a group without keys */
};

struct front_end_batch {
	struct ifr_fetch_batch lines, pages;
	struct ifr_btb_batch btb;
	struct touched_groups *touched; /* by block execution: block << 1 | taken */
};

struct front_end {
	struct front_end_batch *batches;
	size_t blocks_count; /* blocks that the batches have */
	uint64_t executions; /* executions before this chunk: the clock starts there */
	uint32_t last;       /* execution, whose branch waits for its successor; or IFR_EXECUTION_BREAK */
	bool btb, fetch;     /* false: the machine has no such structure */
};

static void *create_front_end(const struct ifr_pass *pass) {
	const struct ifr_machine *machine = pass->machine;
	struct front_end *front_end = ifr_alloc(sizeof *front_end);
	front_end->batches = ifr_alloc(ifr_batches_count(pass) * sizeof *front_end->batches);
	front_end->last = IFR_EXECUTION_BREAK;
	front_end->btb = machine->values[IFR_BTB1_ENTRIES];
	front_end->fetch = machine->values[IFR_L1I_BYTES] || machine->values[IFR_ITLB_ENTRIES];
	for (size_t i = 0; i < ifr_batches_count(pass); i++) {
		const struct ifr_lane_batch batch = ifr_batch_at(pass, i);
		struct front_end_batch *own = &front_end->batches[i];
		ifr_fetch_batch_init(&own->lines, batch, ifr_machine_cache_shape(machine, IFR_L1I_BYTES), pass->line_shift,
		                     pass->fetch_lines);
		ifr_fetch_batch_init(&own->pages, batch, ifr_machine_tlb_shape(machine, IFR_ITLB_ENTRIES),
		                     pass->page_shift, pass->fetch_pages);
		ifr_btb_batch_init(&own->btb, batch, machine);
	}
	return front_end;
}

static void destroy_front_end(void *state, const struct ifr_pass *pass) {
	struct front_end *front_end = state;
	for (size_t i = 0; i < ifr_batches_count(pass); i++) {
		ifr_resident_release(&front_end->batches[i].lines.resident);
		ifr_resident_release(&front_end->batches[i].pages.resident);
		ifr_btb_batch_release(&front_end->batches[i].btb);
		free(front_end->batches[i].touched);
	}
	free(front_end->batches);
	free(front_end);
}

/* Only a conditional branch can be not taken, whatever the execution's lowest bit says. */
static void add_block(struct front_end_batch *batch, const struct ifr_pass *pass, size_t block, uint32_t no_branch,
                      bool btb) {
	const uint8_t kind = pass->kinds[block];
	const bool branches = btb && kind != IFR_BRANCH_NONE;
	const uint32_t branch =
		branches ? ifr_btb_batch_add_block(&batch->btb, pass->branch_layouts, block) : no_branch;
	batch->touched[2 * block + 1] =
		(struct touched_groups){ifr_fetch_batch_add_block(&batch->lines, pass->lanes, block),
	                            ifr_fetch_batch_add_block(&batch->pages, pass->lanes, block), branch, branches};
	batch->touched[2 * block] = batch->touched[2 * block + 1];
	if (kind == IFR_BRANCH_CONDITIONAL) {
		batch->touched[2 * block].branch = no_branch;
		batch->touched[2 * block].taken = 0;
	}
}

/* Adds the blocks from blocks_count on. */
static void add_blocks(struct front_end_batch *batch, const struct ifr_pass *pass, size_t blocks_count, bool btb) {
	const struct ifr_key_run none[IFR_RESIDENT_LANES] = {{0}};
	const uint32_t no_branch = ifr_resident_add(&batch->btb.first, none);
	batch->touched = ifr_realloc(batch->touched, 2 * pass->blocks_count + 1, sizeof *batch->touched);
	for (; blocks_count < pass->blocks_count; blocks_count++)
		add_block(batch, pass, blocks_count, no_branch, btb);
}

static void walk_chunk(struct front_end_batch *batch, const struct ifr_pass *pass, uint64_t time, uint32_t last) {
	const uint32_t *executions = pass->chunk->executions;
	const size_t count = pass->chunk->executions_count;
	uint32_t taken = 0;
	for (size_t i = 0; i < count; i++) {
		const uint32_t execution = executions[i], before = last;
		last = execution;
		if (__builtin_expect(execution == IFR_EXECUTION_BREAK, 0))
			continue;
		const struct touched_groups touched_groups = batch->touched[execution];
		time++;
		if (before != IFR_EXECUTION_BREAK) {
			const struct touched_groups *branch = &batch->touched[before];
			if (!ifr_resident_touch(&batch->btb.first, branch->branch, time))
				ifr_btb_batch_miss(&batch->btb, pass, before >> 1, branch->branch, taken, time);
			taken += branch->taken;
		}
		if (!ifr_resident_touch(&batch->lines.resident, touched_groups.lines, time))
			ifr_fetch_batch_miss(&batch->lines, pass, i, touched_groups.lines, time);
		if (!ifr_resident_touch(&batch->pages.resident, touched_groups.pages, time))
			ifr_fetch_batch_miss(&batch->pages, pass, i, touched_groups.pages, time);
	}
}

static void run_front_end(void *state, struct ifr_pass *pass) {
	struct front_end *front_end = state;
	const struct ifr_chunk *chunk = pass->chunk;
	for (size_t lane = 0; lane < pass->lanes_count; lane++)
		pass->fetch_lines[lane].count = pass->fetch_pages[lane].count = 0;
	for (size_t i = 0; i < ifr_batches_count(pass) && (front_end->fetch || front_end->btb); i++) {
		if (front_end->blocks_count < pass->blocks_count)
			add_blocks(&front_end->batches[i], pass, front_end->blocks_count, front_end->btb);
		walk_chunk(&front_end->batches[i], pass, front_end->executions, front_end->last);
	}
	front_end->blocks_count = pass->blocks_count;
	front_end->executions += chunk->executions_count;
	front_end->last = chunk->executions_count ? chunk->executions[chunk->executions_count - 1] : front_end->last;
}

static void count_front_end(const void *state, const struct ifr_pass *pass, size_t lane,
                            struct ifr_counts *counters) {
	(void)pass;
	const struct front_end *front_end = state;
	const struct front_end_batch *batch = &front_end->batches[lane / IFR_RESIDENT_LANES];
	const size_t own = lane % IFR_RESIDENT_LANES;
	counters->value[IFR_EVENT_L1I_MISSES] += batch->lines.misses[own];
	counters->value[IFR_EVENT_ITLB_MISSES] += batch->pages.misses[own];
	counters->value[IFR_EVENT_BTB_MISSES] += batch->btb.misses[own];
}

const struct ifr_stage ifr_lanes_stage_front_end = {.name = "lanes",
                                                    .create = create_front_end,
                                                    .run = run_front_end,
                                                    .count = count_front_end,
                                                    .destroy = destroy_front_end};
