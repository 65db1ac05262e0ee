/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core of sixteen lanes at once: front ends lane by lane over a piece of the sequence, then one graph of all lanes
 * (graph_lanes.h). Runs that idealise causes, or note what single instructions and loads cost, are the scalar stage's,
 * and so are a few lanes and descriptions that the graph does not fit. */
#include <stdlib.h>

#include "model/replay/core_cursor.h"
#include "model/replay/core_lanes.h"
#include "model/replay/vector/graph_lanes.h"

enum { STEPS_MOST = 128, LANES_LEAST = 4 };

/* Lanes that share a graph. */
struct core_group {
	size_t first, count; /* of the pass's lanes; the last fills up the graph */
	struct lanes_graph *graph;
};

struct vector_cores {
	struct cores *cores;
	struct core_group *groups; /* NULL: the scalar stage runs */
	size_t groups_count;
	struct cores *pieces; /* by lane of a group: its steps and deliveries */
};

static bool is_wanted(const struct ifr_pass *pass, const struct ifr_core *core) {
	return pass->program && pass->lanes_count >= LANES_LEAST && !pass->ideal_sets_count && !pass->load_stalls &&
	       !pass->steps.step && IFR_VECTOR(graph_fits)(core, pass->program);
}

static void *create_core(const struct ifr_pass *pass) {
	struct vector_cores *state = ifr_alloc(sizeof *state);
	state->cores = core_lanes_create(pass);
	if (!is_wanted(pass, &state->cores->core))
		return state;
	state->groups_count = (pass->lanes_count + LANES - 1) / LANES;
	state->groups = ifr_alloc(state->groups_count * sizeof *state->groups);
	state->pieces = ifr_alloc(LANES * sizeof *state->pieces);
	for (size_t i = 0; i < state->groups_count; i++) {
		const size_t first = i * LANES, rest = pass->lanes_count - first;
		state->groups[i] = (struct core_group){first, rest < LANES ? rest : LANES,
		                                       IFR_VECTOR(graph_new)(&state->cores->core, pass->program)};
	}
	return state;
}

static void destroy_core(void *own, const struct ifr_pass *pass) {
	struct vector_cores *state = own;
	for (size_t i = 0; i < state->groups_count; i++)
		IFR_VECTOR(graph_free)(state->groups[i].graph);
	for (size_t i = 0; i < LANES && state->pieces; i++)
		free(state->pieces[i].deliveries);
	free(state->pieces);
	free(state->groups);
	core_lanes_destroy(state->cores, pass);
	free(state);
}

static void count_core(const void *own, const struct ifr_pass *pass, size_t index, struct ifr_counts *counters) {
	const struct vector_cores *state = own;
	ifr_stage_core.count(state->cores, pass, index, counters);
}

/* --- a piece -------------------------------------------------------------------------------------------------- */

/* Tells the lanes' samples the cycles and counts so far. */
static void tell_samples(struct vector_cores *state, const struct core_group *group) {
	struct lanes_graph *graph = group->graph;
	IFR_VECTOR(graph_settle)(graph);
	for (size_t i = 0; i < group->count; i++)
		ifr_graph_set(state->cores->lanes[group->first + i].graphs[0].graph,
		              graph->base[i] + (int32_t)graph->retire.at[i], &graph->counts[i]);
}

static void run_step(struct vector_cores *state, const struct core_group *group, const struct ifr_pass *pass,
                     size_t number) {
	struct lanes_step step;
	for (size_t lane = 0; lane < LANES; lane++) {
		const struct cores *piece = &state->pieces[lane < group->count ? lane : group->count - 1];
		const struct core_step *from = &piece->steps[number];
		step.placed[lane] = from->placed;
		step.deliveries[lane] = piece->deliveries + from->first_delivery;
		step.deliveries_count[lane] = from->deliveries_count;
		step.outcomes[lane] = &from->outcome;
	}
	step.codes = pass->program->blocks[state->pieces[0].steps[number].block];
	IFR_VECTOR(graph_add)(group->graph, pass->program, &step);
}

