/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A placement says where every unit goes under a plan. It is the seam between what a layout is and how a file is
 * made of it: engines take placements. */
#ifndef IFR_RELINKER_PLACEMENT_H
#define IFR_RELINKER_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"
#include "relinker/units.h"

struct placed_unit {
	size_t unit;            /* index into the units */
	uint64_t padding_bytes; /* before it; its alignment is then kept */
};

/* What an engine has to make room for: the same for all seeds of a plan's axes, so that what lies behind a output
 * stays from variant to variant. */
struct layout_sizes {
	uint64_t output_bytes[OUTPUTS]; /* up to which each is filled; 0 where ld's own order stays */
	uint64_t interp_bytes;          /* by which the interpreter path is longer */
};

struct placed_output {
	struct placed_unit *order; /* of all its units; NULL where ld's own order stays */
	size_t count;
	size_t moved;           /* units at another position than in the base layout */
	uint64_t padding_bytes; /* that the axes ask for, in all; `base` not among them */
};

struct placement {
	struct placed_output outputs[OUTPUTS];
	struct layout_sizes sizes;
	uint64_t base_bytes; /* of the padding before the first unit of .text that is free to move */
	size_t places;       /* of the plan that were followed */
	size_t unknown;      /* of the plan that no unit answers to */
	size_t held;         /* units that stay because the image must not move them */
};

/* Depends on the plan's relinker axes and places, and on the units, alone. held marks units that stay where they
 * ship, NULL for none. Errors: IFR_E_USAGE with the unit if a place of the plan is not possible: then there is no
 * placement to release. */
int placement_make(struct placement *placement, const struct units *units, const struct ifr_plan *plan,
                   const uint8_t *held, struct ifr_error *err);
void placement_release(struct placement *placement);

#endif
