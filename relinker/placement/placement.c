/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "relinker/placement/placement.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/buffer.h"
#include "relinker/placement/placement_parts.h"

enum { PAGE_BYTES = 4096 };

static int by_offset(const void *a, const void *b) {
	const struct fixed_unit *x = a, *y = b;
	return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
	                              : (x->unit > y->unit) - (x->unit < y->unit);
}

static void fix_unit(struct placement_work *work, size_t unit, uint64_t offset) {
	work->fixed[work->fixed_count++] = (struct fixed_unit){unit, offset};
	work->assigned[unit - work->units->outputs[work->output].first] = 1;
}

static void list_unit(struct placement_work *work, size_t unit) {
	work->listed[work->listed_count++] = unit;
	work->assigned[unit - work->units->outputs[work->output].first] = 1;
}

/* Whether a unit that the plan does not name stays where it ships. */
static bool is_kept(const struct placement_work *work, size_t unit, bool all) {
	return all || (work->pinned && work->pinned[unit]) ||
	       (work->output != OUTPUT_TEXT && !work->units->items[unit].movable);
}

/* Finds the units that the plan lists, the units with an address, and the units that stay. */
static void classify_units(struct placement_work *work, const struct known_place *places, size_t count) {
	const struct output_units *output = &work->units->outputs[work->output];
	for (size_t i = 0; i < count; i++) {
		if (work->units->items[places[i].unit].output != work->output)
			continue;
		if (places[i].fixed)
			fix_unit(work, places[i].unit, places[i].address - output->address);
		else
			list_unit(work, places[i].unit);
	}
	bool all = work->fixed_count && !work->listed_count && !work->moves;
	for (size_t i = 0; i < output->count; i++)
		if (!work->assigned[i] && is_kept(work, output->first + i, all))
			fix_unit(work, output->first + i, work->units->items[output->first + i].address - output->address);
	qsort(work->fixed, work->fixed_count, sizeof *work->fixed, by_offset);
}

static bool is_moved(const struct ifr_plan *plan, enum output_section output) {
	const struct ifr_axis_setting *axis = plan->axis;
	return output == OUTPUT_TEXT ? axis[IFR_AXIS_FUNCTIONS].on || axis[IFR_AXIS_LINK_ORDER].on ||
	                                   axis[IFR_AXIS_PADDING].on || axis[IFR_AXIS_BASE].on
	                             : axis[IFR_AXIS_DATA].on;
}

/* The size up to which an output section is filled. No seed exceeds it (but for .text's rare units with an
 * alignment above 16 bytes), so sections behind it keep their addresses from variant to variant: the axes padding
 * and base move code alone, data moves data alone. The growth is a whole number of pages, which keeps offsets in
 * pages; where only the order of .text changes, there is no growth. */
