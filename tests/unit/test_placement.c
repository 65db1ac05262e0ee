/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placements of units made by hand: each axis moves the units that it may move, everywhere, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "relinker/placement/placement.h"

enum {
	FUNCTIONS = 1u << IFR_AXIS_FUNCTIONS,
	OBJECTS = 1u << IFR_AXIS_LINK_ORDER,
	PADDING = 1u << IFR_AXIS_PADDING
};

/* Adds a unit; functions of the same number in two programs have the same name. */
static void add(struct units *units, int object, int function, unsigned bucket, bool movable) {
	units->items = ifr_realloc(units->items, units->count + 1, sizeof *units->items);
	units->items[units->count++] = (struct unit){
		.name = ifr_format("o%d.o:.text.f%d", object, function),
		.object = ifr_format("o%d.o", object),
		.address = 0x1000 + 16 * units->count,
		.bytes = 16,
		.span_bytes = 16,
		.align = 16,
		.section = ifr_format(".text.f%d", function),
		.bucket = bucket,
		.nameable = true,
		.movable = movable,
	};
	units->outputs[OUTPUT_TEXT].address = 0x1000;
	units->outputs[OUTPUT_TEXT].count++;
	units->outputs[OUTPUT_TEXT].movable += movable;
	units->outputs[OUTPUT_TEXT].bytes += 16;
}

/* Three buckets, each with five objects of four functions. Every thirteenth unit is pinned; `without` is left out. */
static void program(struct units *units, int without) {
	*units = (struct units){0};
	for (int i = 0; i < 60; i++)
		if (i != without)
			add(units, i % 20 / 4, i, 1 + (unsigned)i / 20, i % 13 != 5);
}

static struct ifr_plan plan_of(unsigned axes, uint64_t seed) {
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (axes & 1u << i)
			ifr_plan_enable(&plan, (enum ifr_axis)i, seed);
	return plan;
}

/* The movable units in their new order, as indices. */
static size_t movable_order(const struct units *units, const struct placement *placement, size_t *order) {
	size_t count = 0;
	for (size_t i = 0; i < placement->outputs[OUTPUT_TEXT].count; i++)
		if (units->items[placement->outputs[OUTPUT_TEXT].order[i].unit].movable)
			order[count++] = placement->outputs[OUTPUT_TEXT].order[i].unit;
	return count;
}

static void is_permutation(const struct units *units, const struct placement *placement) {
	char *seen = ifr_alloc(units->count);
	size_t moved = 0;
	assert_int_equal(placement->outputs[OUTPUT_TEXT].count, units->count);
	for (size_t i = 0; i < placement->outputs[OUTPUT_TEXT].count; i++) {
		size_t unit = placement->outputs[OUTPUT_TEXT].order[i].unit;
		assert_true(unit < units->count);
		assert_false(seen[unit]);
		seen[unit] = 1;
		moved += unit != i;
		if (!units->items[i].movable)
			assert_int_equal(unit, i);
	}
	assert_int_equal(placement->outputs[OUTPUT_TEXT].moved, moved);
	free(seen);
}

static void test_nothing_on_nothing_moves(void **state) {
	(void)state;
	struct units units;
	struct placement placement;
	/* Axes of the plugin and the launcher do not change a placement. */
	struct ifr_plan plan = plan_of(ifr_axes_of(IFR_OWNER_PLUGIN | IFR_OWNER_LAUNCHER), 5);
	program(&units, -1);
	placement_make(&placement, &units, &plan, NULL, NULL);
	is_permutation(&units, &placement);
	assert_int_equal(placement.outputs[OUTPUT_TEXT].moved, 0);
	assert_int_equal(
		placement.outputs[OUTPUT_TEXT].padding_bytes + placement.base_bytes + placement.sizes.interp_bytes, 0);
	assert_int_equal(placement.sizes.output_bytes[OUTPUT_TEXT], units.outputs[OUTPUT_TEXT].bytes);
	placement_release(&placement);
	units_release(&units);
	placement_make(&placement, &units, &plan, NULL, NULL);
	assert_int_equal(placement.outputs[OUTPUT_TEXT].count, 0);
	placement_release(&placement);
}

