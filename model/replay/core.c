/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core, lane by lane, over all block executions or over samples of them (core_course.h), from the outcomes that the
 * stages before noted. */
#include <stdlib.h>

#include "model/core/sample.h"
#include "model/replay/core_course.h"
#include "model/replay/stages.h"

struct core_lane {
	struct ifr_front *front;
	struct ifr_graph *graph;
	struct ifr_placed *placed; /* by block; without parts until it is executed */
	size_t placed_count;
	struct ifr_core_sample sample;
};

struct cores {
	struct ifr_core core;
	struct ifr_core_course course;
	struct core_lane *lanes;
};

static void *create_core(const struct ifr_pass *pass) {
	struct cores *cores = ifr_alloc(sizeof *cores);
	if (!pass->program)
		return cores;
	ifr_core_init(&cores->core, pass->machine);
	ifr_core_course_init(&cores->course, pass);
	cores->lanes = ifr_alloc(pass->lanes_count * sizeof *cores->lanes);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		struct core_lane *lane = &cores->lanes[i];
		lane->front = ifr_front_new(&cores->core);
		lane->graph = ifr_graph_new(&cores->core);
		lane->sample.period = pass->core_period;
		lane->sample.detailed = true;
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
		ifr_front_free(lane->front);
		ifr_graph_free(lane->graph);
	}
	ifr_core_course_release(&cores->course);
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

/* Reads marks in ascending order. */
struct mark_reader {
	const uint32_t *next, *end;
	uint32_t number; /* of the next event */
};

/* Begins with the event of a number. bits: of a mark that are not the number. */
static struct mark_reader read_marks(const struct ifr_marks *marks, uint32_t number, unsigned bits) {
	size_t low = 0, high = marks->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (marks->items[middle] >> bits < number)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct mark_reader){marks->items + low, marks->items + marks->count, number};
}

/* Goes on to the next event. Returns whether this one is marked. */
static bool is_marked(struct mark_reader *reader) {
	const bool marked = reader->next < reader->end && *reader->next == reader->number;
	reader->next += marked;
	reader->number++;
	return marked;
}

/* Goes on to the next taken branch. Returns the level of the BTB that has this one. */
static uint8_t next_btb_level(struct mark_reader *reader) {
	const bool marked = reader->next < reader->end && *reader->next >> IFR_BTB_LEVEL_BITS == reader->number;
	reader->number++;
	return marked ? *reader->next++ & ((1u << IFR_BTB_LEVEL_BITS) - 1) : 0;
}

/* The place in a chunk and its lists. */
struct reading {
	const struct ifr_core_course *course;
	const struct ifr_outcomes *outcomes;
	uint32_t before; /* the execution before */
	struct mark_reader conditional, indirect, taken;
	size_t line, page, data;
};

/* Whether a return, or a call, arrives elsewhere than predicted. */
static bool is_lost(const struct reading *at, const struct ifr_pass *pass, size_t index, size_t execution) {
	const struct ifr_geometry *blocks = pass->lanes[index].blocks;
	const uint32_t caller = at->course->callers[execution], block = pass->chunk->executions[execution] >> 1;
	if (caller == IFR_ANY_CALLER || caller == IFR_NO_CALLER)
		return caller == IFR_NO_CALLER;
	return blocks[caller].address + blocks[caller].bytes != blocks[block].address;
}

/* The outcome of the branch before a block. */
static void read_branch(struct reading *at, const struct ifr_pass *pass, size_t index, size_t execution,
                        struct ifr_core_outcome *outcome) {
	const uint8_t kind = pass->kinds[at->before >> 1];
	if (kind == IFR_BRANCH_CONDITIONAL)
		outcome->mispredicted = is_marked(&at->conditional);
	if (ifr_branch_is_indirect(kind))
		outcome->mispredicted = is_marked(&at->indirect);
	if (kind >= IFR_BRANCH_CALL)
		outcome->mispredicted |= is_lost(at, pass, index, execution);
	outcome->taken = kind == IFR_BRANCH_CONDITIONAL ? at->before & 1 : kind != IFR_BRANCH_NONE;
	if (outcome->taken && pass->machine->values[IFR_BTB1_ENTRIES])
		outcome->btb = next_btb_level(&at->taken);
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
	const bool follows = at->before != IFR_EXECUTION_BREAK;
	if (follows)
		read_branch(at, pass, index, execution, &outcome);
	outcome.fetch_wait = read_fetch(cores, pass, index, execution, at);
	at->data += about->accesses;
	const struct ifr_placed *placed = place(cores, lane, pass, index, block);
	const bool call = follows && pass->kinds[at->before >> 1] >= IFR_BRANCH_CALL;
	const struct ifr_delivery *deliveries =
		ifr_front_enter(lane->front, placed, block, outcome.taken, call, &count);
	if (lane->sample.detailed)
		ifr_graph_add(lane->graph, pass->program, placed, deliveries, count, &outcome);
	ifr_core_sample_advance(&lane->sample, lane->graph, lane->front,
	                        pass->lanes[index].blocks[block].instructions);
}

