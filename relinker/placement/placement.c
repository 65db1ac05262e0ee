/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/placement/placement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "relinker/placement/placement_parts.h"

enum { PAGE_BYTES = 4096 };

/* --- axes ---------------------------------------------------------------------------------------------------- */

struct decider decider_of(const struct ifr_plan *plan, enum ifr_axis axis) {
	const struct ifr_axis_setting *setting = &plan->axis[axis];
	return (struct decider){setting->on, ifr_random_key_of(setting->seed, ifr_axes[axis].name)};
}

uint64_t decide(const struct decider *decider, const char *name) {
	return decider->on ? ifr_random_named(decider->key, name) : 0;
}

bool axis_covers(const struct ifr_plan *plan, enum ifr_axis axis, const struct unit *unit) {
	const struct ifr_axis_setting *setting = &plan->axis[axis];
	if (!setting->on || (!setting->only && !setting->except))
		return setting->on;
	const char *dot = strchr(unit->section + (*unit->section == '.'), '.');
	const char *const names[] = {unit->name, unit->section, dot ? dot + 1 : unit->object, NULL};
	return ifr_axis_setting_covers(setting, names);
}

uint64_t placement_padding(const struct region_work *work, const struct unit *unit) {
	if (!work->pads.on || !unit->movable || !axis_covers(work->plan, work->pads_axis, unit))
		return 0;
	return ifr_random_below(decide(&work->pads, unit->name),
	                        (uint64_t)work->plan->axis[work->pads_axis].value[0] + 1);
}

/* The order of data and the bytes between them are decisions of one axis. */
static void choose_padding(struct region_work *work) {
	bool text = work->output == OUTPUT_TEXT;
	work->pads_axis = text ? IFR_AXIS_PADDING : IFR_AXIS_DATA;
	const struct ifr_axis_setting *setting = &work->plan->axis[work->pads_axis];
	work->pads.on = setting->on;
	work->pads.key = ifr_random_key_of(setting->seed, text ? ifr_axes[IFR_AXIS_PADDING].name : "data padding");
}

/* --- a output ------------------------------------------------------------------------------------------------ */

static int by_offset(const void *a, const void *b) {
	const struct fixed_unit *x = a, *y = b;
	return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
	                              : (x->unit > y->unit) - (x->unit < y->unit);
}

static void fix(struct region_work *work, size_t unit, uint64_t offset) {
	work->fixed[work->fixed_count++] = (struct fixed_unit){unit, offset};
	work->settled[unit - work->units->outputs[work->output].first] = 1;
}

static void list(struct region_work *work, size_t unit) {
	work->listed[work->listed_count++] = unit;
	work->settled[unit - work->units->outputs[work->output].first] = 1;
}

/* Whether a unit that the plan does not place stays where it ships. */
static bool stays(const struct region_work *work, size_t unit, bool all) {
	return all || (work->held && work->held[unit]) ||
	       (work->output != OUTPUT_TEXT && !work->units->items[unit].movable);
}

/* Settles what is listed, what has an address, and what stays. */
static void settle(struct region_work *work, const struct known_place *places, size_t count) {
	const struct output_units *output = &work->units->outputs[work->output];
	for (size_t i = 0; i < count; i++) {
		if (work->units->items[places[i].unit].output != work->output)
			continue;
		if (places[i].fixed)
			fix(work, places[i].unit, places[i].address - output->address);
		else
			list(work, places[i].unit);
	}
	bool all = work->fixed_count && !work->listed_count && !work->moves;
	for (size_t i = 0; i < output->count; i++)
		if (!work->settled[i] && stays(work, output->first + i, all))
			fix(work, output->first + i, work->units->items[output->first + i].address - output->address);
	qsort(work->fixed, work->fixed_count, sizeof *work->fixed, by_offset);
}

static bool region_moves(const struct ifr_plan *plan, enum output_section output) {
	const struct ifr_axis_setting *axis = plan->axis;
	return output == OUTPUT_TEXT ? axis[IFR_AXIS_FUNCTIONS].on || axis[IFR_AXIS_OBJECTS].on ||
	                                   axis[IFR_AXIS_PADDING].on || axis[IFR_AXIS_BASE].on
	                             : axis[IFR_AXIS_DATA].on;
}

/* A output is filled up to a size that no seed exceeds (but for text's rare units of more than 16 bytes'
 * alignment), so that what lies behind it keeps its place from variant to variant: padding and base move code,
 * data moves data, nothing else. The growth is a whole number of pages, so that offsets in pages stay, too; where
 * only the order of text changes, everything stays where it ships. */
