/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A placement gives each output section an order of its units and the padding before each. Plans become placements
 * here, and engines make files from placements. */
#ifndef IFR_RELINKER_PLACEMENT_H
#define IFR_RELINKER_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/plan.h"
#include "relinker/units.h"

struct placed_unit {
	size_t unit;            /* index into the units */
	uint64_t padding_bytes; /* before the unit; its alignment may add more */
};

/* The sizes that an engine makes room for. They are the same for all seeds of a plan's axes, so that sections
 * behind an output section keep their addresses from variant to variant. */
struct layout_sizes {
	uint64_t output_bytes[OUTPUTS]; /* each section is filled up to this size; 0 where ld's own order stays */
	uint64_t interp_bytes;          /* growth of the interpreter path */
};

struct placed_output {
	struct placed_unit *order; /* all units of the section; NULL where ld's own order stays */
	size_t count;
	size_t moved;           /* units at another position than in the base layout */
	uint64_t padding_bytes; /* sum over the units, as the axes decide; without the axis base */
};

struct placement {
	struct placed_output outputs[OUTPUTS];
	struct layout_sizes sizes;
	uint64_t names;      /* added external functions (axis names) */
	uint64_t name_bytes; /* growth of the name of the first; 0 without one */
	bool names_by_got;   /* the program has no procedure linkage table to which they could be added */
	uint64_t base_bytes; /* of the axis base, before the first unit of .text that may move */
	size_t places;       /* places of the plan that were followed */
	size_t unknown;      /* places of the plan whose unit the program does not have */
	size_t pinned;       /* units that stay because the image pins them */
};

/* Makes the placement of a plan. It depends on nothing but the units, the plan's relinker axes and places, and
 * pinned, which marks units that stay where they ship (NULL for none). Errors: IFR_E_USAGE with the unit if a
 * place of the plan is impossible; there is no placement to release then. */
int placement_make(struct placement *placement, const struct units *units, const struct ifr_plan *plan,
                   const uint8_t *pinned, struct ifr_error *err);
void placement_release(struct placement *placement);

#endif
