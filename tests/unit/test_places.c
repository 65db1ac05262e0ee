/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placements around fixed units: programs and plans drawn at random, laid out here as engines do, and compared
 * with the promises of the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "common/random.h"
#include "relinker/placement/placement.h"

enum { PROGRAMS = 300, MOST_UNITS = 60 };

static uint64_t draw(uint64_t seed, const char *what, uint64_t number, uint64_t below) {
	char *name = ifr_format("%s %llu", what, (unsigned long long)number);
	uint64_t drawn = ifr_random_below(ifr_random_keyed(seed, "test", name), below);
	free(name);
	return drawn;
}

/* Units of every output section, laid out one behind the other; some units of data and of .text are pinned. */
static void program(struct units *units, uint64_t seed) {
	static const uint32_t aligns[] = {1, 2, 4, 8, 16, 16, 16, 32, 64};
	uint64_t address = 0x1000;
	*units = (struct units){.items = ifr_alloc(MOST_UNITS * sizeof *units->items)};
	for (int r = 0; r < OUTPUTS; r++) {
		struct output_units *output = &units->outputs[r];
		output->first = units->count;
		output->address = address = (address + 4095) & ~UINT64_C(4095);
		output->count = 3 + draw(seed, "count", (uint64_t)r, 12);
		for (size_t i = 0; i < output->count; i++) {
			uint64_t number = units->count;
			/* Alignments above 16 bytes are in data only: with them .text may outgrow its size. */
			uint32_t align =
				aligns[draw(seed, "align", number, r == OUTPUT_TEXT ? 7 : sizeof aligns / sizeof *aligns)];
			bool movable = draw(seed, "movable", number, 4) > 0;
			address = (address + align - 1) & ~(uint64_t)(align - 1);
			units->items[units->count++] = (struct unit){
				.name = ifr_format("u%llu.o:%s", (unsigned long long)number, output_names[r]),
				.object = ifr_format("u%llu.o", (unsigned long long)number),
				.section = ifr_strdup(output_names[r]),
				.address = address,
				.bytes = 1 + draw(seed, "bytes", number, 100),
				.align = align,
				.output = (enum output_section)r,
				.movable = movable,
				.nameable = true,
				.pin = movable ? NULL : "drawn",
			};
			struct unit *unit = &units->items[number];
			unit->span_bytes = unit->bytes;
			address += unit->bytes;
			output->movable += movable;
		}
		output->bytes = address - output->address;
	}
}

/* Lays an output section out as the engines do. at receives each unit's offset. Returns the end. */
static uint64_t lay_out(const struct units *units, const struct placement *placement, enum output_section output,
                        uint64_t *at) {
	const struct placed_output *placed = &placement->outputs[output];
	uint64_t dot = 0;
	for (size_t i = 0; i < placed->count; i++) {
		const struct unit *unit = &units->items[placed->order[i].unit];
		dot += placed->order[i].padding_bytes;
		dot = (dot + unit->align - 1) & ~(uint64_t)(unit->align - 1);
		at[placed->order[i].unit] = dot;
		dot += unit->span_bytes;
	}
	return dot;
}

/* Checks that a placed output section has each of its units once. Units cannot overlap, because they are laid out
 * in order. */
static void is_whole(const struct units *units, const struct placement *placement) {
	char seen[MOST_UNITS] = {0};
	for (int r = 0; r < OUTPUTS; r++) {
		const struct placed_output *placed = &placement->outputs[r];
		if (!placed->order) {
			assert_int_equal(placement->sizes.output_bytes[r], 0);
			continue;
		}
		assert_int_equal(placed->count, units->outputs[r].count);
		for (size_t i = 0; i < placed->count; i++) {
			assert_int_equal(units->items[placed->order[i].unit].output, r);
			assert_false(seen[placed->order[i].unit]++);
		}
	}
}

static void draw_plan(struct ifr_plan *plan, uint64_t seed) {
	static const enum ifr_axis axes[] = {IFR_AXIS_FUNCTIONS, IFR_AXIS_LINK_ORDER, IFR_AXIS_PADDING, IFR_AXIS_BASE};
	ifr_plan_init(plan);
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
		if (draw(seed, "axis", i, 2))
			ifr_plan_enable(plan, axes[i], seed);
	ifr_plan_enable(plan, IFR_AXIS_DATA, seed);
	plan->axis[IFR_AXIS_DATA].value[0] = (int64_t)draw(seed, "most", 0, 300);
}

