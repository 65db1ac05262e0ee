/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core of sixteen lanes at once: front ends side by side (joint_front.h), and one graph of all lanes
 * (graph_lanes.h). Runs that idealise causes, or note what single instructions and loads cost, are the scalar stage's,
 * and so are a few lanes and descriptions that the graph does not fit. */
#include <stdlib.h>

#include "model/replay/vector/outcomes.h"

enum { LANES_LEAST = 4 };

/* Lanes that share a graph. */
struct core_group {
	size_t first, count; /* of the pass's lanes; the last fills up the graph */
	struct joint_front *front;
	struct lanes_graph *graph;
};

struct vector_cores {
	struct cores *cores;
	struct core_group *groups; /* NULL: the scalar stage runs */
	size_t groups_count;
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
	for (size_t i = 0; i < state->groups_count; i++) {
		const size_t first = i * LANES, rest = pass->lanes_count - first;
		const size_t count = rest < LANES ? rest : LANES;
		state->groups[i] = (struct core_group){
			first, count, joint_front_new(&state->cores->core, &state->cores->lanes[first], first, count),
			IFR_VECTOR(graph_new)(&state->cores->core, pass->program)};
	}
	return state;
}

static void destroy_core(void *own, const struct ifr_pass *pass) {
	struct vector_cores *state = own;
	for (size_t i = 0; i < state->groups_count; i++) {
		joint_front_free(state->groups[i].front);
		IFR_VECTOR(graph_free)(state->groups[i].graph);
	}
	free(state->groups);
	core_lanes_destroy(state->cores, pass);
	free(state);
}

static void count_core(const void *own, const struct ifr_pass *pass, size_t index, struct ifr_counts *counters) {
	const struct vector_cores *state = own;
	ifr_stage_core.count(state->cores, pass, index, counters);
}

/* --- the sequence --------------------------------------------------------------------------------------------- */

/* Tells the lanes' samples the cycles and counts so far. */
static void tell_samples(struct vector_cores *state, const struct core_group *group) {
	struct core_lane *lanes = &state->cores->lanes[group->first];
	struct lanes_graph *graph = group->graph;
	IFR_VECTOR(graph_settle)(graph);
	for (size_t i = 0; i < group->count; i++) {
		struct core_graph *own = &lanes[i].graphs[0];
		ifr_graph_set(own->graph, graph->base[i] + (int32_t)graph->retire.at[i], &graph->counts[i]);
		joint_front_slots(group->front, i, own->slots);
		own->sample.instructions = lanes[0].graphs[0].sample.instructions;
	}
}

/* The first lane's sample counts the instructions of all. */
static void advance_samples(struct vector_cores *state, const struct core_group *group, unsigned instructions) {
	struct core_lane *lanes = &state->cores->lanes[group->first];
	struct ifr_core_sample *first = &lanes[0].graphs[0].sample;
	first->instructions += instructions;
	if (first->instructions <= first->unchanged)
		return;
	tell_samples(state, group);
	for (size_t i = 0; i < group->count; i++)
		ifr_core_sample_change(&lanes[i].graphs[0].sample, lanes[i].graphs[0].graph, lanes[i].graphs[0].slots);
}

static void run_step(struct vector_cores *state, const struct core_group *group, struct lanes_cursor *at,
                     size_t execution) {
	const struct ifr_pass *pass = at->pass;
	const uint32_t before = at->before, block = pass->chunk->executions[execution] >> 1;
	const bool follows = before != IFR_EXECUTION_BREAK;
	const bool call = follows && pass->kinds[before >> 1] >= IFR_BRANCH_CALL;
	struct lanes_step step;
	if (!follows)
		joint_front_cut(group->front);
	IFR_VECTOR(cursor_next)(at, execution, &step);
	step.front = group->front;
	step.entry = joint_front_enter(group->front, pass, block, step.taken, call);
	step.codes = pass->program->blocks[block];
	if (state->cores->lanes[group->first].graphs[0].sample.detailed)
		IFR_VECTOR(graph_add)(group->graph, pass->program, &step);
	advance_samples(state, group, pass->lanes[group->first].blocks[block].instructions);
}

static void run_span(struct vector_cores *state, const struct core_group *group, struct lanes_cursor *at,
                     const struct ifr_core_span *span) {
	const uint32_t *executions = at->pass->chunk->executions;
	IFR_VECTOR(cursor_begin)(at, span);
	if (span->apart) {
		joint_front_cut(group->front);
		for (size_t i = 0; i < group->count; i++)
			ifr_core_sample_skip(&state->cores->lanes[group->first + i].graphs[0].sample, span->instructions);
	}
	for (size_t i = span->first; i < span->end; i++)
		if (executions[i] == IFR_EXECUTION_BREAK)
			at->before = IFR_EXECUTION_BREAK;
		else
			run_step(state, group, at, i);
}

static void run_group(struct vector_cores *state, const struct core_group *group, const struct ifr_pass *pass) {
	const struct ifr_core_course *course = &state->cores->course;
	struct lanes_cursor cursor;
	for (size_t i = 0; i < group->count; i++)
		core_front_add_blocks(&state->cores->lanes[group->first + i].fronts[0], pass->blocks_count);
	IFR_VECTOR(cursor_new)(&cursor, &state->cores->core, course, pass, group->first, group->count);
	for (size_t k = 0; k < course->spans_count; k++)
		run_span(state, group, &cursor, &course->spans[k]);
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