static void test_buckets_and_pins(void **state) {
	(void)state;
	struct units units;
	program(&units, -1);
	size_t crossed = 0;
	for (uint64_t seed = 0; seed < 100; seed++)
		for (unsigned axes = FUNCTIONS; axes <= (FUNCTIONS | OBJECTS); axes++)
			for (int cross = 0; cross < 2; cross++) {
				struct ifr_plan plan = plan_of(axes, seed);
				struct placement placement;
				plan.axis[IFR_AXIS_FUNCTIONS].value[0] = cross;
				placement_make(&placement, &units, &plan, NULL, NULL);
				is_permutation(&units, &placement);
				bool may_cross = cross && axes & FUNCTIONS;
				for (size_t i = 0; i < placement.outputs[OUTPUT_TEXT].count; i++) {
					bool here =
						units.items[placement.outputs[OUTPUT_TEXT].order[i].unit].bucket == units.items[i].bucket;
					assert_true(here || may_cross);
					crossed += !here;
				}
				placement_release(&placement);
			}
	/* Two thirds of 55 movable units in 200 placements. */
	assert_in_range(crossed, 5000, 200 * 55);
	units_release(&units);
}

/* Under `objects`, an object's functions follow one another; they keep their order unless `functions` is on, too. */
static void test_objects_stay_together(void **state) {
	(void)state;
	struct units units;
	size_t order[60], turned = 0;
	program(&units, -1);
	for (uint64_t seed = 0; seed < 100; seed++)
		for (int both = 0; both < 2; both++) {
			struct ifr_plan plan = plan_of(both ? OBJECTS | FUNCTIONS : OBJECTS, seed);
			struct placement placement;
			placement_make(&placement, &units, &plan, NULL, NULL);
			size_t count = movable_order(&units, &placement, order), changes = 0;
			for (size_t i = 1; i < count; i++) {
				const struct unit *a = &units.items[order[i - 1]], *b = &units.items[order[i]];
				bool same = a->bucket == b->bucket && !strcmp(a->object, b->object);
				changes += !same;
				if (same && !both)
					assert_true(order[i - 1] < order[i]);
				turned += same && order[i - 1] > order[i];
			}
			/* Three buckets of five objects: 15 runs. */
			assert_int_equal(changes, 14);
			placement_release(&placement);
		}
	assert_true(turned > 100 * 15);
	units_release(&units);
}

static void names_in_order(const struct units *units, const struct ifr_plan *plan, const char *without,
                           struct ifr_buffer *text) {
	struct placement placement;
	size_t order[64];
	placement_make(&placement, units, plan, NULL, NULL);
	size_t count = movable_order(units, &placement, order);
	for (size_t i = 0; i < count; i++)
		if (strcmp(units->items[order[i]].name, without))
			ifr_buffer_printf(text, "%s\n", units->items[order[i]].name);
	placement_release(&placement);
}

static void test_a_newcomer_changes_nothing_else(void **state) {
	(void)state;
	for (int without = 0; without < 60; without += 7)
		for (unsigned axes = FUNCTIONS; axes <= (FUNCTIONS | OBJECTS); axes++) {
			struct ifr_plan plan = plan_of(axes, 11);
			struct units old, new;
			struct ifr_buffer before = {0}, after = {0};
			program(&old, without);
			program(&new, -1);
			names_in_order(&old, &plan, new.items[without].name, &before);
			names_in_order(&new, &plan, new.items[without].name, &after);
			assert_string_equal(ifr_buffer_text(&before), ifr_buffer_text(&after));
			ifr_buffer_release(&before);
			ifr_buffer_release(&after);
			units_release(&old);
			units_release(&new);
		}
}

