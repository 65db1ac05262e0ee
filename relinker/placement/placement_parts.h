/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a output is placed: an order of its units, and what stands fixed in it. */
#ifndef IFR_RELINKER_PLACEMENT_PARTS_H
#define IFR_RELINKER_PLACEMENT_PARTS_H

#include "common/random.h"
#include "relinker/placement/placement.h"

/* An axis's decisions; off gives 0 for every name. */
struct decider {
	bool on;
	struct ifr_random_key key;
};

struct decider decider_of(const struct ifr_plan *plan, enum ifr_axis axis);
uint64_t decide(const struct decider *decider, const char *name);

/* Whether an axis is on and may change a unit. */
bool axis_covers(const struct ifr_plan *plan, enum ifr_axis axis, const struct unit *unit);

/* A place that was found, in the order of the plan. */
struct known_place {
	size_t unit;
	bool fixed;
	uint64_t address;
};

/* A unit that lies at an offset from its output's start, whatever the order. */
struct fixed_unit {
	size_t unit;
	uint64_t offset;
};

/* A output at work. */
struct region_work {
	const struct units *units;
	const struct ifr_plan *plan;
	enum output_section output;
	const uint8_t *held;
	size_t *sequence; /* the units, in the order in which they come to lie, without the fixed ones */
	size_t count;
	struct fixed_unit *fixed; /* in the order of their offsets */
	size_t fixed_count;
	size_t *listed; /* by the plan's order lines */
	size_t listed_count;
	uint8_t *settled; /* marks units that are listed or fixed, by their index in the output */
	bool moves;       /* an axis orders or pads the output */
	enum ifr_axis pads_axis;
	struct decider pads;
};

/* Finds the units that the plan places, in its order: places has room for all, and is the caller's; the placement
 * counts them. Errors: IFR_E_USAGE if a unit cannot be there, or if there is none of them. */
int placement_find_places(const struct units *units, const struct ifr_plan *plan, struct placement *placement,
                          struct known_place *places, struct ifr_error *err);

/* The order: those that are listed, then the others as the axes say. Fills sequence. */
void placement_rank(struct region_work *work);

/* Turns sequence and fixed into the output's order and paddings. base_bytes come before the first unit of the
 * sequence; end receives where the last unit ends. Errors: IFR_E_USAGE if fixed units overlap. */
int placement_flow(const struct region_work *work, uint64_t base_bytes, struct placed_output *placed,
                   uint64_t *end, struct ifr_error *err);

/* The bytes before a unit that the axes ask for. */
uint64_t placement_padding(const struct region_work *work, const struct unit *unit);

#endif
