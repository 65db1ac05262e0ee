/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bimodal: a two-bit counter an address.
 * Ref: Smith 1981, "A study of branch prediction strategies", strategy 7. */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct bimodal {
	uint64_t mask;
	uint8_t *counters;
};

enum { COUNTERS };

static const struct ifr_parameter parameters[] = {
	{"counters", 8192, 2, 1u << 24, "2-bit counters, a power of two (Fields et al. 2004, table VII: 8K)"},
	{0},
};

static const char *refuse_bimodal(const unsigned *values) {
	return ifr_is_power(values[COUNTERS]) ? NULL : "counters is not a power of two";
}

static bool resize_bimodal(unsigned bytes, unsigned *values) {
	values[COUNTERS] = bytes * 4;
	return true;
}

static void *create_bimodal(const unsigned *values) {
	struct bimodal *bimodal = ifr_alloc(sizeof *bimodal);
	bimodal->mask = values[COUNTERS] - 1;
	bimodal->counters = ifr_counters2_new(values[COUNTERS], 1);
	return bimodal;
}

static void destroy_bimodal(void *state) {
	free(((struct bimodal *)state)->counters);
	free(state);
}

static inline bool predict_bimodal(void *state, const struct ifr_branch_instance *branch) {
	const struct bimodal *bimodal = state;
	return bimodal->counters[branch->pc & bimodal->mask] >> 1;
}

static inline void train_bimodal(void *state, const struct ifr_branch_instance *branch) {
	struct bimodal *bimodal = state;
	uint8_t *counter = &bimodal->counters[branch->pc & bimodal->mask];
	*counter = ifr_counter2(*counter, branch->taken);
}

static inline void track_bimodal(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run_bimodal(void *state, const struct ifr_branches *branches,
                            const struct ifr_branch_layout *layout) {
	/* A local copy can stay in registers: for all the compiler knows, a store to a counter could change *state. */
	struct bimodal local = *(struct bimodal *)state;
	const uint64_t misses = ifr_predictor_loop(&local, branches, layout, IFR_STREAM_CONDITIONAL, predict_bimodal,
	                                           train_bimodal, track_bimodal);
	*(struct bimodal *)state = local;
	return misses;
}

const struct ifr_predictor ifr_predictor_bimodal = {
	.name = "bimodal",
	.about = "a counter by address (Smith 1981)",
	.parameters = parameters,
	.stream = IFR_STREAM_CONDITIONAL,
	.create = create_bimodal,
	.destroy = destroy_bimodal,
	.predict = predict_bimodal,
	.train = train_bimodal,
	.track = track_bimodal,
	.run = run_bimodal,
	.refuse = refuse_bimodal,
	.resize = resize_bimodal,
};