static void test_padding(void **state) {
	(void)state;
	struct units units;
	program(&units, -1);
	bool none = false, most = false;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct ifr_plan plan = plan_of(PADDING, seed), shuffled = plan_of(PADDING | FUNCTIONS, seed);
		struct placement placement, other;
		uint64_t sum = 0, by_unit[60];
		plan.axis[IFR_AXIS_PADDING].value[0] = shuffled.axis[IFR_AXIS_PADDING].value[0] = 7;
		placement_make(&placement, &units, &plan, NULL, NULL);
		placement_make(&other, &units, &shuffled, NULL, NULL);
		assert_int_equal(placement.outputs[OUTPUT_TEXT].moved, 0);
		for (size_t i = 0; i < placement.outputs[OUTPUT_TEXT].count; i++) {
			uint64_t bytes = by_unit[i] = placement.outputs[OUTPUT_TEXT].order[i].padding_bytes;
			assert_in_range(bytes, 0, units.items[i].movable ? 7 : 0);
			none |= units.items[i].movable && !bytes;
			most |= bytes == 7;
			sum += bytes;
		}
		assert_int_equal(placement.outputs[OUTPUT_TEXT].padding_bytes, sum);
		/* A unit keeps its padding in another order. */
		for (size_t i = 0; i < other.outputs[OUTPUT_TEXT].count; i++)
			assert_int_equal(other.outputs[OUTPUT_TEXT].order[i].padding_bytes,
			                 by_unit[other.outputs[OUTPUT_TEXT].order[i].unit]);
		/* Room for the padding and for alignments to 16, in whole pages. */
		assert_true(placement.sizes.output_bytes[OUTPUT_TEXT] >=
		            units.outputs[OUTPUT_TEXT].bytes + sum + 15 * units.count);
		assert_int_equal((placement.sizes.output_bytes[OUTPUT_TEXT] - units.outputs[OUTPUT_TEXT].bytes) % 4096, 0);
		placement_release(&placement);
		placement_release(&other);
	}
	assert_true(none && most);
	units_release(&units);
}

static void test_base_and_interpreter(void **state) {
	(void)state;
	struct units units;
	program(&units, -1);
	unsigned seen = 0;
	uint64_t longest = 0;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct ifr_plan plan = plan_of(1u << IFR_AXIS_BASE | 1u << IFR_AXIS_INTERP, seed);
		struct placement placement;
		/* 100 is not a multiple of 24: the values are 0, 24, 48, 72 and 96. */
		ifr_plan_set(&plan, IFR_AXIS_BASE, "max=100 step=24", NULL);
		ifr_plan_set(&plan, IFR_AXIS_INTERP, "max=9", NULL);
		placement_make(&placement, &units, &plan, NULL, NULL);
		assert_int_equal(placement.base_bytes % 24, 0);
		assert_in_range(placement.base_bytes, 0, 96);
		assert_in_range(placement.sizes.interp_bytes, 0, 9);
		seen |= 1u << placement.base_bytes / 24;
		longest = placement.sizes.interp_bytes > longest ? placement.sizes.interp_bytes : longest;
		assert_int_equal(placement.outputs[OUTPUT_TEXT].moved, 0);
		assert_int_equal(placement.sizes.output_bytes[OUTPUT_TEXT], units.outputs[OUTPUT_TEXT].bytes + 4096);
		placement_release(&placement);
	}
	assert_int_equal(seen, 31);
	assert_int_equal(longest, 9);
	units_release(&units);
}

