/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core, lane by lane: the front end over all block executions, the graph over samples, both from the outcomes that
 * the stages before noted. */
#include <stdlib.h>

#include "model/core/sample.h"
#include "model/replay/stages.h"

struct core_lane {
	struct ifr_front *front;
	struct ifr_graph *graph;
	struct ifr_placed *placed; /* by block; without parts until it is executed */
	size_t placed_count;
	struct ifr_core_sample sample;
	uint32_t before; /* the execution before */
	uint32_t *calls; /* return stack: a ring of calling blocks */
	unsigned top, depth;
};

struct cores {
	struct ifr_core core;
	struct core_lane *lanes;
};

static void *create_core(const struct ifr_pass *pass) {
	struct cores *cores = ifr_alloc(sizeof *cores);
	if (!pass->program)
		return cores;
	ifr_core_init(&cores->core, pass->machine);
	cores->lanes = ifr_alloc(pass->lanes_count * sizeof *cores->lanes);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		struct core_lane *lane = &cores->lanes[i];
		lane->front = ifr_front_new(&cores->core);
		lane->graph = ifr_graph_new(&cores->core);
		lane->before = IFR_EXECUTION_BREAK;
		lane->sample.full = pass->core_full;
		lane->sample.detailed = true;
		lane->calls = ifr_alloc((pass->machine->values[IFR_RETURN_STACK_ENTRIES] + 1) * sizeof *lane->calls);
	}
	return cores;
}

static void destroy_core(void *state, const struct ifr_pass *pass) {
	struct cores *cores = state;
	for (size_t i = 0; i < pass->lanes_count && cores->lanes; i++) {
		struct core_lane *lane = &cores->lanes[i];
		for (size_t k = 0; k < lane->placed_count; k++)
			free(lane->placed[k].parts);
		free(lane->placed);
		free(lane->calls);
		ifr_front_free(lane->front);
		ifr_graph_free(lane->graph);
	}
	free(cores->lanes);
	free(cores);
}

static void add_blocks(struct core_lane *lane, size_t count) {
	if (count <= lane->placed_count)
		return;
	lane->placed = ifr_realloc(lane->placed, count, sizeof *lane->placed);
	for (; lane->placed_count < count; lane->placed_count++)
		lane->placed[lane->placed_count] = (struct ifr_placed){0};
}

static const struct ifr_placed *place(const struct cores *cores, struct core_lane *lane,
                                      const struct ifr_pass *pass, size_t index, uint32_t block) {
	struct ifr_placed *placed = &lane->placed[block];
	const struct ifr_geometry *at = &pass->lanes[index].blocks[block];
	if (!placed->parts)
		ifr_core_place(&cores->core, pass->program, block, at->address, at->bytes, placed);
	return placed;
}

/* Predicts a return by the stack of calls, as the stage of returns does. */
static bool follow_call(struct core_lane *lane, const struct ifr_pass *pass, size_t index, uint32_t before,
                        uint32_t block) {
	const unsigned size = pass->machine->values[IFR_RETURN_STACK_ENTRIES];
	const struct ifr_geometry *blocks = pass->lanes[index].blocks;
	if (!size)
		return false;
	if (pass->kinds[before] != IFR_BRANCH_RETURN) {
		lane->top = lane->top + 1 < size ? lane->top + 1 : 0;
		lane->calls[lane->top] = before;
		lane->depth += lane->depth < size;
		return false;
	}
	if (!lane->depth)
		return true;
	const struct ifr_geometry *call = &blocks[lane->calls[lane->top]];
	lane->top = (lane->top ? lane->top : size) - 1;
	lane->depth--;
	return call->address + call->bytes != blocks[block].address;
}

/* The place in the lists of a chunk. */
struct reading {
	const struct ifr_outcomes *outcomes;
	size_t conditional, indirect, taken, line, page, data;
};

/* The outcome of the branch before a block. */
static void read_branch(struct core_lane *lane, const struct ifr_pass *pass, size_t index, uint32_t block,
                        struct reading *at, struct ifr_core_outcome *outcome) {
	const uint32_t before = lane->before >> 1;
	const uint8_t kind = pass->kinds[before];
	if (kind == IFR_BRANCH_CONDITIONAL)
		outcome->mispredicted = at->outcomes->conditional[at->conditional++];
	if (ifr_branch_is_indirect(kind))
		outcome->mispredicted = at->outcomes->indirect[at->indirect++];
	if (kind >= IFR_BRANCH_CALL)
		outcome->mispredicted |= follow_call(lane, pass, index, before, block);
	outcome->taken = kind == IFR_BRANCH_CONDITIONAL ? lane->before & 1 : kind != IFR_BRANCH_NONE;
	if (outcome->taken && pass->machine->values[IFR_BTB1_ENTRIES])
		outcome->btb = at->outcomes->taken[at->taken++];
}

