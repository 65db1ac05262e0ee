/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets of indirect branches, with one predictor a lane. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct target_lane {
	void *predictor;
	uint64_t misses;
};

static void *create_targets(const struct ifr_pass *pass) {
	struct target_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++)
		lanes[i].predictor = pass->machine->indirect->create(pass->machine->indirect_values);
	return lanes;
}

static void destroy_targets(void *state, const struct ifr_pass *pass) {
	struct target_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++)
		pass->machine->indirect->destroy(lanes[i].predictor);
	free(lanes);
}

static void run_targets(void *state, struct ifr_pass *pass) {
	struct target_lane *lanes = state;
	const struct ifr_target_predictor *kind = pass->machine->indirect;
	const struct ifr_branches branches = ifr_pass_stream(pass, kind->stream);
	for (size_t i = 0; i < pass->lanes_count; i++)
		lanes[i].misses += kind->run(lanes[i].predictor, &branches, &pass->branch_layouts[i]);
}

static void count_targets(const void *state, const struct ifr_pass *pass, size_t lane,
                          struct ifr_counts *counters) {
	(void)pass;
	counters->value[IFR_EVENT_INDIRECT_MISSES] += ((const struct target_lane *)state)[lane].misses;
}

const struct ifr_stage ifr_stage_targets = {.name = "scalar",
                                            .create = create_targets,
                                            .run = run_targets,
                                            .count = count_targets,
                                            .destroy = destroy_targets};
