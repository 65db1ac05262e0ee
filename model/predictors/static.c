/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static prediction: backward taken, forward not taken, as loops end after their bodies.
 * Ref: Smith 1981, "A study of branch prediction strategies", strategy 3. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"

static const struct ifr_parameter parameters[] = {{0}};

static void *create_static(const unsigned *values) {
	(void)values;
	return ifr_alloc(1);
}

static bool predict_static(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	return branch->backward;
}

static void train_static(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static void track_static(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run_static(void *state, const struct ifr_branches *branches,
                           const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_CONDITIONAL, predict_static, train_static,
	                          track_static);
}

const struct ifr_predictor ifr_predictor_static = {
	.name = "static",
	.about = "backward taken, forward not taken (Smith 1981)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_static,
	.destroy = free,
	.predict = predict_static,
	.train = train_static,
	.track = track_static,
	.run = run_static,
};
