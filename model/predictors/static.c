/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backward taken, forward not: loops end behind their bodies. Ref: Smith 1981, "A study of branch prediction
 * strategies", strategy 3. */
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
	return branch->backward;
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
	return ifr_predictor_loop(state, branches, places, IFR_STREAM_CONDITIONAL, predict, train, track);
}

const struct ifr_predictor ifr_predictor_static = {
	.name = "static",
	.about = "backward taken, forward not taken (Smith 1981)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create,
	.destroy = free,
	.predict = predict,
	.train = train,
	.track = track,
	.run = run,
};
