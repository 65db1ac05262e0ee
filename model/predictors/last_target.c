/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Last target: an indirect branch goes where it went last, as with a BTB. Entries have no tags.
 * Ref: Lee and Smith 1984, "Branch prediction strategies and branch target buffer design". */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/memory/power.h"

struct last_target {
	uint64_t mask;
	uint64_t targets[];
};

enum { ENTRIES };

static const struct ifr_parameter parameters[] = {
	{"entries", 512, 1, 1u << 20, "targets, a power of two, by the branch's low bits (cachegrind: 512)"},
	{0},
};

static const char *refuse_last_target(const unsigned *values) {
	return ifr_is_power(values[ENTRIES]) ? NULL : "entries is not a power of two";
}

static void *create_last_target(const unsigned *values) {
	struct last_target *last = ifr_alloc(sizeof *last + values[ENTRIES] * sizeof *last->targets);
	last->mask = values[ENTRIES] - 1;
	return last;
}

static uint64_t predict_last_target(void *state, const struct ifr_branch_instance *branch) {
	const struct last_target *last = state;
	return last->targets[branch->pc & last->mask];
}

static void train_last_target(void *state, const struct ifr_branch_instance *branch) {
	struct last_target *last = state;
	last->targets[branch->pc & last->mask] = branch->target;
}

static void track_last_target(void *state, const struct ifr_branch_instance *branch) {
	(void)state;
	(void)branch;
}

static uint64_t run_last_target(void *state, const struct ifr_branches *branches,
                                const struct ifr_branch_layout *layout) {
	return ifr_target_loop(state, branches, layout, predict_last_target, train_last_target, track_last_target);
}

const struct ifr_target_predictor ifr_target_predictor_last = {
	.name = "last-target",
	.about = "where the branch went last (Lee and Smith 1984)",
	.parameters = parameters,
	.stream = IFR_STREAM_INDIRECT,
	.create = create_last_target,
	.destroy = free,
	.predict = predict_last_target,
	.train = train_last_target,
	.track = track_last_target,
	.run = run_last_target,
	.refuse = refuse_last_target,
};
