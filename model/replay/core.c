/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core, lane by lane, over all block executions or over samples of them (core_course.h), from the outcomes that the
 * stages before noted.
 *
 * Problem: the cost of a cause is the difference of two runs of the core, and n causes have 2^n sets.
 * Idea: the outcomes of caches and predictors do not depend on time, so all sets share them; and all sets share the front
 * end that do not idealise a part of it (IFR_CAUSES_OF_FRONT). A piece of the sequence goes through the front end once,
 * and then through the graph of each set, whose state so stays in the caches for a whole piece.
 * Invariant: front end and graph see the same calls in the same order as if their set were alone. */
#include <stdlib.h>
#include <string.h>

#include "model/replay/core_lanes.h"
#include "model/replay/core_cursor.h"
#include "model/replay/idealised.h"

/* --- the front end over a piece ------------------------------------------------------------------------------- */

static const struct ifr_placed *place(struct core_front *front, const struct ifr_pass *pass, size_t lane,
                                      uint32_t block) {
	struct ifr_placed *placed = &front->placed[block];
	const struct ifr_geometry *at = &pass->lanes[lane].blocks[block];
	if (!placed->parts)
		ifr_core_place(&front->core, pass->program, block, at->address, at->bytes, placed);
	return placed;
}

/* Keeps the deliveries of a step. Returns whether the decoders are among their sources. */
static bool keep_deliveries(struct cores *cores, struct core_step *step, const struct ifr_delivery *deliveries,
                            size_t count) {
	bool decoders = false;
	if (cores->deliveries_count + count > cores->deliveries_room) {
		cores->deliveries_room = 2 * (cores->deliveries_count + count) + PIECE_EXECUTIONS;
		cores->deliveries = ifr_realloc(cores->deliveries, cores->deliveries_room, sizeof *cores->deliveries);
	}
	step->first_delivery = (uint32_t)cores->deliveries_count;
	step->deliveries_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		cores->deliveries[cores->deliveries_count++] = deliveries[i];
		decoders |= deliveries[i].source == IFR_SOURCE_DECODERS;
	}
	return decoders;
}

/* Brings the steps of the piece through a front end of a lane. The first one notes where the decoders deliver. */
static void run_front(struct cores *cores, struct core_lane *lane, const struct ifr_pass *pass, size_t index,
                      unsigned number) {
	struct core_front *front = &lane->fronts[number];
	cores->deliveries_count = 0;
	for (size_t i = 0; i < cores->steps_count; i++) {
		struct core_step *step = &cores->steps[i];
		uint64_t slots[IFR_SOURCES];
		size_t count;
		if (step->cut)
			ifr_front_cut(front->front);
		memcpy(slots, ifr_front_slots(front->front), sizeof slots);
		step->placed = place(front, pass, index, step->block);
		const struct ifr_delivery *deliveries =
			ifr_front_enter(front->front, step->placed, step->block, step->outcome.taken, step->call, &count);
		for (unsigned k = 0; k < IFR_SOURCES; k++)
			step->slots[k] = (uint16_t)(ifr_front_slots(front->front)[k] - slots[k]);
		const bool decoders = keep_deliveries(cores, step, deliveries, count);
		if (!number)
			step->decoded = decoders;
		step->outcome.decoded = step->decoded && front->set >> IFR_CAUSE_DSB & 1;
	}
}

/* --- the graphs over a piece ---------------------------------------------------------------------------------- */

/* Keeps the cycles of a fragment that has ended. */
static void keep_fragment(struct core_graph *graph) {
	if (graph->fragments_count == graph->fragments_room) {
		graph->fragments_room = 2 * graph->fragments_room + 64;
		graph->fragments = ifr_realloc(graph->fragments, graph->fragments_room, sizeof *graph->fragments);
	}
	graph->fragments[graph->fragments_count++] = (uint32_t)(graph->sample.sums[0] - graph->fragments_sum);
	graph->fragments_sum = graph->sample.sums[0];
}

/* Notes the instructions of a fragment, which are the same in all graphs. */
static void keep_instructions(struct cores *cores, const struct core_graph *graph) {
	const size_t count = graph->fragments_count;
	if (count == cores->fragments_room) {
		cores->fragments_room = 2 * count + 64;
		cores->fragment_instructions =
			ifr_realloc(cores->fragment_instructions, cores->fragments_room, sizeof *cores->fragment_instructions);
	}
	cores->fragment_instructions[count] = (uint32_t)(graph->sample.measured_instructions - cores->fragments_sum);
	cores->fragments_sum = graph->sample.measured_instructions;
}

/* The cycles to add to: those of a sample, or of the head of the run, and none while the graph warms up. */
static uint64_t *choose_cycles(const struct core_graph *graph, const struct ifr_sampled_cycles *cycles) {
	const struct ifr_core_sample *sample = &graph->sample;
	const bool all = !sample->period || sample->instructions < IFR_CORE_HEAD;
	return all ? cycles->head : sample->measured ? cycles->sampled : NULL;
}

