/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All sets that idealise nothing of the front end share it, as in model/replay/core.c: the fragments go through it once,
 * and then through the graph of each set. */
#include "model/shotgun/times.h"

#include <math.h>
#include <stdlib.h>

#include "common/parallel.h"

struct timing {
	const struct ifr_shotgun_code *code;
	const struct ifr_shotgun_fragments *fragments;
	const struct ifr_machine *machine;
	const uint32_t *sets;
	struct ifr_ideal_times *times;
	double
		weights[2]; /* of fragments of the rest, and of the head; of all instructions of fragments the mean is 1 */
};

/* The sets that idealise the same part of the front end (IFR_CAUSES_OF_FRONT): where their slots come from. */
struct set_group {
	const struct timing *timing;
	size_t *members, count;    /* numbers of sets */
	struct ifr_placed *placed; /* by block */
	struct ifr_delivery *deliveries;
	size_t deliveries_count, deliveries_room;
	size_t *first; /* of them, by step, and behind the last one */
};

/* --- the front end ------------------------------------------------------------------------------------------------ */

static void keep_deliveries(struct set_group *group, size_t step, const struct ifr_delivery *deliveries,
                            size_t count) {
	if (group->deliveries_count + count > group->deliveries_room) {
		group->deliveries_room = 2 * (group->deliveries_count + count) + 4096;
		group->deliveries = ifr_realloc(group->deliveries, group->deliveries_room, sizeof *group->deliveries);
	}
	group->first[step] = group->deliveries_count;
	for (size_t i = 0; i < count; i++)
		group->deliveries[group->deliveries_count++] = deliveries[i];
	group->first[step + 1] = group->deliveries_count;
}

/* Brings all fragments through the front end of a group. */
static void run_front(struct set_group *group) {
	const struct timing *timing = group->timing;
	const struct ifr_shotgun_code *code = timing->code;
	const struct ifr_shotgun_fragments *fragments = timing->fragments;
	struct ifr_core core;
	ifr_core_init(&core, timing->machine);
	ifr_core_idealise(&core, timing->sets[group->members[0]] & IFR_CAUSES_OF_FRONT);
	struct ifr_front *front = ifr_front_new(&core);
	for (size_t i = 0; i < fragments->count; i++) {
		ifr_front_cut(front);
		for (size_t k = fragments->items[i].first; k < fragments->items[i].end; k++) {
			const struct ifr_shotgun_step *step = &fragments->steps[k];
			struct ifr_placed *placed = &group->placed[step->block];
			size_t count;
			if (!placed->parts)
				ifr_core_place(&core, code->program, step->block, step->address, code->blocks[step->block].bytes,
				               placed);
			ifr_front_tell(front, &step->decoded);
			const struct ifr_delivery *deliveries =
				ifr_front_enter(front, placed, step->block, step->taken, step->call, &count);
			keep_deliveries(group, k, deliveries, count);
		}
	}
	ifr_front_free(front);
}

/* --- the graph ---------------------------------------------------------------------------------------------------- */

/* Returns the cycle behind the steps. */
static int64_t run_graph(const struct set_group *group, struct ifr_graph *graph, bool all_cached, uint32_t from,
                         uint32_t to) {
	const struct ifr_shotgun_code *code = group->timing->code;
	const struct ifr_shotgun_fragments *fragments = group->timing->fragments;
	for (uint32_t i = from; i < to; i++) {
		const struct ifr_shotgun_step *step = &fragments->steps[i];
		const struct ifr_core_outcome outcome = {.addresses = fragments->addresses + step->first_access,
		                                         .accesses =
		                                             fragments->accesses + code->blocks[step->block].first_access,
		                                         .levels = fragments->levels + step->first_access,
		                                         .fetch_wait = step->line_wait,
		                                         .page_wait = step->page_wait,
		                                         .decoded = step->decoded && all_cached,
		                                         .btb = step->btb,
		                                         .taken = step->taken,
		                                         .leaves = i + 1 < to && step[1].taken,
		                                         .known = step->known,
		                                         .mispredicted = step->mispredicted};
		ifr_graph_add(graph, code->program, &group->placed[step->block], group->deliveries + group->first[i],
		              group->first[i + 1] - group->first[i], &outcome);
	}
	return ifr_graph_cycle(graph);
}

