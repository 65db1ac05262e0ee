/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Directions of conditional branches, with one predictor a lane. */
#include "model/replay/stages.h"

#include <stdlib.h>

struct direction_lane {
	void *predictor;
	uint64_t misses;
};

static void *create_direction(const struct ifr_pass *pass) {
	struct direction_lane *lanes = ifr_alloc(pass->lanes_count * sizeof *lanes);
	for (size_t i = 0; i < pass->lanes_count; i++)
		lanes[i].predictor = pass->machine->direction->create(pass->machine->direction_values);
	return lanes;
}

static void destroy_direction(void *state, const struct ifr_pass *pass) {
	struct direction_lane *lanes = state;
	for (size_t i = 0; i < pass->lanes_count; i++)
		pass->machine->direction->destroy(lanes[i].predictor);
	free(lanes);
}

/* Predicts branch by branch, and notes the conditional ones that it missed. */
static uint64_t run_noting(const struct ifr_predictor *kind, void *predictor, const struct ifr_branches *branches,
                           const struct ifr_branch_layout *layout, struct ifr_marks *marks) {
	uint64_t misses = 0;
	uint32_t number = 0;
	for (size_t i = 0; i < branches->count; i++) {
		const struct ifr_branches one = {branches->executions + i, branches->next ? branches->next + i : NULL, 1};
		const uint64_t missed = kind->run(predictor, &one, layout);
		if (kind->stream == IFR_STREAM_CONDITIONAL ||
		    layout->kinds[branches->executions[i] >> 1] == IFR_BRANCH_CONDITIONAL) {
			if (missed)
				ifr_marks_add(marks, number);
			number++;
		}
		misses += missed;
	}
	return misses;
}

static void run_direction(void *state, struct ifr_pass *pass) {
	struct direction_lane *lanes = state;
	const struct ifr_predictor *kind = pass->machine->direction;
	const struct ifr_branches branches = ifr_pass_stream(pass, kind->stream);
	for (size_t i = 0; i < pass->lanes_count; i++)
		lanes[i].misses += pass->outcomes ? run_noting(kind, lanes[i].predictor, &branches,
		                                               &pass->branch_layouts[i], &pass->outcomes[i].conditional)
		                                  : kind->run(lanes[i].predictor, &branches, &pass->branch_layouts[i]);
}

static void count_direction(const void *state, const struct ifr_pass *pass, size_t lane,
                            struct ifr_counts *counters) {
	(void)pass;
	counters->value[IFR_EVENT_CONDITIONAL_MISSES] += ((const struct direction_lane *)state)[lane].misses;
}

const struct ifr_stage ifr_stage_direction = {.name = "scalar",
                                              .create = create_direction,
                                              .run = run_direction,
                                              .count = count_direction,
                                              .destroy = destroy_direction};
