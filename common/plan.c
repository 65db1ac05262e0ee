/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/plan.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"

void ifr_plan_init(struct ifr_plan *plan) {
	memset(plan, 0, sizeof *plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		for (int j = 0; j < IFR_AXIS_PARAMETERS; j++)
			plan->axis[i].value[j] = ifr_axes[i].parameter[j].initial;
		for (int j = 0; j < IFR_AXIS_VALUES; j++)
			plan->axis[i].given[j] = -1;
	}
}

static char *copy_text(const char *text) {
	return text ? ifr_strdup(text) : NULL;
}

/* An array with room for one more element: it doubles whenever the count is a power of two. */
static void *grow(void *items, size_t count, size_t bytes) {
	return count & (count - 1) ? items : ifr_realloc(items, count ? 2 * count : 1, bytes);
}

static void add_place(struct ifr_plan *plan, const struct ifr_plan_place *place) {
	plan->places = grow(plan->places, plan->place_count, sizeof *plan->places);
	plan->places[plan->place_count++] = *place;
}

static void add_places(struct ifr_plan *plan, const struct ifr_plan *other) {
	for (size_t i = 0; i < other->place_count; i++) {
		struct ifr_plan_place place = other->places[i];
		place.unit = ifr_strdup(place.unit);
		add_place(plan, &place);
	}
}

void ifr_plan_copy(struct ifr_plan *copy, const struct ifr_plan *plan) {
	*copy = *plan;
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		copy->axis[i].only = copy_text(plan->axis[i].only);
		copy->axis[i].except = copy_text(plan->axis[i].except);
	}
	/* With the room that more places expect (grow). */
	copy->places = NULL;
	copy->place_count = 0;
	add_places(copy, plan);
	copy->rooms = NULL;
	copy->room_count = 0;
	copy->last = NULL;
	copy->last_count = 0;
	ifr_plan_match(copy, plan);
}

void ifr_plan_release(struct ifr_plan *plan) {
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		free(plan->axis[i].only);
		free(plan->axis[i].except);
	}
	for (size_t i = 0; i < plan->place_count; i++)
		free(plan->places[i].unit);
	free(plan->places);
	for (size_t i = 0; i < plan->room_count; i++)
		free(plan->rooms[i].unit);
	free(plan->rooms);
	for (size_t i = 0; i < plan->last_count; i++)
		free(plan->last[i]);
	free(plan->last);
	ifr_plan_init(plan);
}

void ifr_plan_enable(struct ifr_plan *plan, enum ifr_axis axis, uint64_t seed) {
	plan->axis[axis].on = true;
	plan->axis[axis].seed = seed;
}

uint64_t ifr_plan_seed(uint64_t master, enum ifr_axis axis, unsigned index) {
	char name[32];
	snprintf(name, sizeof name, "variant %u", index);
	return ifr_random_keyed(master, ifr_axes[axis].key, name);
}

void ifr_plan_derive(struct ifr_plan *plan, uint64_t master, unsigned axes, unsigned index) {
	for (int i = 0; i < IFR_AXIS_COUNT && index; i++)
		if (axes & 1u << i)
			ifr_plan_enable(plan, (enum ifr_axis)i, ifr_plan_seed(master, (enum ifr_axis)i, index));
}

uint64_t ifr_axis_setting_value(const struct ifr_axis_setting *setting, unsigned index, uint64_t drawn) {
	return setting->given[index] < 0 ? drawn : (uint64_t)setting->given[index];
}

uint64_t ifr_axis_setting_most(const struct ifr_axis_setting *setting, enum ifr_axis axis, unsigned index) {
	const int64_t drawn = setting->value[ifr_axes[axis].value[index].limit], given = setting->given[index];
	return (uint64_t)(given > drawn ? given : drawn);
}

unsigned ifr_plan_axes(const struct ifr_plan *plan) {
	unsigned axes = 0;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (plan->axis[i].on)
			axes |= 1u << i;
	return axes;
}

/* Whether one of the patterns, parted by commas, matches one of the names. */
static bool match_any(const char *patterns, const char *const *names) {
	for (size_t length; *patterns; patterns += length + (patterns[length] == ',')) {
		length = strcspn(patterns, ",");
		char *pattern = ifr_format("%.*s", (int)length, patterns);
		bool found = false;
		for (size_t i = 0; names[i] && !found; i++)
			found = !fnmatch(pattern, names[i], 0);
		free(pattern);
		if (found)
			return true;
	}
	return false;
}

bool ifr_axis_setting_covers(const struct ifr_axis_setting *setting, const char *const *names) {
	return (!setting->only || match_any(setting->only, names)) &&
	       !(setting->except && match_any(setting->except, names));
}

void ifr_plan_place(struct ifr_plan *plan, const char *unit) {
	add_place(plan, &(struct ifr_plan_place){.unit = ifr_strdup(unit)});
}

void ifr_plan_place_at(struct ifr_plan *plan, const char *unit, uint64_t address) {
	add_place(plan, &(struct ifr_plan_place){.unit = ifr_strdup(unit), .fixed = true, .address = address});
}

void ifr_plan_adopt(struct ifr_plan *plan, const struct ifr_plan *other) {
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		struct ifr_axis_setting *setting = &plan->axis[i];
		if (!other->axis[i].on)
			continue;
		free(setting->only);
		free(setting->except);
		*setting = other->axis[i];
		setting->only = copy_text(other->axis[i].only);
		setting->except = copy_text(other->axis[i].except);
	}
	add_places(plan, other);
	ifr_plan_match(plan, other);
}

void ifr_plan_give_room(struct ifr_plan *plan, const char *unit, uint64_t bytes) {
	plan->rooms = grow(plan->rooms, plan->room_count, sizeof *plan->rooms);
	plan->rooms[plan->room_count++] = (struct ifr_plan_room){ifr_strdup(unit), bytes};
}

void ifr_plan_put_last(struct ifr_plan *plan, const char *unit) {
	plan->last = grow(plan->last, plan->last_count, sizeof *plan->last);
	plan->last[plan->last_count++] = ifr_strdup(unit);
}

void ifr_plan_match(struct ifr_plan *plan, const struct ifr_plan *other) {
	for (size_t i = 0; i < other->room_count; i++)
		ifr_plan_give_room(plan, other->rooms[i].unit, other->rooms[i].bytes);
	for (size_t i = 0; i < other->last_count; i++)
		ifr_plan_put_last(plan, other->last[i]);
	if (other->code_start)
		plan->code_start = other->code_start;
}
