/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BTB: taken branches, lane by lane. A level is looked up, and takes the branch, if the level before missed
 * it. A branch that no level has is a BTB miss. */
#include "model/replay/stages.h"

#include <stdlib.h>

#define LEVELS 3

struct btb_lane {
	struct ifr_cache levels[LEVELS];
	size_t levels_count;
	uint64_t misses;
};

static void *create_btb(const struct ifr_pass *pass) {
	static const enum ifr_setting first[LEVELS] = {IFR_BTB1_ENTRIES, IFR_BTB2_ENTRIES, IFR_BTB3_ENTRIES};
	struct btb_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++)
		for (size_t level = 0; level < LEVELS && pass->machine->values[first[level]]; level++)
			ifr_cache_init(&lanes[i].levels[lanes[i].levels_count++],
			               ifr_machine_btb_shape(pass->machine, first[level]));
	return lanes;
}

static void destroy_btb(void *state, const struct ifr_pass *pass) {
	struct btb_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++)
		for (size_t level = 0; level < lanes[i].levels_count; level++)
			ifr_cache_release(&lanes[i].levels[level]);
	free(lanes);
}

/* Returns the level that has the branch, or how many there are. */
static size_t find_level(struct btb_lane *lane, uint64_t pc) {
	size_t level = 0;
	while (level < lane->levels_count && !ifr_cache_touch(&lane->levels[level], pc))
		level++;
	return level;
}

static void run_btb(void *state, struct ifr_pass *pass) {
	struct btb_lane *lanes = state;
	const struct ifr_branches branches = ifr_pass_stream(pass, IFR_STREAM_TAKEN);
	for (size_t i = 0; i < pass->lanes_count && lanes[i].levels_count; i++)
		for (size_t k = 0; k < branches.count; k++) {
			const size_t level = find_level(&lanes[i], pass->branch_layouts[i].pcs[branches.executions[k] >> 1]);
			lanes[i].misses += level == lanes[i].levels_count;
			if (pass->outcomes && level)
				ifr_marks_add(&pass->outcomes[i].taken,
				              (uint32_t)k << IFR_BTB_LEVEL_BITS |
				                  (uint32_t)(level < lanes[i].levels_count ? level : IFR_NO_BTB));
		}
}

static void count_btb(const void *state, const struct ifr_pass *pass, size_t lane, struct ifr_counts *counters) {
	(void)pass;
	counters->value[IFR_EVENT_BTB_MISSES] += ((const struct btb_lane *)state)[lane].misses;
}

static void want_btb(struct ifr_pass *pass) {
	if (pass->machine->values[IFR_BTB1_ENTRIES])
		pass->wanted[IFR_STREAM_TAKEN] = true;
}

const struct ifr_stage ifr_stage_btb = {.name = "scalar",
                                        .create = create_btb,
                                        .run = run_btb,
                                        .count = count_btb,
                                        .destroy = destroy_btb,
                                        .want = want_btb};
