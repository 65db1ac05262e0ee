/* SPDX-License-Identifier: GPL-3.0-or-later */
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

/* A core with a set of causes idealised. */
struct set_core {
	const struct timing *timing;
	struct ifr_core core;
	struct ifr_front *front;
	struct ifr_graph *graph;
	struct ifr_placed *placed; /* by block */
};

static void run_step(struct set_core *set, const struct ifr_shotgun_step *step) {
	const struct ifr_shotgun_code *code = set->timing->code;
	const struct ifr_shotgun_fragments *fragments = set->timing->fragments;
	const struct ifr_trace_block *block = &code->blocks[step->block];
	struct ifr_placed *placed = &set->placed[step->block];
	size_t count;
	if (!placed->parts)
		ifr_core_place(&set->core, code->program, step->block, step->address, block->bytes, placed);
	const struct ifr_core_outcome outcome = {.addresses = fragments->addresses + step->first_access,
	                                         .accesses = fragments->accesses + block->first_access,
	                                         .levels = fragments->levels + step->first_access,
	                                         .fetch_wait = step->line_wait,
	                                         .page_wait = step->page_wait,
	                                         .decoded =
	                                             step->decoded && ifr_core_idealises(&set->core, IFR_CAUSE_DSB),
	                                         .btb = step->btb,
	                                         .taken = step->taken,
	                                         .mispredicted = step->mispredicted};
	ifr_front_tell(set->front, &step->decoded);
	const struct ifr_delivery *deliveries =
		ifr_front_enter(set->front, placed, step->block, step->taken, step->call, &count);
	ifr_graph_add(set->graph, code->program, placed, deliveries, count, &outcome);
}

static int64_t run_steps(struct set_core *set, uint32_t from, uint32_t to) {
	for (uint32_t i = from; i < to; i++)
		run_step(set, &set->timing->fragments->steps[i]);
	return ifr_graph_cycle(set->graph);
}

static int time_set(size_t index, size_t thread, void *data, struct ifr_error *err) {
	const struct timing *timing = data;
	const struct ifr_shotgun_fragments *fragments = timing->fragments;
	struct set_core set = {.timing = timing};
	double *cycles = timing->times->fragment_cycles + index * fragments->count, sum = 0;
	(void)thread;
	(void)err;
	ifr_core_init(&set.core, timing->machine);
	ifr_core_idealise(&set.core, timing->sets[index]);
	set.front = ifr_front_new(&set.core);
	set.graph = ifr_graph_new(&set.core);
	set.placed = ifr_alloc((timing->code->blocks_count + 1) * sizeof *set.placed);
	for (size_t i = 0; i < fragments->count; i++) {
		const struct ifr_shotgun_fragment *fragment = &fragments->items[i];
		ifr_front_cut(set.front);
		ifr_graph_drain(set.graph);
		const int64_t begun = run_steps(&set, fragment->first, fragment->measured);
		cycles[i] =
			timing->weights[fragment->head] * (double)(run_steps(&set, fragment->measured, fragment->end) - begun);
		sum += cycles[i];
	}
	timing->times->cycles[index] = sum;
	for (size_t i = 0; i < timing->code->blocks_count; i++)
		free(set.placed[i].parts);
	free(set.placed);
	ifr_graph_free(set.graph);
	ifr_front_free(set.front);
	return 0;
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
	struct ifr_error none = {0};
	const double measured = weight_fragments(fragments, (double)instructions, timing.weights);
	*times = (struct ifr_ideal_times){.sets = count, .fragments = fragments->count, .rest = (double)instructions};
	times->cycles = ifr_alloc((count + 1) * sizeof *times->cycles);
	times->fragment_cycles = ifr_alloc((count * fragments->count + 1) * sizeof *times->fragment_cycles);
	times->fragment_instructions = ifr_alloc((fragments->count + 1) * sizeof *times->fragment_instructions);
	for (size_t i = 0; i < fragments->count; i++)
		times->fragment_instructions[i] =
			(uint32_t)lrint(timing.weights[fragments->items[i].head] * fragments->items[i].instructions);
	ifr_parallel_each(count, ifr_parallel_processors(), time_set, &timing, &none);
	for (size_t i = 0; i < count && measured > 0; i++)
		times->cycles[i] *= (double)instructions / measured;
}