/* Cycles that a block execution waits for its code. */
static unsigned read_fetch(const struct cores *cores, const struct ifr_pass *pass, size_t index, size_t execution,
                           struct reading *at) {
	const struct ifr_misses *lines = &pass->fetch_lines[index], *pages = &pass->fetch_pages[index];
	unsigned wait = 0;
	for (; at->line < lines->count && lines->items[at->line].execution == execution; at->line++)
		wait += cores->core.fetch_latency[at->outcomes->fetch_lines[at->line]];
	for (; at->page < pages->count && pages->items[at->page].execution == execution; at->page++)
		wait += cores->core.fetch_page_latency[at->outcomes->fetch_pages[at->page]];
	return wait;
}

static void run_block(const struct cores *cores, struct core_lane *lane, const struct ifr_pass *pass, size_t index,
                      size_t execution, struct reading *at) {
	const uint32_t block = pass->chunk->executions[execution] >> 1;
	const struct ifr_block *about = &pass->chunk->blocks[block];
	struct ifr_core_outcome outcome = {.addresses = pass->addresses[pass->lanes[index].data_group] + at->data,
	                                   .accesses = pass->chunk->accesses + about->first_access,
	                                   .levels = at->outcomes->data + at->data};
	size_t count;
	const bool follows = lane->before != IFR_EXECUTION_BREAK;
	if (follows)
		read_branch(lane, pass, index, block, at, &outcome);
	outcome.fetch_wait = read_fetch(cores, pass, index, execution, at);
	at->data += about->accesses;
	const struct ifr_placed *placed = place(cores, lane, pass, index, block);
	const bool call = follows && pass->kinds[lane->before >> 1] >= IFR_BRANCH_CALL;
	const struct ifr_delivery *deliveries =
		ifr_front_enter(lane->front, placed, block, outcome.taken, call, &count);
	if (lane->sample.detailed)
		ifr_graph_add(lane->graph, pass->program, placed, deliveries, count, &outcome);
	ifr_core_sample_advance(&lane->sample, lane->graph, pass->lanes[index].blocks[block].instructions);
}

static void run_lane(const struct cores *cores, struct core_lane *lane, const struct ifr_pass *pass,
                     size_t index) {
	const struct ifr_chunk *chunk = pass->chunk;
	struct reading at = {.outcomes = &pass->outcomes[index]};
	add_blocks(lane, pass->blocks_count);
	for (size_t i = 0; i < chunk->executions_count; i++) {
		if (chunk->executions[i] == IFR_EXECUTION_BREAK)
			ifr_front_cut(lane->front);
		else
			run_block(cores, lane, pass, index, i, &at);
		lane->before = chunk->executions[i];
	}
}

static void run_core(void *state, struct ifr_pass *pass) {
	struct cores *cores = state;
	for (size_t i = 0; i < pass->lanes_count && cores->lanes; i++)
		run_lane(cores, &cores->lanes[i], pass, i);
}

static void count_core(const void *state, const struct ifr_pass *pass, size_t index, struct ifr_counts *counters) {
	static const enum ifr_event events[SAMPLE_VALUES] = {
		IFR_EVENT_CYCLES,           IFR_EVENT_UNDELIVERED,  IFR_EVENT_STALLS,        IFR_EVENT_STALLS_WINDOW,
		IFR_EVENT_STALLS_SCHEDULER, IFR_EVENT_STALLS_LOADS, IFR_EVENT_STALLS_STORES, IFR_EVENT_ALIASES,
		IFR_EVENT_BLOCKED,          IFR_EVENT_CLEARS};
	const struct cores *cores = state;
	double values[SAMPLE_VALUES];
	if (!cores->lanes)
		return;
	const struct core_lane *lane = &cores->lanes[index];
	const uint64_t *slots = ifr_front_slots(lane->front);
	pass->cycles_error[index] = ifr_core_sample_estimate(&lane->sample, lane->graph, values);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++)
		counters->value[events[i]] += (uint64_t)(values[i] + 0.5);
	counters->value[IFR_EVENT_OP_CACHE_SLOTS] += slots[IFR_SOURCE_OP_CACHE];
	counters->value[IFR_EVENT_DECODER_SLOTS] += slots[IFR_SOURCE_DECODERS];
	counters->value[IFR_EVENT_LOOP_BUFFER_SLOTS] += slots[IFR_SOURCE_LOOP_BUFFER];
}

const struct ifr_stage ifr_stage_core = {
	.name = "scalar", .create = create_core, .run = run_core, .count = count_core, .destroy = destroy_core};