/* The first miss of an execution, or of a later one. */
static size_t find_fetch(const struct ifr_misses *misses, size_t from, size_t execution) {
	while (from < misses->count && misses->items[from].execution < execution)
		from++;
	return from;
}

static void begin_span(struct core_lane *lane, const struct ifr_pass *pass, size_t index,
                       const struct ifr_core_span *span, struct reading *at) {
	at->before = span->before;
	at->conditional = read_marks(&at->outcomes->conditional, span->conditional, 0);
	at->indirect = read_marks(&at->outcomes->indirect, span->indirect, 0);
	at->taken = read_marks(&at->outcomes->taken, span->taken, IFR_BTB_LEVEL_BITS);
	at->line = find_fetch(&pass->fetch_lines[index], at->line, span->first);
	at->page = find_fetch(&pass->fetch_pages[index], at->page, span->first);
	at->data = span->data;
	if (span->apart) {
		ifr_front_cut(lane->front);
		ifr_core_sample_skip(&lane->sample, span->instructions);
	}
}

static void run_lane(const struct cores *cores, struct core_lane *lane, const struct ifr_pass *pass,
                     size_t index) {
	const uint32_t *executions = pass->chunk->executions;
	struct reading at = {.course = &cores->course, .outcomes = &pass->outcomes[index]};
	add_blocks(lane, pass->blocks_count);
	for (size_t k = 0; k < cores->course.spans_count; k++) {
		const struct ifr_core_span *span = &cores->course.spans[k];
		begin_span(lane, pass, index, span, &at);
		for (size_t i = span->first; i < span->end; i++) {
			if (executions[i] == IFR_EXECUTION_BREAK)
				ifr_front_cut(lane->front);
			else
				run_block(cores, lane, pass, index, i, &at);
			at.before = executions[i];
		}
	}
}

static void run_core(void *state, struct ifr_pass *pass) {
	struct cores *cores = state;
	if (cores->lanes)
		ifr_core_course_follow(&cores->course, pass);
	for (size_t i = 0; i < pass->lanes_count && cores->lanes; i++)
		run_lane(cores, &cores->lanes[i], pass, i);
}

static void count_core(const void *state, const struct ifr_pass *pass, size_t index, struct ifr_counts *counters) {
	static const enum ifr_event events[SAMPLE_VALUES] = {
		IFR_EVENT_CYCLES,
		IFR_EVENT_UNDELIVERED,
		IFR_EVENT_STALLS,
		IFR_EVENT_STALLS_WINDOW,
		IFR_EVENT_STALLS_SCHEDULER,
		IFR_EVENT_STALLS_LOADS,
		IFR_EVENT_STALLS_STORES,
		IFR_EVENT_ALIASES,
		IFR_EVENT_BLOCKED,
		IFR_EVENT_CLEARS,
		[SAMPLE_SLOTS + IFR_SOURCE_OP_CACHE] = IFR_EVENT_OP_CACHE_SLOTS,
		[SAMPLE_SLOTS + IFR_SOURCE_DECODERS] = IFR_EVENT_DECODER_SLOTS,
		[SAMPLE_SLOTS + IFR_SOURCE_LOOP_BUFFER] = IFR_EVENT_LOOP_BUFFER_SLOTS};
	const struct cores *cores = state;
	double values[SAMPLE_VALUES], errors[SAMPLE_VALUES];
	if (!cores->lanes)
		return;
	const struct core_lane *lane = &cores->lanes[index];
	ifr_core_sample_estimate(&lane->sample, lane->graph, lane->front, values, errors);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		counters->value[events[i]] += (uint64_t)(values[i] + 0.5);
		pass->errors[index].value[events[i]] = errors[i];
	}
}

const struct ifr_stage ifr_stage_core = {
	.name = "scalar", .create = create_core, .run = run_core, .count = count_core, .destroy = destroy_core};