static void test_same_plan_same_placement(void **state) {
	(void)state;
	struct units units;
	size_t different = 0;
	program(&units, -1);
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct ifr_plan plan = plan_of(ifr_axes_of(IFR_OWNER_RELINKER), seed), next = plan_of(FUNCTIONS, seed + 1);
		struct placement a, b, c;
		placement_make(&a, &units, &plan, NULL, NULL);
		placement_make(&b, &units, &plan, NULL, NULL);
		placement_make(&c, &units, &next, NULL, NULL);
		assert_memory_equal(a.outputs[OUTPUT_TEXT].order, b.outputs[OUTPUT_TEXT].order,
		                    a.outputs[OUTPUT_TEXT].count * sizeof *a.outputs[OUTPUT_TEXT].order);
		assert_int_equal(a.base_bytes, b.base_bytes);
		assert_int_equal(a.sizes.interp_bytes, b.sizes.interp_bytes);
		assert_int_equal(a.sizes.output_bytes[OUTPUT_TEXT], b.sizes.output_bytes[OUTPUT_TEXT]);
		for (size_t i = 0; i < a.outputs[OUTPUT_TEXT].count; i++)
			different += a.outputs[OUTPUT_TEXT].order[i].unit != c.outputs[OUTPUT_TEXT].order[i].unit;
		placement_release(&a);
		placement_release(&b);
		placement_release(&c);
	}
	assert_true(different > 50 * 30);
	units_release(&units);
}

/* All 24 orders of four units, or under `objects` of four objects, are equally frequent over 4800 seeds. The
 * critical value for 23 degrees of freedom at 0.001 is 49.728. Ref: NIST/SEMATECH e-Handbook, table 1.3.6.7.4. */
static void all_orders(unsigned axes) {
	struct units units = {0};
	unsigned seen[256] = {0}, orders = 0;
	double sum = 0;
	for (int i = 0; i < 4; i++)
		add(&units, i, i, 1, true);
	for (uint64_t seed = 0; seed < 4800; seed++) {
		struct ifr_plan plan = plan_of(axes, seed);
		struct placement placement;
		size_t code = 0;
		placement_make(&placement, &units, &plan, NULL, NULL);
		for (size_t i = 0; i < 4; i++)
			code = code * 4 + placement.outputs[OUTPUT_TEXT].order[i].unit;
		seen[code]++;
		placement_release(&placement);
	}
	for (size_t i = 0; i < 256; i++) {
		orders += seen[i] > 0;
		if (seen[i])
			sum += (seen[i] - 200.0) * (seen[i] - 200.0) / 200.0;
	}
	assert_int_equal(orders, 24);
	assert_true(sum < 49.728);
	units_release(&units);
}

static void test_all_orders(void **state) {
	(void)state;
	all_orders(FUNCTIONS);
	all_orders(OBJECTS);
}

/* Offsets of all units from their section's start, by unit: each behind the one before, padded and aligned. */
static uint64_t *offsets_of(const struct units *units, const struct placement *placement) {
	uint64_t *offsets = ifr_alloc(units->count * sizeof *offsets), at = 0;
	for (size_t i = 0; i < placement->outputs[OUTPUT_TEXT].count; i++) {
		const struct placed_unit *placed = &placement->outputs[OUTPUT_TEXT].order[i];
		const struct unit *unit = &units->items[placed->unit];
		at = (at + placed->padding_bytes + unit->align - 1) / unit->align * unit->align;
		offsets[placed->unit] = at;
		at += unit->span_bytes;
	}
	assert_true(at <= placement->sizes.output_bytes[OUTPUT_TEXT]);
	return offsets;
}

/* How two programs differ, beside the sizes of three functions. */
struct difference {
	uint64_t later; /* bytes by which the code of the second one begins later */
	int lacks;      /* a function that the second one lacks; -1: none */
	int pin;        /* a unit that an image pins in both; -1: none */
};

static struct unit *function_of(struct units *units, int function) {
	char section[16];
	snprintf(section, sizeof section, ".text.f%d", function);
	for (size_t i = 0; i < units->count; i++)
		if (!strcmp(units->items[i].section, section))
			return &units->items[i];
	return NULL;
}

