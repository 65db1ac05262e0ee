/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nops in front of a branch that shares an entry with another one. Private to place.c. */
#ifndef IFR_HARNESS_OPTIMIZE_PLACE_NOPS_H
#define IFR_HARNESS_OPTIMIZE_PLACE_NOPS_H

#include "harness/build/build.h"
#include "harness/optimize/place.h"

/* A branch of a unit of the relinker. */
struct nops_branch {
	size_t unit;
	uint64_t address; /* in the shipped program */
};

/* Finds the site in front of each branch and the fewest bytes of nops there that gain most by the modelled cycles, which
 * are an estimate without a core: cores do not follow nops. Adds those that gain something, the best first. Nothing is
 * found where the kit has no templates. Errors: those of replays. */
int place_nops_find(const struct ifr_place_request *request, struct ifr_kit *kit, struct ifr_builder *builder,
                    const struct nops_branch *branches, size_t count, struct ifr_place_result *result,
                    struct ifr_error *err);

#endif
