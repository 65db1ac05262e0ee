/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/placement.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/random.h"

/* A movable unit with what decides its rank. */
struct candidate {
	size_t unit;
	unsigned bucket;
	uint64_t object_key;
	uint64_t function_key;
};

static int compare(uint64_t a, uint64_t b) {
	return (a > b) - (a < b);
}

static int compare_candidates(const void *a, const void *b) {
	const struct candidate *x = a, *y = b;
	int order = compare(x->bucket, y->bucket);
	if (!order)
		order = compare(x->object_key, y->object_key);
	if (!order)
		order = compare(x->function_key, y->function_key);
	return order ? order : compare(x->unit, y->unit);
}

static uint64_t key_of(const struct ifr_plan *plan, enum ifr_axis axis, const char *name) {
	return plan->axis[axis].on ? ifr_random_keyed(plan->axis[axis].seed, ifr_axes[axis].name, name) : 0;
}

/* `functions` alone shuffles the whole program, `objects` alone blocks of whole objects, both together the blocks
 * and the functions inside each: the procedure of Wang and Jiménez 2011, section 5.4. */
static size_t rank(struct candidate *candidates, const struct units *units, const struct ifr_plan *plan) {
	const struct ifr_axis_setting *functions = &plan->axis[IFR_AXIS_FUNCTIONS];
	bool cross = functions->on && functions->value[0];
	size_t count = 0;
	for (size_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->items[i];
		if (!unit->movable)
			continue;
		candidates[count++] = (struct candidate){
			.unit = i,
			.bucket = cross ? 0 : unit->bucket,
			.object_key = key_of(plan, IFR_AXIS_OBJECTS, unit->object),
			.function_key = key_of(plan, IFR_AXIS_FUNCTIONS, unit->name),
		};
	}
	qsort(candidates, count, sizeof *candidates, compare_candidates);
	return count;
}

/* Text is filled up to a size that no seed exceeds (but for rare units of more than 16 bytes' alignment), so that
 * data keep their place from variant to variant: padding and base move code, nothing else. The growth is a whole
 * number of pages, so that data also keep their offsets in their pages; where only the order changes, they stay
 * where they ship. */
static uint64_t fixed_text_bytes(const struct units *units, const struct ifr_plan *plan) {
	enum { PAGE_BYTES = 4096, COMMON_ALIGNMENT_BYTES = 16 };
	const struct ifr_axis_setting *padding = &plan->axis[IFR_AXIS_PADDING], *base = &plan->axis[IFR_AXIS_BASE];
	uint64_t growth = 0;
	if (padding->on)
		growth += units->count * ((uint64_t)padding->value[0] + COMMON_ALIGNMENT_BYTES - 1);
	if (base->on)
		growth += (uint64_t)base->value[0];
	return units->text_bytes + (growth + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

void placement_make(struct placement *placement, const struct units *units, const struct ifr_plan *plan) {
	struct candidate *candidates = ifr_alloc(units->count * sizeof *candidates);
	rank(candidates, units, plan);
	*placement = (struct placement){.count = units->count, .text_bytes = fixed_text_bytes(units, plan)};
	placement->order = ifr_alloc(units->count * sizeof *placement->order);
	const struct ifr_axis_setting *padding = &plan->axis[IFR_AXIS_PADDING];
	const struct ifr_axis_setting *base = &plan->axis[IFR_AXIS_BASE], *interp = &plan->axis[IFR_AXIS_INTERP];
	/* Pinned units keep their positions; the movable ones fill the others. */
	for (size_t i = 0, next = 0; i < units->count; i++) {
		struct placed_unit *placed = &placement->order[i];
		placed->unit = units->items[i].movable ? candidates[next++].unit : i;
		const struct unit *unit = &units->items[placed->unit];
		if (padding->on && unit->movable)
			placed->padding_bytes =
				ifr_random_below(key_of(plan, IFR_AXIS_PADDING, unit->name), (uint64_t)padding->value[0] + 1);
		placement->moved += placed->unit != i;
		placement->padding_bytes += placed->padding_bytes;
	}
	if (base->on)
		placement->base_bytes =
			(uint64_t)base->value[1] *
			ifr_random_below(key_of(plan, IFR_AXIS_BASE, "text"), (uint64_t)(base->value[0] / base->value[1]) + 1);
	if (interp->on)
		placement->interp_bytes =
			ifr_random_below(key_of(plan, IFR_AXIS_INTERP, "path"), (uint64_t)interp->value[0] + 1);
	free(candidates);
}

void placement_release(struct placement *placement) {
	free(placement->order);
	*placement = (struct placement){0};
}