static int time_set(size_t member, size_t thread, void *data, struct ifr_error *err) {
	const struct set_group *group = data;
	const struct timing *timing = group->timing;
	const struct ifr_shotgun_fragments *fragments = timing->fragments;
	const size_t index = group->members[member];
	double *cycles = timing->times->fragment_cycles + index * fragments->count, sum = 0;
	struct ifr_core core;
	(void)thread;
	(void)err;
	ifr_core_init(&core, timing->machine);
	ifr_core_idealise(&core, timing->sets[index]);
	const bool all_cached = ifr_core_idealises(&core, IFR_CAUSE_DSB);
	struct ifr_graph *graph = ifr_graph_new(&core);
	for (size_t i = 0; i < fragments->count; i++) {
		const struct ifr_shotgun_fragment *fragment = &fragments->items[i];
		ifr_graph_drain(graph);
		const int64_t begun = run_graph(group, graph, all_cached, fragment->first, fragment->measured);
		cycles[i] = timing->weights[fragment->head] *
		            (double)(run_graph(group, graph, all_cached, fragment->measured, fragment->end) - begun);
		sum += cycles[i];
	}
	timing->times->cycles[index] = sum;
	ifr_graph_free(graph);
	return 0;
}

/* Carries out the sets that have the front end of the given one. */
static void time_group(const struct timing *timing, size_t count, uint32_t front) {
	const size_t blocks = timing->code->blocks_count;
	struct set_group group = {.timing = timing};
	struct ifr_error none = {0};
	group.members = ifr_alloc((count + 1) * sizeof *group.members);
	for (size_t i = 0; i < count; i++)
		if ((timing->sets[i] & IFR_CAUSES_OF_FRONT) == front)
			group.members[group.count++] = i;
	group.placed = ifr_alloc((blocks + 1) * sizeof *group.placed);
	group.first = ifr_alloc((timing->fragments->steps_count + 2) * sizeof *group.first);
	run_front(&group);
	ifr_parallel_each(group.count, ifr_parallel_processors(), time_set, &group, &none);
	for (size_t i = 0; i < blocks; i++)
		free(group.placed[i].parts);
	free(group.placed);
	free(group.first);
	free(group.deliveries);
	free(group.members);
}

/* Whether no set before this one has its front end. */
static bool is_first(const uint32_t *sets, size_t index) {
	for (size_t i = 0; i < index; i++)
		if (!((sets[i] ^ sets[index]) & IFR_CAUSES_OF_FRONT))
			return false;
	return true;
}

/* Weights fragments by what they stand for. Returns the instructions of all. */
static double weight_fragments(const struct ifr_shotgun_fragments *fragments, double run, double weights[2]) {
	double measured[2] = {0};
	for (size_t i = 0; i < fragments->count; i++)
		measured[fragments->items[i].head] += fragments->items[i].instructions;
	const double all = measured[0] + measured[1];
	const bool both = measured[0] > 0 && measured[1] > 0 && run > IFR_CORE_HEAD;
	weights[0] = both ? (run - IFR_CORE_HEAD) / run * all / measured[0] : 1;
	weights[1] = both ? IFR_CORE_HEAD / run * all / measured[1] : 1;
	return all;
}

void ifr_shotgun_times(const struct ifr_shotgun_code *code, const struct ifr_shotgun_fragments *fragments,
                       const struct ifr_machine *machine, const uint32_t *sets, size_t count,
                       uint64_t instructions, struct ifr_ideal_times *times) {
	struct timing timing = {code, fragments, machine, sets, times, {0}};
	const double measured = weight_fragments(fragments, (double)instructions, timing.weights);
	*times = (struct ifr_ideal_times){.sets = count, .fragments = fragments->count, .rest = (double)instructions};
	times->cycles = ifr_alloc((count + 1) * sizeof *times->cycles);
	times->fragment_cycles = ifr_alloc((count * fragments->count + 1) * sizeof *times->fragment_cycles);
	times->fragment_instructions = ifr_alloc((fragments->count + 1) * sizeof *times->fragment_instructions);
	for (size_t i = 0; i < fragments->count; i++)
		times->fragment_instructions[i] =
			(uint32_t)lrint(timing.weights[fragments->items[i].head] * fragments->items[i].instructions);
	for (size_t i = 0; i < count; i++)
		if (is_first(sets, i))
			time_group(&timing, count, sets[i] & IFR_CAUSES_OF_FRONT);
	for (size_t i = 0; i < count && measured > 0; i++)
		times->cycles[i] *= (double)instructions / measured;
}
