/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Perfect prediction: the execution without mispredictions (Program Interferometry, section 7.2.1). */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"

static const struct ifr_parameter parameters[] = {{0}};

static void *create_perfect(const unsigned *values) {
	(void)values;
	return ifr_alloc(1);
}

static bool predict_perfect(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	return branch->taken;
}

static void ignore_outcome(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run_perfect(void *state, const struct ifr_branches *branches,
                            const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_CONDITIONAL, predict_perfect, ignore_outcome,
	                          ignore_outcome);
}

const struct ifr_predictor ifr_predictor_perfect = {
	.name = "perfect",
	.about = "never wrong",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_perfect,
	.destroy = free,
	.predict = predict_perfect,
	.train = ignore_outcome,
	.track = ignore_outcome,
	.run = run_perfect,
};