static uint64_t output_size(const struct placement_work *work, uint64_t end) {
	enum { COMMON_ALIGNMENT_BYTES = 16 };
	const struct output_units *output = &work->units->outputs[work->output];
	const struct ifr_axis_setting *axis = work->plan->axis;
	bool text = work->output == OUTPUT_TEXT;
	uint64_t growth = 0, most = work->pads.on ? placement_padding_most(work) : 0;
	growth += text ? work->late_bytes : 0;
	if (text && axis[IFR_AXIS_BASE].on)
		growth += ifr_axis_setting_most(&axis[IFR_AXIS_BASE], IFR_AXIS_BASE, 0);
	for (size_t i = 0; i < work->count && work->rooms; i++) {
		const uint64_t spare = placement_spare(work, work->sequence[i]);
		growth += spare ? spare + COMMON_ALIGNMENT_BYTES - 1 : 0;
	}
	if (text && work->pads.on)
		growth += output->count * (most + COMMON_ALIGNMENT_BYTES - 1);
	if (work->moves && (!text || work->fixed_count)) {
		/* Before a fixed unit, a gap is shorter than the longest unit that does not fit into it; behind the last
		 * fixed unit there is room for all. */
		uint64_t longest = 0, all = 0, gaps = 0;
		for (size_t i = 0; i < work->count; i++) {
			const struct unit *unit = &work->units->items[work->sequence[i]];
			uint64_t room = unit->span_bytes + placement_spare(work, work->sequence[i]) + unit->align + most;
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

static int place_output(struct placement *placement, struct placement_work *work, const struct known_place *places,
                        struct ifr_error *err) {
	const struct output_units *output = &work->units->outputs[work->output];
	struct placed_output *placed = &placement->outputs[work->output];
	uint64_t base_bytes = work->output == OUTPUT_TEXT ? placement->base_bytes + work->late_bytes : 0, end;
	work->sequence = ifr_alloc((output->count + 1) * sizeof *work->sequence);
	work->listed = ifr_alloc((output->count + 1) * sizeof *work->listed);
	work->fixed = ifr_alloc((output->count + 1) * sizeof *work->fixed);
	work->assigned = ifr_alloc(output->count + 1);
	placed->order = ifr_alloc((output->count + 1) * sizeof *placed->order);
	placement_choose_padding(work);
	classify_units(work, places, placement->places);
	placement_rank(work);
	int result = placement_flow(work, base_bytes, placed, &end, err);
	if (!result)
		placement->sizes.output_bytes[work->output] = output_size(work, end);
	for (size_t i = 0; i < placed->count; i++)
		placed->moved += placed->order[i].unit != output->first + i;
	free(work->sequence);
	free(work->listed);
	free(work->fixed);
	free(work->assigned);
	return result;
}

/* .text is always placed; data only where a plan names units of theirs or an axis moves them. */
static bool is_placed(const struct units *units, const struct ifr_plan *plan, enum output_section output,
                      const struct known_place *places, size_t count) {
	if (output == OUTPUT_TEXT)
		return true;
	for (size_t i = 0; i < count; i++)
		if (units->items[places[i].unit].output == output)
			return true;
	return is_moved(plan, output) && units->outputs[output].movable;
}

static void draw_names(struct placement *placement, const struct ifr_plan *plan) {
	const struct ifr_axis_setting *names = &plan->axis[IFR_AXIS_NAMES];
	struct decider draw = decider_of(plan, IFR_AXIS_NAMES);
	if (!names->on)
		return;
	placement->names =
		ifr_axis_setting_value(names, 0, 1 + ifr_random_below(decide(&draw, "count"), (uint64_t)names->value[0]));
	placement->name_bytes =
		ifr_axis_setting_value(names, 1, ifr_random_below(decide(&draw, "bytes"), (uint64_t)names->value[1] + 1));
	if (!placement->names)
		placement->name_bytes = 0;
}

static void draw_base_and_interp(struct placement *placement, const struct ifr_plan *plan) {
	const struct ifr_axis_setting *base = &plan->axis[IFR_AXIS_BASE], *interp = &plan->axis[IFR_AXIS_INTERP];
	struct decider shift = decider_of(plan, IFR_AXIS_BASE), path = decider_of(plan, IFR_AXIS_INTERP);
	if (base->on)
		placement->base_bytes = ifr_axis_setting_value(
			base, 0,
			(uint64_t)base->value[1] *
				ifr_random_below(decide(&shift, "text"), (uint64_t)(base->value[0] / base->value[1]) + 1));
	if (interp->on)
		placement->sizes.interp_bytes = ifr_axis_setting_value(
			interp, 0, ifr_random_below(decide(&path, "path"), (uint64_t)interp->value[0] + 1));
}

/* By how many bytes the plan lets code begin later than it ships. */
static int find_late_bytes(const struct ifr_plan *plan, const struct output_units *text, uint64_t *late,
                           struct ifr_error *err) {
	*late = plan->code_start > text->address ? plan->code_start - text->address : 0;
	return *late <= IFR_PLAN_ROOM_MOST ? 0
	                                   : ifr_fail(err, IFR_E_USAGE,
	                                              "code cannot begin at 0x%" PRIx64 ": it ships at 0x%" PRIx64
	                                              " and may begin up to 1 MiB later",
	                                              plan->code_start, text->address);
}

int placement_make(struct placement *placement, const struct units *units, const struct ifr_plan *plan,
                   const uint8_t *pinned, struct ifr_error *err) {
	struct known_place *places = ifr_alloc((plan->place_count + 1) * sizeof *places);
	uint64_t *rooms = placement_find_rooms(units, plan);
	uint8_t *last = placement_find_last(units, plan);
	*placement = (struct placement){0};
	draw_base_and_interp(placement, plan);
	draw_names(placement, plan);
	uint64_t late;
	int result = find_late_bytes(plan, &units->outputs[OUTPUT_TEXT], &late, err);
	if (!result && plan->place_count)
		result = placement_find_places(units, plan, placement, places, err);
	for (int r = 0; r < OUTPUTS && !result; r++) {
		struct placement_work work = {.units = units,
		                              .plan = plan,
		                              .output = (enum output_section)r,
		                              .pinned = pinned,
		                              .rooms = rooms,
		                              .last = last,
		                              .late_bytes = late};
		work.moves = is_moved(plan, work.output);
		if (is_placed(units, plan, work.output, places, placement->places))
			result = place_output(placement, &work, places, err);
	}
	for (size_t i = 0; pinned && i < units->count; i++)
		placement->pinned += pinned[i];
	free(places);
	free(rooms);
	free(last);
	if (result)
		placement_release(placement);
	return result;
}

void placement_release(struct placement *placement) {
	for (int r = 0; r < OUTPUTS; r++)
		free(placement->outputs[r].order);
	*placement = (struct placement){0};
}