/* Makes two programs, and a plan that makes their layouts match. */
static void make_pair(const struct difference *difference, struct units units[2], struct ifr_plan *match) {
	static const struct {
		int function;
		uint64_t bytes[2];
	} changed[] = {{7, {16, 83}}, {22, {40, 9}}, {51, {16, 17}}};
	for (int side = 0; side < 2; side++) {
		program(&units[side], side ? difference->lacks : -1);
		for (size_t i = 0; i < 3; i++) {
			struct unit *unit = function_of(&units[side], changed[i].function);
			unit->bytes = unit->span_bytes = changed[i].bytes[side];
			units[side].outputs[OUTPUT_TEXT].bytes += 96;
			ifr_plan_give_room(match, unit->name,
			                   changed[i].bytes[0] > changed[i].bytes[1] ? changed[i].bytes[0]
			                                                             : changed[i].bytes[1]);
		}
	}
	for (size_t i = 0; i < units[1].count; i++)
		units[1].items[i].address += difference->later;
	units[1].outputs[OUTPUT_TEXT].address += difference->later;
	match->code_start = units[1].outputs[OUTPUT_TEXT].address;
	if (difference->lacks >= 0)
		ifr_plan_put_last(match, function_of(&units[0], difference->lacks)->name);
}

/* The number of functions that lie at equal addresses in both programs' layouts under a plan. */
static size_t count_equal(struct units units[2], const struct ifr_plan *plan, int pin) {
	uint64_t *offsets[2];
	uint8_t pinned[60] = {0};
	size_t equal = 0;
	if (pin >= 0)
		pinned[pin] = 1;
	for (int side = 0; side < 2; side++) {
		struct placement placement;
		struct ifr_error err = {0};
		if (placement_make(&placement, &units[side], plan, pin >= 0 ? pinned : NULL, &err))
			fail_msg("%s", err.message);
		offsets[side] = offsets_of(&units[side], &placement);
		placement_release(&placement);
	}
	for (int f = 0; f < 60; f++) {
		const struct unit *old = function_of(&units[0], f), *new = function_of(&units[1], f);
		equal += new &&units[0].outputs[OUTPUT_TEXT].address + offsets[0][old - units[0].items] ==
		         units[1].outputs[OUTPUT_TEXT].address + offsets[1][new - units[1].items];
	}
	free(offsets[0]);
	free(offsets[1]);
	return equal;
}

/* With the rooms of the longer functions, the later start and the function that one program lacks behind all others, all
 * common functions lie at equal addresses in both; without, hardly any, unless the longer ones come last. */
static void check_match(uint64_t seed, unsigned axes, const struct difference *difference) {
	struct units units[2];
	struct ifr_plan plain = plan_of(axes, seed), matched = plan_of(axes, seed);
	make_pair(difference, units, &matched);
	assert_true(count_equal(units, &plain, difference->pin) < units[1].count);
	assert_int_equal(count_equal(units, &matched, difference->pin), units[1].count);
	ifr_plan_release(&plain);
	ifr_plan_release(&matched);
	units_release(&units[0]);
	units_release(&units[1]);
}

static void test_matched_layouts(void **state) {
	(void)state;
	for (uint64_t seed = 1; seed < 50; seed++) {
		check_match(seed, FUNCTIONS, &(struct difference){.lacks = -1, .pin = -1});
		check_match(seed, FUNCTIONS | PADDING, &(struct difference){.later = 48, .lacks = 33, .pin = -1});
		check_match(seed, FUNCTIONS | OBJECTS | PADDING | 1u << IFR_AXIS_BASE,
		            &(struct difference){.later = 16, .lacks = 0, .pin = -1});
		check_match(seed, FUNCTIONS | PADDING | 1u << IFR_AXIS_BASE, &(struct difference){.lacks = -1, .pin = 30});
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_on_nothing_moves),
		cmocka_unit_test(test_buckets_and_pins),
		cmocka_unit_test(test_objects_stay_together),
		cmocka_unit_test(test_a_newcomer_changes_nothing_else),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_base_and_interpreter),
		cmocka_unit_test(test_same_plan_same_placement),
		cmocka_unit_test(test_all_orders),
		cmocka_unit_test(test_matched_layouts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
