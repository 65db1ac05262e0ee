/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taken branches in the BTB, every lane on its own. A level is asked, and takes the branch, when the level before
 * has it not; what no level has is a miss. Only taken branches come in. */
#include "model/replay/stages.h"

#include <stdlib.h>

#define LEVELS 3

struct btb_lane {
	struct ifr_cache levels[LEVELS];
	size_t levels_count;
	uint64_t misses;
};

static void *create(const struct ifr_pass *pass) {
	static const enum ifr_setting first[LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	struct btb_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++)
		for (size_t level = 0; level < LEVELS && pass->machine->values[first[level]]; level++)
			ifr_cache_init(&lanes[i].levels[lanes[i].levels_count++],
			               ifr_machine_btb_shape(pass->machine, first[level]));
	return lanes;
}

static void destroy(void *state, const struct ifr_pass *pass) {
	struct btb_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++)
		for (size_t level = 0; level < lanes[i].levels_count; level++)
			ifr_cache_release(&lanes[i].levels[level]);
	free(lanes);
}

static bool has(struct btb_lane *lane, uint64_t pc) {
	for (size_t level = 0; level < lane->levels_count; level++)
		if (ifr_cache_touch(&lane->levels[level], pc))
			return true;
	return false;
}

static void run(void *state, struct ifr_pass *pass) {
	struct btb_lane *lanes = state;
	const struct ifr_branches branches = ifr_pass_stream(pass, IFR_STREAM_TAKEN);
	for (size_t i = 0; i < pass->lanes_count && lanes[i].levels_count; i++)
		for (size_t k = 0; k < branches.count; k++)
			lanes[i].misses += !has(&lanes[i], pass->branch_layouts[i].pcs[branches.executions[k] >> 1]);
}

static void count(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	(void)pass;
	counters->value[IFR_EVENT_BTB_MISSES] += ((const struct btb_lane *)state)[lane].misses;
}

static void want(struct ifr_pass *pass) {
	if (pass->machine->values[IFR_BTB1_ENTRIES])
		pass->wanted[IFR_STREAM_TAKEN] = true;
}

const struct ifr_stage ifr_stage_btb = {
	.name = "scalar", .create = create, .run = run, .count = count, .destroy = destroy, .want = want};
