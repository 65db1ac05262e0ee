/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units read from a map have unique names, every plan places each of them once, and ld_script_print makes a script
 * of the placement. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "relinker/ld/ld_engine.h"
#include "tests/unit/read_units.h"
#include "relinker/placement/placement.h"

int ifr_fuzz_one(const unsigned char *data, size_t size);

static void are_sound(const struct units *units) {
	for (size_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->items[i];
		assert(unit->bytes && unit->name && unit->object && unit->file && unit->section);
		for (size_t j = 0; j < i; j++)
			assert(strcmp(unit->name, units->items[j].name));
	}
}

static void can_be_placed(const struct units *units, uint64_t seed) {
	static const char script[] = "SECTIONS\n{\n  .text :\n  {\n    *(.text)\n  }\n}\n";
	struct ifr_plan plan;
	struct placement placement;
	struct ifr_buffer text = {0};
	ifr_plan_init(&plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (seed >> i & 1)
			ifr_plan_enable(&plan, (enum ifr_axis)i, seed);
	assert(!placement_make(&placement, units, &plan, NULL, NULL));
	const struct placed_output *text_region = &placement.outputs[OUTPUT_TEXT];
	assert(text_region->count == units->count);
	char *seen = ifr_alloc(units->count);
	for (size_t i = 0; i < text_region->count; i++) {
		size_t unit = text_region->order[i].unit;
		assert(unit < units->count && !seen[unit]++);
		assert(units->items[i].movable || unit == i);
	}
	assert(!ld_script_print(script, units, &placement, &text, NULL));
	/* A quote inside a name would end it, so a unit has two names in two quotes each. */
	size_t quotes = 0;
	for (const char *c = ifr_buffer_text(&text); *c; c++)
		quotes += *c == '"';
	assert(quotes == 4 * units->count);
	free(seen);
	ifr_buffer_release(&text);
	placement_release(&placement);
}

int ifr_fuzz_one(const unsigned char *data, size_t size) {
	struct units units;
	struct ifr_error err = {0};
	struct ifr_buffer map = {0};
	ifr_buffer_append(&map, data, size);
	int result = read_units(&units, ifr_buffer_text(&map), "/nonexistent", &err);
	if (result) {
		assert(result == -IFR_E_ENVIRONMENT && err.code == IFR_E_ENVIRONMENT && *err.message);
	} else {
		are_sound(&units);
		can_be_placed(&units, size);
	}
	units_release(&units);
	ifr_buffer_release(&map);
	return 0;
}