static uint64_t fixed_bytes(const struct region_work *work, uint64_t end) {
	enum { COMMON_ALIGNMENT_BYTES = 16 };
	const struct output_units *output = &work->units->outputs[work->output];
	const struct ifr_axis_setting *axis = work->plan->axis;
	bool text = work->output == OUTPUT_TEXT;
	uint64_t growth = 0, most = work->pads.on ? (uint64_t)axis[work->pads_axis].value[0] : 0;
	if (text && axis[IFR_AXIS_BASE].on)
		growth += (uint64_t)axis[IFR_AXIS_BASE].value[0];
	if (text && work->pads.on)
		growth += output->count * (most + COMMON_ALIGNMENT_BYTES - 1);
	if (work->moves && (!text || work->fixed_count)) {
		/* Before a fixed unit there may be room for all but the longest one; behind the last there is for all. */
		uint64_t longest = 0, all = 0, gaps = 0;
		for (size_t i = 0; i < work->count; i++) {
			const struct unit *unit = &work->units->items[work->sequence[i]];
			uint64_t room = unit->span_bytes + unit->align + most;
			longest = room > longest ? room : longest;
			gaps += unit->align + most;
			all += room;
		}
		growth += gaps + work->fixed_count * longest < all ? gaps + work->fixed_count * longest : all;
	}
	if (end > output->bytes + growth)
		growth = end - output->bytes;
	return output->bytes + (growth + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int place_region(struct placement *placement, struct region_work *work, const struct known_place *places,
                        struct ifr_error *err) {
	const struct output_units *output = &work->units->outputs[work->output];
	struct placed_output *placed = &placement->outputs[work->output];
	uint64_t base_bytes = work->output == OUTPUT_TEXT ? placement->base_bytes : 0, end;
	work->sequence = ifr_alloc((output->count + 1) * sizeof *work->sequence);
	work->listed = ifr_alloc((output->count + 1) * sizeof *work->listed);
	work->fixed = ifr_alloc((output->count + 1) * sizeof *work->fixed);
	work->settled = ifr_alloc(output->count + 1);
	placed->order = ifr_alloc((output->count + 1) * sizeof *placed->order);
	choose_padding(work);
	settle(work, places, placement->places);
	placement_rank(work);
	int result = placement_flow(work, base_bytes, placed, &end, err);
	if (!result)
		placement->sizes.output_bytes[work->output] = fixed_bytes(work, end);
	for (size_t i = 0; i < placed->count; i++)
		placed->moved += placed->order[i].unit != output->first + i;
	free(work->sequence);
	free(work->listed);
	free(work->fixed);
	free(work->settled);
	return result;
}

/* Text is always placed; data only where they move. */
static bool is_placed(const struct units *units, const struct ifr_plan *plan, enum output_section output,
                      const struct known_place *places, size_t count) {
	if (output == OUTPUT_TEXT)
		return true;
	for (size_t i = 0; i < count; i++)
		if (units->items[places[i].unit].output == output)
			return true;
	return region_moves(plan, output) && units->outputs[output].movable;
}

static void place_scalars(struct placement *placement, const struct ifr_plan *plan) {
	const struct ifr_axis_setting *base = &plan->axis[IFR_AXIS_BASE], *interp = &plan->axis[IFR_AXIS_INTERP];
	struct decider shift = decider_of(plan, IFR_AXIS_BASE), path = decider_of(plan, IFR_AXIS_INTERP);
	if (base->on)
		placement->base_bytes =
			(uint64_t)base->value[1] *
			ifr_random_below(decide(&shift, "text"), (uint64_t)(base->value[0] / base->value[1]) + 1);
	if (interp->on)
		placement->sizes.interp_bytes = ifr_random_below(decide(&path, "path"), (uint64_t)interp->value[0] + 1);
}

int placement_make(struct placement *placement, const struct units *units, const struct ifr_plan *plan,
                   const uint8_t *held, struct ifr_error *err) {
	struct known_place *places = ifr_alloc((plan->place_count + 1) * sizeof *places);
	*placement = (struct placement){0};
	place_scalars(placement, plan);
	int result = plan->place_count ? placement_find_places(units, plan, placement, places, err) : 0;
	for (int r = 0; r < OUTPUTS && !result; r++) {
		struct region_work work = {.units = units, .plan = plan, .output = (enum output_section)r, .held = held};
		work.moves = region_moves(plan, work.output);
		if (is_placed(units, plan, work.output, places, placement->places))
			result = place_region(placement, &work, places, err);
	}
	for (size_t i = 0; held && i < units->count; i++)
		placement->held += held[i];
	free(places);
	if (result)
		placement_release(placement);
	return result;
}

void placement_release(struct placement *placement) {
	for (int r = 0; r < OUTPUTS; r++)
		free(placement->outputs[r].order);
	*placement = (struct placement){0};
}
