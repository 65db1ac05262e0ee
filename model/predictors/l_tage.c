/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-TAGE: TAGE with a loop predictor. tage.h and loop.h list the deviations.
 * Ref: Seznec 2007, "A 256 Kbits L-TAGE branch predictor". */
#include "model/predictors/run.h"

#include <stdlib.h>

#include "common/buffer.h"
#include "model/predictors/loop.h"
#include "model/predictors/tage.h"

struct l_tage {
	struct ifr_tage tage;
	struct ifr_loop loop;
	bool uses_loop, final;
};

/* Seznec 2007, table 1. */
const struct ifr_tage_shape ifr_l_tage_shape = {
	.base_log = 14,
	.logs = {10, 10, 11, 11, 11, 11, 10, 10, 10, 10, 9, 9},
	.tags = {7, 7, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15},
	.lengths = {4, 6, 10, 16, 25, 40, 64, 101, 160, 254, 403, 640},
};

enum { LOOP };

static const struct ifr_parameter parameters[] = {
	{"loop", 1, 0, 1, "1: with the loop predictor, 0: TAGE alone"},
	{0},
};

static void *create_l_tage(const unsigned *values) {
	struct l_tage *l = ifr_alloc(sizeof *l);
	ifr_tage_init(&l->tage, &ifr_l_tage_shape);
	l->loop.trust = -1;
	l->uses_loop = values[LOOP];
	return l;
}

static void destroy_l_tage(void *state) {
	ifr_tage_release(&((struct l_tage *)state)->tage);
	free(state);
}

static bool predict_l_tage(void *state, const struct ifr_branch_instance *branch) {
	struct l_tage *l = state;
	l->final = ifr_tage_predict(&l->tage, branch->pc);
	if (l->uses_loop && ifr_loop_predict(&l->loop, branch->pc) && l->loop.trust >= 0)
		l->final = l->loop.taken;
	return l->final;
}

static void train_l_tage(void *state, const struct ifr_branch_instance *branch) {
	struct l_tage *l = state;
	if (l->uses_loop)
		ifr_loop_train(&l->loop, branch->pc, branch->taken, l->tage.taken, l->final);
	ifr_tage_train(&l->tage, branch->pc, branch->taken);
}

static void track_l_tage(void *state, const struct ifr_branch_instance *branch) {
	ifr_tage_track(&((struct l_tage *)state)->tage, branch->pc, branch->taken);
}

static uint64_t run_l_tage(void *state, const struct ifr_branches *branches,
                           const struct ifr_branch_layout *layout) {
	return ifr_predictor_loop(state, branches, layout, IFR_STREAM_ALL, predict_l_tage, train_l_tage, track_l_tage);
}

const struct ifr_predictor ifr_predictor_l_tage = {
	.name = "l-tage",
	.about = "tagged tables of geometric histories, and loops (Seznec 2007)",
	.parameters = parameters,
	.stream = IFR_STREAM_ALL,
	.create = create_l_tage,
	.destroy = destroy_l_tage,
	.predict = predict_l_tage,
	.train = train_l_tage,
	.track = track_l_tage,
	.run = run_l_tage,
};
