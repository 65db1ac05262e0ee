/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Perfect prediction of targets. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"

static const struct ifr_parameter parameters[] = {{0}};

static void *create_perfect_target(const unsigned *values) {
	(void)values;
	return ifr_alloc(1);
}

static uint64_t predict_perfect_target(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	return branch->target;
}

static void train_perfect_target(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static void track_perfect_target(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run_perfect_target(void *state, const struct ifr_branches *branches,
                                   const struct ifr_branch_layout *layout) {
	return ifr_target_loop(state, branches, layout, predict_perfect_target, train_perfect_target,
	                       track_perfect_target);
}

const struct ifr_target_predictor ifr_target_predictor_perfect = {
	.name = "perfect",
	.about = "never wrong",
	.parameters = parameters,
	.stream = IFR_STREAM_INDIRECT,
	.create = create_perfect_target,
	.destroy = free,
	.predict = predict_perfect_target,
	.train = train_perfect_target,
	.track = track_perfect_target,
	.run = run_perfect_target,
};
