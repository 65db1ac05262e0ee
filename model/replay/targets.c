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

/* Predicts branch by branch, and notes the indirect ones that it missed. */
static uint64_t run_noting(const struct ifr_target_predictor *kind, void *predictor,
                           const struct ifr_branches *branches, const struct ifr_branch_layout *layout,
                           struct ifr_marks *marks) {
	uint64_t misses = 0;
	uint32_t number = 0;
	for (size_t i = 0; i < branches->count; i++) {
		const struct ifr_branches one = {branches->executions + i, branches->next + i, 1};
		const uint64_t missed = kind->run(predictor, &one, layout);
		if (ifr_branch_is_indirect(layout->kinds[branches->executions[i] >> 1])) {
			if (missed)
				ifr_marks_add(marks, number);
			number++;
		}
		misses += missed;
	}
	return misses;
}

static void run_targets(void *state, struct ifr_pass *pass) {
	struct target_lane *lanes = state;
	const struct ifr_target_predictor *kind = pass->machine->indirect;
	const struct ifr_branches branches = ifr_pass_stream(pass, kind->stream);
	for (size_t i = 0; i < pass->lanes_count; i++)
		lanes[i].misses += pass->outcomes ? run_noting(kind, lanes[i].predictor, &branches,
		                                               &pass->branch_layouts[i], &pass->outcomes[i].indirect)
		                                  : kind->run(lanes[i].predictor, &branches, &pass->branch_layouts[i]);
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
