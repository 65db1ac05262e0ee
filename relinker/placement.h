/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A placement says where every unit goes under a plan. It is the seam between what a layout is and how a file is
 * made of it: engines take placements. */
#ifndef IFR_RELINKER_PLACEMENT_H
#define IFR_RELINKER_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"
#include "relinker/units.h"

struct placed_unit {
	size_t unit;            /* index into the units */
	uint64_t padding_bytes; /* before it; its alignment is then kept */
};

struct placement {
	uint64_t base_bytes;   /* before the first unit */
	uint64_t interp_bytes; /* by which the interpreter path grows */
	struct placed_unit *order;
	size_t count;           /* of all units */
	size_t moved;           /* units at another position than in the base layout */
	uint64_t padding_bytes; /* in all */
	uint64_t text_bytes;    /* to which .text is filled up, the same for all seeds: what lies behind it stays */
};

/* Depends on the plan's relinker axes and on the units' names alone. */
void placement_make(struct placement *placement, const struct units *units, const struct ifr_plan *plan);
void placement_release(struct placement *placement);

#endif
