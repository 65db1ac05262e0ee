/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places that a plan gives to units by their names. */
#include <inttypes.h>
#include <stdlib.h>

#include "relinker/placement/placement_parts.h"
#include "relinker/read/names.h"

enum { FARTHEST_BYTES = 64 << 20 };

static int check_fixed(const struct unit *unit, const struct output_units *output, uint64_t address,
                       struct ifr_error *err) {
	if (!unit->align)
		return ifr_fail(err, IFR_E_USAGE, "%s cannot be given an address: its alignment is not known", unit->name);
	if (address & (unit->align - 1))
		return ifr_fail(err, IFR_E_USAGE, "%s cannot lie at 0x%" PRIx64 ": it needs a multiple of %u", unit->name,
		                address, unit->align);
	if (address < output->address || address - output->address > output->bytes + FARTHEST_BYTES)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s cannot lie at 0x%" PRIx64 ": %s begins at 0x%" PRIx64
		                " and may grow by %d MiB behind 0x%" PRIx64,
		                unit->name, address, output_names[unit->output], output->address, FARTHEST_BYTES >> 20,
		                output->address + output->bytes);
	return 0;
}

/* An index of the units by name. */
static struct names index_units(const struct units *units) {
	struct names index = {0};
	for (size_t i = 0; i < units->count; i++)
		names_add(&index, units->items[i].name, 0, (uint32_t)i, NULL);
	return index;
}

int placement_find_places(const struct units *units, const struct ifr_plan *plan, struct placement *placement,
                          struct known_place *places, struct ifr_error *err) {
	struct names index = index_units(units);
	int result = 0;
	for (size_t i = 0; i < plan->place_count && !result; i++) {
		const struct ifr_plan_place *place = &plan->places[i];
		const uint32_t *found = names_find(&index, place->unit, 0);
		if (!found) {
			placement->unknown++;
			continue;
		}
		const struct unit *unit = &units->items[*found];
		if (!unit->nameable || (unit->output != OUTPUT_TEXT && unit->pin))
			result = ifr_fail(err, IFR_E_USAGE, "%s cannot be placed: %s", unit->name, unit->pin);
		else if (place->fixed)
			result = check_fixed(unit, &units->outputs[unit->output], place->address, err);
		places[placement->places++] = (struct known_place){*found, place->fixed, place->address};
	}
	if (!result && plan->place_count && !placement->places)
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "this program has none of the units that the plan places (%s%s): interfero layout --units "
		             "lists its own",
		             plan->places[0].unit, plan->place_count > 1 ? ", …" : "");
	names_release(&index);
	return result;
}

uint64_t *placement_find_rooms(const struct units *units, const struct ifr_plan *plan) {
	if (!plan->room_count)
		return NULL;
	struct names index = index_units(units);
	uint64_t *rooms = ifr_alloc((units->count + 1) * sizeof *rooms);
	for (size_t i = 0; i < plan->room_count; i++) {
		const uint32_t *found = names_find(&index, plan->rooms[i].unit, 0);
		if (found && units->items[*found].output == OUTPUT_TEXT)
			rooms[*found] = plan->rooms[i].bytes;
	}
	names_release(&index);
	return rooms;
}

uint8_t *placement_find_last(const struct units *units, const struct ifr_plan *plan) {
	if (!plan->last_count)
		return NULL;
	struct names index = index_units(units);
	uint8_t *last = ifr_alloc(units->count + 1);
	for (size_t i = 0; i < plan->last_count; i++) {
		const uint32_t *found = names_find(&index, plan->last[i], 0);
		if (found && units->items[*found].output == OUTPUT_TEXT)
			last[*found] = 1;
	}
	names_release(&index);
	return last;
}
