/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Never wrong about a target. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"

static const struct ifr_parameter parameters[] = {{0}};

static void *create(const unsigned *values) {
	(void)values;
	return ifr_alloc(1);
}

static uint64_t predict(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	return branch->target;
}

static void train(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static void track(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *places) {
	return ifr_target_loop(state, branches, places, predict, train, track);
}

const struct ifr_target_predictor ifr_target_predictor_perfect = {
	.name = "perfect",
	.about = "never wrong",
	.parameters = parameters,
	.stream = IFR_STREAM_INDIRECT,
	.create = create,
	.destroy = free,
	.predict = predict,
	.train = train,
	.track = track,
	.run = run,
};