static void advance_samples(struct vector_cores *state, const struct core_group *group, size_t number) {
	struct core_lane *lanes = &state->cores->lanes[group->first];
	const unsigned instructions = state->pieces[0].steps[number].instructions;
	if (lanes[0].graphs[0].sample.instructions + instructions > lanes[0].graphs[0].sample.unchanged)
		tell_samples(state, group);
	for (size_t i = 0; i < group->count; i++) {
		struct core_graph *graph = &lanes[i].graphs[0];
		for (unsigned k = 0; k < IFR_SOURCES; k++)
			graph->slots[k] += state->pieces[i].steps[number].slots[k];
		ifr_core_sample_advance(&graph->sample, graph->graph, graph->slots, instructions);
	}
}

static void run_piece(struct vector_cores *state, const struct core_group *group, const struct ifr_pass *pass) {
	struct core_lane *lanes = &state->cores->lanes[group->first];
	for (size_t i = 0; i < group->count; i++)
		core_run_front(&state->pieces[i], &lanes[i], pass, group->first + i, 0);
	for (size_t i = 0; i < state->pieces[0].steps_count; i++) {
		if (lanes[0].graphs[0].sample.detailed)
			run_step(state, group, pass, i);
		advance_samples(state, group, i);
	}
}

/* --- the sequence --------------------------------------------------------------------------------------------- */

/* Fills a lane's piece from an execution on. Returns the first that is not in it. */
static size_t fill_piece(struct cores *piece, const struct ifr_pass *pass, struct core_cursor *at, size_t from,
                         size_t end) {
	const uint32_t *executions = pass->chunk->executions;
	size_t i = from;
	piece->steps_count = 0;
	for (; i < end && piece->steps_count < STEPS_MOST; i++)
		if (executions[i] == IFR_EXECUTION_BREAK)
			at->before = IFR_EXECUTION_BREAK;
		else
			core_add_step(piece, pass, at, i);
	return i;
}

static void run_span(struct vector_cores *state, const struct core_group *group, const struct ifr_pass *pass,
                     struct core_cursor *cursors, const struct ifr_core_span *span) {
	for (size_t i = 0; i < group->count; i++) {
		core_cursor_begin(&cursors[i], span);
		core_begin_span(state->cores, &state->cores->lanes[group->first + i], span);
	}
	for (size_t from = span->first, next = from; from < span->end; from = next) {
		for (size_t i = 0; i < group->count; i++)
			next = fill_piece(&state->pieces[i], pass, &cursors[i], from, span->end);
		run_piece(state, group, pass);
	}
}

static void run_group(struct vector_cores *state, const struct core_group *group, const struct ifr_pass *pass) {
	const struct ifr_core_course *course = &state->cores->course;
	struct core_cursor cursors[LANES];
	for (size_t i = 0; i < group->count; i++) {
		core_front_add_blocks(&state->cores->lanes[group->first + i].fronts[0], pass->blocks_count);
		cursors[i] = (struct core_cursor){
			.core = &state->cores->core, .course = course, .pass = pass, .lane = group->first + i};
	}
	for (size_t k = 0; k < course->spans_count; k++)
		run_span(state, group, pass, cursors, &course->spans[k]);
	tell_samples(state, group);
}

static void run_core(void *own, struct ifr_pass *pass) {
	struct vector_cores *state = own;
	if (!state->groups) {
		ifr_stage_core.run(state->cores, pass);
		return;
	}
	ifr_core_course_follow(&state->cores->course, pass);
	for (size_t i = 0; i < state->groups_count; i++)
		run_group(state, &state->groups[i], pass);
}

const struct ifr_stage IFR_VECTOR(stage_core) = {
	.name = ENGINE_NAME, .create = create_core, .run = run_core, .count = count_core, .destroy = destroy_core};
