/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of two programs, paired by their names. */
#ifndef IFR_HARNESS_UNIT_PAIRS_H
#define IFR_HARNESS_UNIT_PAIRS_H

#include "relinker/relinker.h"

/* A unit that both have, or one of them. */
struct ifr_unit_pair {
	bool in[2];
	size_t index[2]; /* of the old and the new relinker's units */
	struct ifr_relinker_unit unit[2];
};

/* Lists all units of both, by name; the caller frees. */
struct ifr_unit_pair *ifr_unit_pairs_make(const struct ifr_relinker *old, const struct ifr_relinker *new,
                                          size_t *count);

#endif
