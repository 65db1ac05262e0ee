/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Never wrong: what is left when mispredictions are gone (Program Interferometry, section 7.2.1). */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"

static const struct ifr_parameter parameters[] = {{0}};

static void *create(const unsigned *values) {
	(void)values;
	return ifr_alloc(1);
}

static bool predict(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	return branch->taken;
}

static void learn(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run(void *state, const struct ifr_branches *branches, const struct ifr_branch_layout *places) {
	return ifr_predictor_loop(state, branches, places, IFR_STREAM_CONDITIONAL, predict, learn, learn);
}

const struct ifr_predictor ifr_predictor_perfect = {
	.name = "perfect",
	.about = "never wrong",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create,
	.destroy = free,
	.predict = predict,
	.train = learn,
	.track = learn,
	.run = run,
};
