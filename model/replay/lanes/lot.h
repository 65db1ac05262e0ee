/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lanes in lots of up to 64, as many as bits in a word: what the stages of this folder work on at once. */
#ifndef INTERFERO_MODEL_LOT_H
#define INTERFERO_MODEL_LOT_H

#include "model/replay/lanes/resident.h"
#include "model/replay/stages.h"

struct ifr_lot {
	size_t first, count; /* lanes */
};

static inline size_t ifr_lots_of(const struct ifr_pass *pass) {
	return (pass->lanes_count + IFR_RESIDENT_LANES - 1) / IFR_RESIDENT_LANES;
}

static inline struct ifr_lot ifr_lot_at(const struct ifr_pass *pass, size_t i) {
	const size_t first = i * IFR_RESIDENT_LANES, rest = pass->lanes_count - first;
	return (struct ifr_lot){.first = first, .count = rest < IFR_RESIDENT_LANES ? rest : IFR_RESIDENT_LANES};
}

#endif