/* Pinned units stay where they ship, all units lie inside the size, and the size is the same for every seed. */
static void test_flow(void **state) {
	(void)state;
	size_t moved = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct units units;
		struct ifr_plan plan;
		struct placement placement, other;
		uint64_t at[MOST_UNITS];
		uint8_t held[MOST_UNITS] = {0};
		program(&units, seed);
		draw_plan(&plan, seed);
		for (size_t i = 0; i < units.count; i++)
			held[i] = !draw(seed, "held", i, 8);
		assert_int_equal(placement_make(&placement, &units, &plan, held, NULL), 0);
		is_whole(&units, &placement);
		for (int r = 0; r < OUTPUTS; r++) {
			const struct output_units *output = &units.outputs[r];
			uint64_t end = lay_out(&units, &placement, (enum output_section)r, at);
			if (!placement.outputs[r].order)
				continue;
			/* Without padding, the alignment gaps of another order may make .text a little longer. */
			if (r != OUTPUT_TEXT || plan.axis[IFR_AXIS_PADDING].on)
				assert_true(end <= placement.sizes.output_bytes[r]);
			assert_int_equal((placement.sizes.output_bytes[r] - output->bytes) % 4096, 0);
			for (size_t i = output->first; i < output->first + output->count; i++) {
				bool stays = held[i] || (r != OUTPUT_TEXT && !units.items[i].movable);
				if (stays)
					assert_int_equal(at[i], units.items[i].address - output->address);
				else
					moved += at[i] != units.items[i].address - output->address;
			}
		}
		for (int i = 0; i < IFR_AXIS_COUNT; i++)
			plan.axis[i].seed += 1000;
		assert_int_equal(placement_make(&other, &units, &plan, held, NULL), 0);
		assert_memory_equal(&placement.sizes, &other.sizes, sizeof other.sizes);
		placement_release(&placement);
		placement_release(&other);
		units_release(&units);
	}
	assert_true(moved > 10 * PROGRAMS);
}

/* A layout written as a plan of addresses, with its lines in any order, gives the same layout. */
static void test_addresses_repeat_a_layout(void **state) {
	(void)state;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct units units;
		struct ifr_plan plan, told;
		struct placement placement, again;
		uint64_t at[MOST_UNITS], back[MOST_UNITS];
		program(&units, seed);
		draw_plan(&plan, seed);
		assert_int_equal(placement_make(&placement, &units, &plan, NULL, NULL), 0);
		ifr_plan_init(&told);
		for (int r = 0; r < OUTPUTS; r++)
			lay_out(&units, &placement, (enum output_section)r, at);
		for (size_t k = 0; k < units.count; k++) {
			size_t i = (k * 7 + seed) % units.count;
			const struct unit *unit = &units.items[i];
			/* 7 can divide the count: then some units come twice and are left out. */
			bool again_named = false;
			for (size_t p = 0; p < told.place_count; p++)
				again_named |= !strcmp(told.places[p].unit, unit->name);
			if (!again_named && placement.outputs[unit->output].order &&
			    (unit->output == OUTPUT_TEXT || !unit->pin))
				ifr_plan_place_at(&told, unit->name, units.outputs[unit->output].address + at[i]);
		}
		if (units.count % 7) {
			struct ifr_error err = {0};
			assert_int_equal(placement_make(&again, &units, &told, NULL, &err), 0);
			is_whole(&units, &again);
			for (int r = 0; r < OUTPUTS; r++) {
				lay_out(&units, &again, (enum output_section)r, back);
				for (size_t i = 0; again.outputs[r].order && i < units.outputs[r].count; i++)
					assert_int_equal(back[units.outputs[r].first + i], at[units.outputs[r].first + i]);
			}
			placement_release(&again);
		}
		placement_release(&placement);
		ifr_plan_release(&told);
		units_release(&units);
	}
}

/* By hand: units a, b, c of 16 bytes at 0, 16, 32. With c fixed at 80, a and b stay, and the gap has 32 bytes.
 * With b fixed at 64 and the list c, a, these two come first, and b's gap is 32. */
static void test_by_hand(void **state) {
	(void)state;
	struct unit items[3];
	struct units units = {.items = items, .count = 3};
	static const char *const names[] = {"a", "b", "c"};
	for (size_t i = 0; i < 3; i++)
		items[i] = (struct unit){.name = (char *)names[i],
		                         .object = (char *)names[i],
		                         .section = (char *)".text",
		                         .address = 0x1000 + 16 * i,
		                         .bytes = 16,
		                         .span_bytes = 16,
		                         .align = 16,
		                         .movable = true,
		                         .nameable = true};
	units.outputs[OUTPUT_TEXT] = (struct output_units){0, 3, 3, 0x1000, 48};
	static const struct {
		const char *lines;
		size_t order[3];
		uint64_t padding[3];
		uint64_t bytes;
	} table[] = {
		{"at 0x1050 c\n", {0, 1, 2}, {0, 0, 48}, 48 + 4096},
		{"at 0x1040 b\norder c\norder a\n", {2, 0, 1}, {0, 0, 32}, 48 + 4096},
		{"order c\n", {2, 0, 1}, {0, 0, 0}, 48},
		{"at 0x1000 c\norder b\n", {2, 1, 0}, {0, 0, 0}, 48},
	};
	for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
		struct ifr_plan plan;
		struct placement placement;
		struct ifr_error err = {0};
		char *text = ifr_format("interfero-plan 1\n%s", table[t].lines);
		assert_int_equal(ifr_plan_parse(text, strlen(text), "plan", &plan, &err), 0);
		assert_int_equal(placement_make(&placement, &units, &plan, NULL, &err), 0);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(placement.outputs[OUTPUT_TEXT].order[i].unit, table[t].order[i]);
			assert_int_equal(placement.outputs[OUTPUT_TEXT].order[i].padding_bytes, table[t].padding[i]);
		}
		assert_int_equal(placement.sizes.output_bytes[OUTPUT_TEXT], table[t].bytes);
		assert_int_equal(placement.places, plan.place_count);
		placement_release(&placement);
		ifr_plan_release(&plan);
		free(text);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_addresses_repeat_a_layout),
		cmocka_unit_test(test_by_hand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