static void observe_step(const struct cores *cores, const struct core_step *step, uint64_t instructions,
                         const struct ifr_step_observer *observer) {
	const struct ifr_observed_step observed = {.instructions = instructions,
	                                           .block = step->block,
	                                           .cut = step->cut,
	                                           .outcome = &step->outcome,
	                                           .placed = step->placed,
	                                           .deliveries = cores->deliveries + step->first_delivery,
	                                           .deliveries_count = step->deliveries_count};
	observer->step(observer->data, &observed);
}

/* Shows the observer the piece that the first front end brought. */
static void observe_steps(const struct cores *cores, const struct core_graph *graph,
                          const struct ifr_step_observer *observer) {
	uint64_t instructions = graph->sample.instructions;
	for (size_t i = 0; i < cores->steps_count && observer->step; i++) {
		observe_step(cores, &cores->steps[i], instructions, observer);
		instructions += cores->steps[i].instructions;
	}
}

/* stalls: of loads, to be added to; NULL: none. */
static void run_graph(struct cores *cores, struct core_graph *graph, const struct ifr_pass *pass,
                      const struct ifr_sampled_cycles *stalls, bool keep) {
	for (size_t i = 0; i < cores->steps_count; i++) {
		const struct core_step *step = &cores->steps[i];
		if (stalls)
			ifr_graph_note_stalls(graph->graph, choose_cycles(graph, stalls));
		if (graph->retirement.count)
			ifr_graph_note_retirement(graph->graph, choose_cycles(graph, &graph->retirement));
		if (graph->sample.detailed)
			ifr_graph_add(graph->graph, pass->program, step->placed, cores->deliveries + step->first_delivery,
			              step->deliveries_count, &step->outcome);
		for (unsigned k = 0; k < IFR_SOURCES; k++)
			graph->slots[k] += step->slots[k];
		ifr_core_sample_advance(&graph->sample, graph->graph, graph->slots, step->instructions);
		if (graph->sample.fragments == graph->fragments_count || !pass->ideal_sets_count)
			continue;
		if (keep)
			keep_instructions(cores, graph);
		keep_fragment(graph);
	}
}

/* Brings the piece through all front ends and graphs of a lane, and begins a new piece. */
static void run_piece(struct cores *cores, struct core_lane *lane, const struct ifr_pass *pass, size_t index) {
	for (unsigned front = 0; front < lane->fronts_count; front++) {
		run_front(cores, lane, pass, index, front);
		if (!index && !front)
			observe_steps(cores, &lane->graphs[0], &pass->steps);
		for (size_t i = 0; i < cores->graphs_count; i++)
			if (lane->graphs[i].graph && lane->graphs[i].front == front)
				run_graph(cores, &lane->graphs[i], pass,
				          i || !pass->load_stalls ? NULL : &pass->load_stalls[index], !index && !i);
	}
	cores->steps_count = 0;
}

/* --- the sequence --------------------------------------------------------------------------------------------- */

static void add_step(struct cores *cores, const struct ifr_pass *pass, struct core_cursor *at, size_t execution) {
	struct core_step *step = &cores->steps[cores->steps_count++];
	const bool follows = at->before != IFR_EXECUTION_BREAK;
	*step = (struct core_step){.block = pass->chunk->executions[execution] >> 1,
	                           .call = follows && pass->kinds[at->before >> 1] >= IFR_BRANCH_CALL,
	                           .cut = !follows};
	step->instructions = pass->lanes[at->lane].blocks[step->block].instructions;
	core_cursor_next(at, execution, &step->outcome);
}

static void begin_span(const struct cores *cores, struct core_lane *lane, const struct ifr_core_span *span) {
	if (!span->apart)
		return;
	for (unsigned i = 0; i < lane->fronts_count; i++)
		ifr_front_cut(lane->fronts[i].front);
	for (size_t i = 0; i < cores->graphs_count; i++)
		ifr_core_sample_skip(&lane->graphs[i].sample, span->instructions);
}

static void run_lane(struct cores *cores, struct core_lane *lane, const struct ifr_pass *pass, size_t index) {
	const uint32_t *executions = pass->chunk->executions;
	struct core_cursor at = {.core = &cores->core, .course = &cores->course, .pass = pass, .lane = index};
	for (unsigned i = 0; i < lane->fronts_count; i++)
		core_front_add_blocks(&lane->fronts[i], pass->blocks_count);
	if (pass->load_stalls)
		core_reserve_cycles(&pass->load_stalls[index], pass->chunk->accesses_count);
	for (size_t k = 0; k < cores->course.spans_count; k++) {
		const struct ifr_core_span *span = &cores->course.spans[k];
		core_cursor_begin(&at, span);
		begin_span(cores, lane, span);
		for (size_t i = span->first; i < span->end; i++) {
			if (executions[i] == IFR_EXECUTION_BREAK)
				at.before = IFR_EXECUTION_BREAK;
			else
				add_step(cores, pass, &at, i);
			if (cores->steps_count == PIECE_EXECUTIONS)
				run_piece(cores, lane, pass, index);
		}
		run_piece(cores, lane, pass, index);
	}
}

