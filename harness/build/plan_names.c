/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/build/plan_names.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_MISSING = 3 };

static int by_text(const void *a, const void *b) {
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all units, sorted; the caller frees. */
static const char **list_units(const struct ifr_relinker *relinker, size_t *count) {
	*count = ifr_relinker_unit_count(relinker);
	const char **names = ifr_alloc((*count + 1) * sizeof *names);
	for (size_t i = 0; i < *count; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		names[i] = unit.name;
	}
	qsort(names, *count, sizeof *names, by_text);
	return names;
}

/* The names in all lines of a plan, which owns them; the caller frees the list. */
static const char **list_names(const struct ifr_plan *plan, size_t *count) {
	const char **names = ifr_alloc((plan->place_count + plan->room_count + plan->last_count + 1) * sizeof *names);
	*count = 0;
	for (size_t i = 0; i < plan->place_count; i++)
		names[(*count)++] = plan->places[i].unit;
	for (size_t i = 0; i < plan->room_count; i++)
		names[(*count)++] = plan->rooms[i].unit;
	for (size_t i = 0; i < plan->last_count; i++)
		names[(*count)++] = plan->last[i];
	return names;
}

/* Counts different names, of a list that gets sorted. */
static size_t count_different(const char **names, size_t count) {
	size_t different = 0;
	qsort(names, count, sizeof *names, by_text);
	for (size_t i = 0; i < count; i++)
		different += !i || strcmp(names[i], names[i - 1]);
	return different;
}

size_t ifr_plan_list_missing(const struct ifr_plan *plan, const struct ifr_relinker *relinker,
                             struct ifr_strings *missing) {
	size_t units, count;
	const char **unit = list_units(relinker, &units), **name = list_names(plan, &count);
	for (size_t i = 0; i < count; i++)
		if (!bsearch(&name[i], unit, units, sizeof *unit, by_text) && !ifr_strings_contain(missing, name[i]))
			ifr_strings_add(missing, name[i]);
	const size_t named = count_different(name, count);
	free(name);
	free(unit);
	return named;
}

bool ifr_plan_concerns(const struct ifr_plan *plan, const struct ifr_relinker *relinker) {
	size_t count;
	const char **names = list_names(plan, &count);
	bool concerns = !count;
	qsort(names, count, sizeof *names, by_text);
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker) && !concerns; i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		concerns = !unit.pin && bsearch(&unit.name, names, count, sizeof *names, by_text);
	}
	free(names);
	return concerns;
}

void ifr_plan_drop_units(struct ifr_plan *plan, const struct ifr_strings *units) {
	size_t places = 0, rooms = 0, last = 0;
	for (size_t i = 0; i < plan->place_count; i++)
		if (ifr_strings_contain(units, plan->places[i].unit))
			free(plan->places[i].unit);
		else
			plan->places[places++] = plan->places[i];
	for (size_t i = 0; i < plan->room_count; i++)
		if (ifr_strings_contain(units, plan->rooms[i].unit))
			free(plan->rooms[i].unit);
		else
			plan->rooms[rooms++] = plan->rooms[i];
	for (size_t i = 0; i < plan->last_count; i++)
		if (ifr_strings_contain(units, plan->last[i]))
			free(plan->last[i]);
		else
			plan->last[last++] = plan->last[i];
	plan->place_count = places;
	plan->room_count = rooms;
	plan->last_count = last;
}

char *ifr_missing_units_describe(const struct ifr_strings *missing, size_t named) {
	struct ifr_buffer text = {0};
	if (!missing->count)
		return NULL;
	ifr_buffer_printf(&text, "%zu of %zu unit%s %s gone (", missing->count, named, named == 1 ? "" : "s",
	                  missing->count == 1 ? "is" : "are");
	for (size_t i = 0; i < missing->count && i < NAMED_MISSING; i++)
		ifr_buffer_printf(&text, "%s%s", i ? ", " : "", missing->items[i]);
	ifr_buffer_puts(&text, missing->count > NAMED_MISSING ? ", …)" : ")");
	return ifr_buffer_detach(&text);
}
