/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/placement.h"

#include <stdbool.h>
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

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

struct ranked {
	uint64_t key;
	size_t candidate;
};

/* Sorts by key from the last digit to the first; what has equal keys keeps its order. */
static void sort_keys(struct ranked **items, struct ranked **spare, size_t count) {
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		size_t starts[DIGITS] = {0}, next = 0;
		for (size_t i = 0; i < count; i++)
			starts[(*items)[i].key >> shift & (DIGITS - 1)]++;
		if (count && starts[(*items)->key >> shift & (DIGITS - 1)] == count)
			continue;
		for (size_t digit = 0; digit < DIGITS; digit++) {
			size_t those = starts[digit];
			starts[digit] = next;
			next += those;
		}
		for (size_t i = 0; i < count; i++)
			(*spare)[starts[(*items)[i].key >> shift & (DIGITS - 1)]++] = (*items)[i];
		struct ranked *sorted = *spare;
		*spare = *items;
		*items = sorted;
	}
}

/* By bucket, object and function, and then as they lie: keys are spread evenly, so that comparing would be slower.
 */
static void sort_candidates(struct candidate *candidates, size_t count) {
	struct ranked *items = ifr_alloc((count + 1) * sizeof *items), *spare = ifr_alloc((count + 1) * sizeof *spare);
	struct candidate *sorted = ifr_alloc((count + 1) * sizeof *sorted);
	for (size_t i = 0; i < count; i++)
		items[i] = (struct ranked){candidates[i].function_key, i};
	sort_keys(&items, &spare, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = candidates[items[i].candidate].object_key;
	sort_keys(&items, &spare, count);
	for (size_t i = 0; i < count; i++)
		items[i].key = candidates[items[i].candidate].bucket;
	sort_keys(&items, &spare, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = candidates[items[i].candidate];
	if (count)
		memcpy(candidates, sorted, count * sizeof *sorted);
	free(sorted);
	free(items);
	free(spare);
}

/* An axis's decisions; off gives 0 for every name. */
struct decider {
	bool on;
	struct ifr_random_key key;
};

static struct decider decider_of(const struct ifr_plan *plan, enum ifr_axis axis) {
	const struct ifr_axis_setting *setting = &plan->axis[axis];
	return (struct decider){setting->on, ifr_random_key_of(setting->seed, ifr_axes[axis].name)};
}

static uint64_t decide(const struct decider *decider, const char *name) {
	return decider->on ? ifr_random_named(decider->key, name) : 0;
}

/* `functions` alone shuffles the whole program, `objects` alone blocks of whole objects, both together the blocks
 * and the functions inside each: the procedure of Wang and Jiménez 2011, section 5.4. */
static size_t rank(struct candidate *candidates, const struct units *units, const struct ifr_plan *plan) {
	const struct ifr_axis_setting *functions = &plan->axis[IFR_AXIS_FUNCTIONS];
	struct decider by_object = decider_of(plan, IFR_AXIS_OBJECTS), by_name = decider_of(plan, IFR_AXIS_FUNCTIONS);
	bool cross = functions->on && functions->value[0];
	size_t count = 0;
	for (size_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->items[i];
		if (!unit->movable)
			continue;
		candidates[count++] = (struct candidate){
			.unit = i,
			.bucket = cross ? 0 : unit->bucket,
			.object_key = decide(&by_object, unit->object),
			.function_key = decide(&by_name, unit->name),
		};
	}
	sort_candidates(candidates, count);
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
	struct decider pads = decider_of(plan, IFR_AXIS_PADDING), shift = decider_of(plan, IFR_AXIS_BASE),
				   path = decider_of(plan, IFR_AXIS_INTERP);
	const struct ifr_axis_setting *base = &plan->axis[IFR_AXIS_BASE], *interp = &plan->axis[IFR_AXIS_INTERP];
	/* Pinned units keep their positions; the movable ones fill the others. */
	for (size_t i = 0, next = 0; i < units->count; i++) {
		struct placed_unit *placed = &placement->order[i];
		placed->unit = units->items[i].movable ? candidates[next++].unit : i;
		const struct unit *unit = &units->items[placed->unit];
		if (padding->on && unit->movable)
			placed->padding_bytes = ifr_random_below(decide(&pads, unit->name), (uint64_t)padding->value[0] + 1);
		placement->moved += placed->unit != i;
		placement->padding_bytes += placed->padding_bytes;
	}
	if (base->on)
		placement->base_bytes =
			(uint64_t)base->value[1] *
			ifr_random_below(decide(&shift, "text"), (uint64_t)(base->value[0] / base->value[1]) + 1);
	if (interp->on)
		placement->interp_bytes = ifr_random_below(decide(&path, "path"), (uint64_t)interp->value[0] + 1);
	free(candidates);
}

void placement_release(struct placement *placement) {
	free(placement->order);
	*placement = (struct placement){0};
}