static void run_core(void *state, struct ifr_pass *pass) {
	struct cores *cores = state;
	if (cores->lanes)
		ifr_core_course_follow(&cores->course, pass);
	for (size_t i = 0; i < pass->lanes_count && cores->lanes; i++)
		run_lane(cores, &cores->lanes[i], pass, i);
}

/* --- results -------------------------------------------------------------------------------------------------- */

/* Stores the cycles of a set by instruction. Without fragments, the head stands for all that follows it. */
static void store_instructions(const struct core_graph *graph, double cycles, double *to) {
	const double scale = ifr_core_sample_scale(&graph->sample);
	const bool extrapolated = !graph->sample.fragments && graph->sample.head_instructions;
	const double head = extrapolated ? cycles / (double)graph->sample.head[0] : 1;
	for (size_t i = 0; i < graph->retirement.count; i++)
		to[i] = head * (double)graph->retirement.head[i] + scale * (double)graph->retirement.sampled[i];
}

static void copy_fragments(const struct core_graph *graph, double *to) {
	for (size_t i = 0; i < graph->fragments_count; i++)
		to[i] = graph->fragments[i];
}

/* Stores the cycles of each set. */
static void store_times(const struct cores *cores, const struct ifr_pass *pass, size_t index) {
	const struct core_lane *lane = &cores->lanes[index];
	const size_t fragments = lane->graphs[0].fragments_count, sets = pass->ideal_sets_count;
	struct ifr_ideal_times *times = &pass->ideal_times[index];
	double values[SAMPLE_VALUES], errors[SAMPLE_VALUES];
	ifr_ideal_times_release(times);
	*times = (struct ifr_ideal_times){.sets = sets, .fragments = fragments};
	times->cycles = ifr_alloc((sets + 1) * sizeof *times->cycles);
	times->instructions = pass->ideal_instructions ? pass->program->instructions_count : 0;
	times->instruction_cycles = ifr_alloc((sets * times->instructions + 1) * sizeof *times->instruction_cycles);
	times->fragment_instructions = ifr_alloc((fragments + 1) * sizeof *times->fragment_instructions);
	times->fragment_cycles = ifr_alloc((sets * fragments + 1) * sizeof *times->fragment_cycles);
	if (fragments)
		memcpy(times->fragment_instructions, cores->fragment_instructions, fragments * sizeof(uint32_t));
	for (size_t i = 0; i < sets; i++) {
		const struct core_graph *graph = &lane->graphs[pass->ideal_sets[i] ? i + 1 : 0];
		ifr_core_sample_estimate(&graph->sample, graph->graph, graph->slots, values, errors);
		times->cycles[i] = values[0];
		if (times->instructions)
			store_instructions(graph, values[0], times->instruction_cycles + i * times->instructions);
		times->rest = (double)(graph->sample.instructions - graph->sample.head_instructions);
		copy_fragments(graph, times->fragment_cycles + i * fragments);
	}
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
		IFR_EVENT_PREFETCHES_LATE,
		[SAMPLE_SLOTS + IFR_SOURCE_OP_CACHE] = IFR_EVENT_OP_CACHE_SLOTS,
		[SAMPLE_SLOTS + IFR_SOURCE_DECODERS] = IFR_EVENT_DECODER_SLOTS,
		[SAMPLE_SLOTS + IFR_SOURCE_LOOP_BUFFER] = IFR_EVENT_LOOP_BUFFER_SLOTS};
	const struct cores *cores = state;
	double values[SAMPLE_VALUES], errors[SAMPLE_VALUES];
	if (!cores->lanes)
		return;
	const struct core_graph *graph = &cores->lanes[index].graphs[0];
	ifr_core_sample_estimate(&graph->sample, graph->graph, graph->slots, values, errors);
	if (pass->load_stalls)
		pass->load_stalls[index].scale = ifr_core_sample_scale(&graph->sample);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++) {
		counters->value[events[i]] += (uint64_t)(values[i] + 0.5);
		pass->errors[index].value[events[i]] = errors[i];
	}
	if (pass->ideal_sets_count)
		store_times(cores, pass, index);
}

const struct ifr_stage ifr_stage_core = {.name = "scalar",
                                         .create = core_lanes_create,
                                         .run = run_core,
                                         .count = count_core,
                                         .destroy = core_lanes_destroy};
