/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/unit_addresses.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b) {
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All plans have the units of the first one: one kit, one set of axes. */
static void name_units(const struct ifr_plan *places, struct ifr_unit_addresses *addresses) {
	addresses->units = ifr_alloc((places->place_count + 1) * sizeof *addresses->units);
	for (size_t i = 0; i < places->place_count; i++)
		addresses->units[i] = ifr_strdup(places->places[i].unit);
	addresses->unit_count = places->place_count;
	qsort(addresses->units, addresses->unit_count, sizeof *addresses->units, by_name);
	addresses->bytes = ifr_alloc((addresses->unit_count + 1) * sizeof *addresses->bytes);
	addresses->shipped = ifr_alloc((addresses->unit_count + 1) * sizeof *addresses->shipped);
	addresses->pins = ifr_alloc((addresses->unit_count + 1) * sizeof *addresses->pins);
	addresses->pinned = ifr_alloc((addresses->unit_count + 1) * sizeof *addresses->pinned);
	addresses->sources = ifr_alloc((addresses->unit_count + 1) * sizeof *addresses->sources);
	addresses->at = ifr_alloc((addresses->variant_count * addresses->unit_count + 1) * sizeof *addresses->at);
}

size_t ifr_unit_addresses_index(const struct ifr_unit_addresses *addresses, const char *unit) {
	char **found = bsearch(&unit, addresses->units, addresses->unit_count, sizeof *addresses->units, by_name);
	return found ? (size_t)(found - addresses->units) : addresses->unit_count;
}

static void measure_units(const struct ifr_relinker *relinker, struct ifr_unit_addresses *addresses) {
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		size_t place = ifr_unit_addresses_index(addresses, unit.name);
		if (place >= addresses->unit_count)
			continue;
		addresses->bytes[place] = unit.bytes;
		addresses->shipped[place] = unit.pin ? 0 : unit.address;
		if (unit.pin && !addresses->pins[place]) {
			addresses->pins[place] = ifr_strdup(unit.pin);
			addresses->pinned[place] = unit.address;
		}
	}
}

/* The bytes of ".text" in "lvm.o:.text.luaV_execute", and where they begin. */
static const char *section_of(const char *unit, size_t *length) {
	const char *colon = strrchr(unit, ':'), *section = colon ? colon + 1 : unit;
	*length = 1 + strcspn(section + (*section != '\0'), ".");
	return section;
}

bool ifr_unit_addresses_share_section(const struct ifr_unit_addresses *addresses, size_t unit, size_t other) {
	size_t length, own;
	const char *one = section_of(addresses->units[unit], &length),
			   *two = section_of(addresses->units[other], &own);
	return own == length && !strncmp(one, two, length);
}

const char *ifr_unit_addresses_lead(const struct ifr_unit_addresses *addresses, size_t unit) {
	size_t lead = addresses->unit_count;
	for (size_t i = 0; addresses->shipped && i < addresses->unit_count; i++) {
		if (i != unit && addresses->shipped[i] && ifr_unit_addresses_share_section(addresses, unit, i) &&
		    (lead == addresses->unit_count || addresses->shipped[i] < addresses->shipped[lead]))
			lead = i;
	}
	return lead < addresses->unit_count ? addresses->units[lead] : NULL;
}

const char *ifr_unit_addresses_neighbour(const struct ifr_unit_addresses *addresses, size_t unit) {
	uint64_t least = UINT64_MAX;
	const char *nearest = NULL;
	for (size_t i = 0; addresses->pinned && addresses->shipped && i < addresses->unit_count; i++) {
		const uint64_t at = addresses->shipped[i], from = addresses->pinned[unit];
		const uint64_t distance = at > from ? at - from : from - at;
		if (at && distance < least) {
			least = distance;
			nearest = addresses->units[i];
		}
	}
	return nearest;
}

static int add_variant(const struct ifr_relinker *relinker, const struct ifr_dataset_variant *variant,
                       size_t index, struct ifr_unit_addresses *addresses, struct ifr_error *err) {
	struct ifr_plan plan, places;
	struct ifr_relinker_layout *layout = NULL;
	int result = ifr_plan_parse(variant->plan, strlen(variant->plan), variant->name, &plan, err);
	if (result)
		return result;
	ifr_plan_init(&places);
	result = ifr_relinker_place(relinker, &plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_to_plan(layout, true, &places, err);
	if (!result && !addresses->units)
		name_units(&places, addresses);
	for (size_t i = 0; i < places.place_count && !result; i++) {
		size_t unit = ifr_unit_addresses_index(addresses, places.places[i].unit);
		if (unit < addresses->unit_count)
			addresses->at[index * addresses->unit_count + unit] = places.places[i].address;
	}
	ifr_relinker_layout_close(layout);
	ifr_plan_release(&places);
	ifr_plan_release(&plan);
	return result;
}

int ifr_unit_addresses_find(const struct ifr_relinker *relinker, const struct ifr_dataset *dataset,
                            unsigned program, struct ifr_unit_addresses *addresses, struct ifr_error *err) {
	*addresses = (struct ifr_unit_addresses){.variant_count = dataset->variant_count};
	int result = 0;
	for (size_t i = 0; i < dataset->variant_count && !result; i++) {
		const struct ifr_dataset_variant *variant = &dataset->variants[i];
		if (variant->program == program && variant->layout && !variant->refused && *variant->plan)
			result = add_variant(relinker, variant, i, addresses, err);
	}
	if (!result && !addresses->unit_count)
		result = ifr_fail(err, IFR_E_USAGE, "no variant of this experiment has a plan that places units");
	if (!result)
		measure_units(relinker, addresses);
	return result;
}

void ifr_unit_addresses_release(struct ifr_unit_addresses *addresses) {
	for (size_t i = 0; i < addresses->unit_count; i++)
		free(addresses->units[i]);
	for (size_t i = 0; addresses->sources && i < addresses->unit_count; i++)
		free(addresses->sources[i]);
	for (size_t i = 0; addresses->pins && i < addresses->unit_count; i++)
		free(addresses->pins[i]);
	free(addresses->pins);
	free(addresses->pinned);
	free(addresses->sources);
	free(addresses->first);
	free(addresses->bytes);
	free(addresses->shipped);
	free(addresses->units);
	free(addresses->at);
	*addresses = (struct ifr_unit_addresses){0};
}
