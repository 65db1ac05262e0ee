/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/replay/core_lanes.h"

#include <stdlib.h>
#include <string.h>

static unsigned find_front(struct core_lane *lane, const struct ifr_pass *pass, uint32_t set) {
	for (unsigned i = 0; i < lane->fronts_count; i++)
		if (lane->fronts[i].set == set)
			return i;
	struct core_front *front = &lane->fronts[lane->fronts_count];
	front->set = set;
	ifr_core_init(&front->core, pass->machine);
	ifr_core_idealise(&front->core, set);
	front->front = ifr_front_new(&front->core);
	return lane->fronts_count++;
}

void core_reserve_cycles(struct ifr_sampled_cycles *cycles, size_t count) {
	if (count <= cycles->count)
		return;
	cycles->head = ifr_realloc(cycles->head, count, sizeof *cycles->head);
	cycles->sampled = ifr_realloc(cycles->sampled, count, sizeof *cycles->sampled);
	memset(cycles->head + cycles->count, 0, (count - cycles->count) * sizeof *cycles->head);
	memset(cycles->sampled + cycles->count, 0, (count - cycles->count) * sizeof *cycles->sampled);
	cycles->count = count;
}

static void create_graph(struct core_lane *lane, const struct ifr_pass *pass, size_t index) {
	struct core_graph *graph = &lane->graphs[index];
	const uint32_t set = index ? pass->ideal_sets[index - 1] : 0;
	if (index && !set)
		return;
	graph->front = find_front(lane, pass, set & IFR_CAUSES_OF_FRONT);
	ifr_core_init(&graph->core, pass->machine);
	ifr_core_idealise(&graph->core, set);
	graph->graph = ifr_graph_new(&graph->core);
	graph->sample.period = pass->core_period;
	graph->sample.detailed = true;
	if (pass->ideal_instructions)
		core_reserve_cycles(&graph->retirement, pass->program->instructions_count);
}

void *core_lanes_create(const struct ifr_pass *pass) {
	struct cores *cores = ifr_alloc(sizeof *cores);
	if (!pass->program)
		return cores;
	ifr_core_init(&cores->core, pass->machine);
	ifr_core_course_init(&cores->course, pass);
	cores->graphs_count = 1 + pass->ideal_sets_count;
	cores->lanes = ifr_alloc(pass->lanes_count * sizeof *cores->lanes);
	for (size_t i = 0; i < pass->lanes_count; i++) {
		cores->lanes[i].graphs = ifr_alloc(cores->graphs_count * sizeof *cores->lanes[i].graphs);
		for (size_t k = 0; k < cores->graphs_count; k++)
			create_graph(&cores->lanes[i], pass, k);
	}
	return cores;
}

static void free_lane(struct core_lane *lane, size_t graphs_count) {
	for (unsigned i = 0; i < lane->fronts_count; i++) {
		struct core_front *front = &lane->fronts[i];
		for (size_t k = 0; k < front->placed_count; k++)
			free(front->placed[k].parts);
		free(front->placed);
		ifr_front_free(front->front);
	}
	for (size_t i = 0; i < graphs_count; i++) {
		ifr_graph_free(lane->graphs[i].graph);
		free(lane->graphs[i].fragments);
		free(lane->graphs[i].retirement.head);
		free(lane->graphs[i].retirement.sampled);
	}
	free(lane->graphs);
}

void core_lanes_destroy(void *state, const struct ifr_pass *pass) {
	struct cores *cores = state;
	for (size_t i = 0; i < pass->lanes_count && cores->lanes; i++)
		free_lane(&cores->lanes[i], cores->graphs_count);
	ifr_core_course_release(&cores->course);
	free(cores->lanes);
	free(cores->deliveries);
	free(cores->fragment_instructions);
	free(cores);
}

void core_front_add_blocks(struct core_front *front, size_t count) {
	if (count <= front->placed_count)
		return;
	front->placed = ifr_realloc(front->placed, count, sizeof *front->placed);
	for (; front->placed_count < count; front->placed_count++)
		front->placed[front->placed_count] = (struct ifr_placed){0};
}
