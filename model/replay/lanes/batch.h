/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches of up to 64 lanes, one a bit of a 64-bit word: the stages of this folder work on a batch at once. */
#ifndef INTERFERO_MODEL_LANE_BATCH_H
#define INTERFERO_MODEL_LANE_BATCH_H

#include "model/replay/lanes/resident.h"
#include "model/replay/stages.h"

struct ifr_lane_batch {
	size_t first, count; /* of the pass: first, first + 1, … */
};

static inline size_t ifr_batches_count(const struct ifr_pass *pass) {
	return (pass->lanes_count + IFR_RESIDENT_LANES - 1) / IFR_RESIDENT_LANES;
}

static inline struct ifr_lane_batch ifr_batch_at(const struct ifr_pass *pass, size_t i) {
	const size_t first = i * IFR_RESIDENT_LANES, rest = pass->lanes_count - first;
	return (struct ifr_lane_batch){.first = first, .count = rest < IFR_RESIDENT_LANES ? rest : IFR_RESIDENT_LANES};
}

#endif
