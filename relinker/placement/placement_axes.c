/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decisions of axes about single units. */
#include <string.h>

#include "relinker/placement/placement_parts.h"

struct decider decider_of(const struct ifr_plan *plan, enum ifr_axis axis) {
	const struct ifr_axis_setting *setting = &plan->axis[axis];
	return (struct decider){setting->on, ifr_random_key_of(setting->seed, ifr_axes[axis].key)};
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

uint64_t placement_padding(const struct placement_work *work, const struct unit *unit) {
	if (!work->pads.on || !unit->movable || !axis_covers(work->plan, work->pads_axis, unit))
		return 0;
	const struct ifr_axis_setting *setting = &work->plan->axis[work->pads_axis];
	const uint64_t drawn = ifr_random_below(decide(&work->pads, unit->name), (uint64_t)setting->value[0] + 1);
	return ifr_axis_setting_value(setting, 0, drawn);
}

uint64_t placement_padding_most(const struct placement_work *work) {
	return ifr_axis_setting_most(&work->plan->axis[work->pads_axis], work->pads_axis, 0);
}

void placement_choose_padding(struct placement_work *work) {
	bool text = work->output == OUTPUT_TEXT;
	work->pads_axis = text ? IFR_AXIS_PADDING : IFR_AXIS_DATA;
	const struct ifr_axis_setting *setting = &work->plan->axis[work->pads_axis];
	work->pads.on = setting->on;
	work->pads.key = ifr_random_key_of(setting->seed, text ? ifr_axes[IFR_AXIS_PADDING].key : "data padding");
}
