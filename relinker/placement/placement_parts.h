/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of placing one output section: find the places of the plan, rank the units, let them flow around the
 * fixed units. */
#ifndef IFR_RELINKER_PLACEMENT_PARTS_H
#define IFR_RELINKER_PLACEMENT_PARTS_H

#include "common/random.h"
#include "relinker/placement/placement.h"

/* The decisions of an axis: a random number for each name, 0 while the axis is off. */
struct decider {
	bool on;
	struct ifr_random_key key;
};

struct decider decider_of(const struct ifr_plan *plan, enum ifr_axis axis);
uint64_t decide(const struct decider *decider, const char *name);

/* Whether an axis is on and may change a unit. */
bool axis_covers(const struct ifr_plan *plan, enum ifr_axis axis, const struct unit *unit);

/* A place of the plan whose unit was found. */
struct known_place {
	size_t unit;
	bool fixed;
	uint64_t address;
};

/* A unit with an offset from its output section's start, whatever the order of the others. */
struct fixed_unit {
	size_t unit;
	uint64_t offset;
};

/* The state of placing one output section. */
struct placement_work {
	const struct units *units;
	const struct ifr_plan *plan;
	enum output_section output;
	const uint8_t *pinned;
	const uint64_t *rooms; /* by unit: the bytes that it takes; NULL: its own */
	const uint8_t *last;   /* marks units that come behind all others; NULL: none */
	uint64_t late_bytes;   /* by which code begins later than it ships */
	size_t *sequence;      /* the units in their new order, without the fixed ones */
	size_t count;
	struct fixed_unit *fixed; /* in the order of their offsets */
	size_t fixed_count;
	size_t *listed; /* the units that the plan puts in an order */
	size_t listed_count;
	uint8_t *assigned; /* marks units that are listed or fixed, by their index in the section */
	bool moves;        /* an axis orders or pads the section */
	enum ifr_axis pads_axis;
	struct decider pads;
};

/* Finds the units that the plan places, in its order, and counts them in the placement. places is the caller's and
 * has room for all. Errors: IFR_E_USAGE if a unit cannot have its place, or if the program has none of the units. */
int placement_find_places(const struct units *units, const struct ifr_plan *plan, struct placement *placement,
                          struct known_place *places, struct ifr_error *err);

/* Finds the rooms that the plan gives to functions, by unit; the caller frees. NULL where it gives none. */
uint64_t *placement_find_rooms(const struct units *units, const struct ifr_plan *plan);

/* Marks the functions that the plan puts last; the caller frees. NULL where it names none. */
uint8_t *placement_find_last(const struct units *units, const struct ifr_plan *plan);

/* The bytes that a unit takes beyond its own, before what follows. */
static inline uint64_t placement_spare(const struct placement_work *work, size_t unit) {
	const uint64_t own = work->units->items[unit].span_bytes;
	return work->rooms && work->rooms[unit] > own ? work->rooms[unit] - own : 0;
}

/* Fills sequence: the listed units, then the others as the axes order them, then those that come last. */
void placement_rank(struct placement_work *work);

/* Turns sequence and fixed units into the output section's order and paddings. base_bytes come before the first
 * unit of the sequence. end receives the offset behind the last unit if there are fixed units, else 0. Errors:
 * IFR_E_USAGE if fixed units overlap. */
int placement_flow(const struct placement_work *work, uint64_t base_bytes, struct placed_output *placed,
                   uint64_t *end, struct ifr_error *err);

/* Fills pads_axis and pads: .text has an axis for its padding; one axis decides both the order of data and the bytes
 * between them. */
void placement_choose_padding(struct placement_work *work);
/* The padding before a unit as the axes decide. */
uint64_t placement_padding(const struct placement_work *work, const struct unit *unit);
/* The most that the plan's padding can be. */
uint64_t placement_padding_most(const struct placement_work *work);

#endif
