/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of layouts, counted by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/optimize/features.h"

enum {
	WINDOWS_16,
	WINDOWS_32,
	WINDOWS_64,
	BRANCH_ENDS,
	CROWDED,
	LINES,
	PAGES,
	SET_OVERFLOW,
	ALIASES,
	SET_PRESSURE,
	OF_FIRST_UNIT
};

static void near(double got, double expected) {
	if (!(fabs(got - expected) <= 1e-10))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

/* 1000 instructions, so that features are numbers of executions. */
static struct hot_code code_of(struct hot_block *blocks, size_t count, struct hot_unit *units, size_t unit_count) {
	return (struct hot_code){
		.blocks = blocks, .block_count = count, .units = units, .unit_count = unit_count, .instructions = 1000};
}

/* A block of 40 bytes, executed ten times and entered four times from the block before it, at each offset of 16:
 *
 *     at    windows of 16   of 32            of 64
 *     0     3 a jump        2                1
 *     16    3               2                1
 *     32    3               2 (32 to 71)     2
 *     48    3               2 (48 to 87)     2
 *
 * Entered without a jump, the first window counts only where the block begins one. */
static void test_windows(void **state) {
	(void)state;
	static const double windows[4][3] = {
		{30, 20, 10}, {30, 20 - 4, 10 - 4}, {30, 20, 20 - 4}, {30, 20 - 4, 20 - 4}};
	struct hot_unit unit = {.unit = 0, .name = "a.o:.text.f", .bytes = 40};
	struct hot_block block = {.unit = 0, .offset = 0, .executions = 10, .falls = 4, .bytes = 40};
	struct hot_code code = code_of(&block, 1, &unit, 1);
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t at = 0x1000 + 16 * i;
		double values[FEATURES_MOST];
		features_compute(&code, &at, values);
		for (unsigned w = 0; w < 3; w++) {
			near(values[WINDOWS_16 + w], windows[i][w]);
			near(values[OF_FIRST_UNIT + w], windows[i][w]);
		}
	}
	assert_int_equal(features_count_counts(&code), OF_FIRST_UNIT + 3);
}

/* Branches of six bytes that end at 0x1f, at 0x20 and at 0x23: the second ends where a window does, the third crosses. */
static void test_branch_ends(void **state) {
	(void)state;
	static const uint64_t ends[] = {0x1f, 0x20, 0x23, 0x26, 0x25};
	static const double bad[] = {0, 10, 10, 0, 10};
	struct hot_unit unit = {.unit = 0, .name = "a.o:.text.f", .bytes = 8};
	struct hot_block block = {.unit = 0, .executions = 10, .bytes = 8, .branch_bytes = 6};
	struct hot_code code = code_of(&block, 1, &unit, 1);
	for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
		const uint64_t at = 0x1000 + ends[i] - 8;
		double values[FEATURES_MOST];
		features_compute(&code, &at, values);
		near(values[BRANCH_ENDS], bad[i]);
	}
}

/* Four branches in one line, of which two overlap in one end; then one in the next line. */
static void test_crowded_branches(void **state) {
	(void)state;
	struct hot_unit unit = {.unit = 0, .name = "a.o:.text.f", .bytes = 96};
	struct hot_block blocks[] = {
		{.offset = 0, .executions = 1, .bytes = 8, .branch_bytes = 2},
		{.offset = 8, .executions = 10, .bytes = 8, .branch_bytes = 2},
		{.offset = 12, .executions = 100, .bytes = 4, .branch_bytes = 2},
		{.offset = 16, .executions = 1000, .bytes = 8, .branch_bytes = 2},
		{.offset = 64, .executions = 10000, .bytes = 8, .branch_bytes = 2},
	};
	struct hot_code code = code_of(blocks, 5, &unit, 1);
	const uint64_t at = 0x1000;
	double values[FEATURES_MOST];
	features_compute(&code, &at, values);
	near(values[CROWDED], 1000);
	near(values[LINES], 2);
	near(values[PAGES], 1);
}

/* Nine lines of one set, of which the least executed has no way left. */
static void test_set_overflow(void **state) {
	(void)state;
	struct hot_unit units[9];
	struct hot_block blocks[9];
	uint64_t at[9];
	for (unsigned i = 0; i < 9; i++) {
		units[i] = (struct hot_unit){.unit = i, .name = "a.o:.text.f", .bytes = 16};
		blocks[i] = (struct hot_block){.unit = i, .executions = 100 - i, .bytes = 16};
		at[i] = 0x10000 + 4096 * i;
	}
	struct hot_code code = code_of(blocks, 9, units, 9);
	double values[FEATURES_MOST];
	features_compute(&code, at, values);
	near(values[SET_OVERFLOW], 92);
	near(values[SET_PRESSURE], 92 + 93 + 94);
	near(values[PAGES], 9);
	at[8] += 64;
	features_compute(&code, at, values);
	near(values[SET_OVERFLOW], 0);
}

/* A library's line takes a way, too, and its branch an entry; that of another file is another line. */
static void test_libraries(void **state) {
	(void)state;
	struct hot_unit units[8];
	struct hot_block blocks[8];
	uint64_t at[8];
	for (unsigned i = 0; i < 8; i++) {
		units[i] = (struct hot_unit){.unit = i, .name = "a.o:.text.f", .bytes = 16};
		blocks[i] = (struct hot_block){.unit = i, .executions = 100 - i, .bytes = 16};
		at[i] = 0x10000 + 4096 * i;
	}
	blocks[0].branch_bytes = 2;
	struct outside_block outside[2] = {
		{.address = (UINT64_C(1) << 44) + 0x3000, .executions = 50, .bytes = 16, .branch_bytes = 2},
		{.address = (UINT64_C(2) << 44) + 0x3000, .executions = 40, .bytes = 16, .branch_bytes = 2}};
	struct hot_code code = code_of(blocks, 8, units, 8);
	code.outside = outside;
	code.outside_count = 2;
	double values[FEATURES_MOST];
	features_compute(&code, at, values);
	near(values[SET_OVERFLOW], 50 + 40);
	near(values[SET_PRESSURE], 94 + 93 + 50 + 40);
	near(values[ALIASES], 50 + 40);
	outside[0].address += 64;
	features_compute(&code, at, values);
	near(values[SET_OVERFLOW], 40);
	near(values[ALIASES], 40);
}

/* Three branches whose last bytes lie 4096 bytes apart: all but the most executed one share its twelve bits, until one
 * moves by a byte. */
static void test_branch_aliases(void **state) {
	(void)state;
	struct hot_unit units[3];
	struct hot_block blocks[3];
	uint64_t at[3];
	for (unsigned i = 0; i < 3; i++) {
		units[i] = (struct hot_unit){.unit = i, .name = "a.o:.text.f", .bytes = 16};
		blocks[i] = (struct hot_block){.unit = i, .executions = 10 + i, .bytes = 16, .branch_bytes = 2};
		at[i] = 0x10000 + 4096 * i;
	}
	struct hot_code code = code_of(blocks, 3, units, 3);
	double values[FEATURES_MOST];
	features_compute(&code, at, values);
	near(values[ALIASES], 10 + 11);
	at[2]++;
	features_compute(&code, at, values);
	near(values[ALIASES], 10);
}

/* An address 16 bytes behind a line is a quarter of the way round 64 bytes, and 1040 behind a page 65/256 round 4096. */
static void test_offsets(void **state) {
	(void)state;
	struct hot_unit unit = {.unit = 0, .name = "a.o:.text.f", .bytes = 8};
	struct hot_block block = {.unit = 0, .executions = 10, .bytes = 8};
	struct hot_code code = code_of(&block, 1, &unit, 1);
	const uint64_t at = 0x7000 + 1040;
	double values[FEATURES_MOST];
	features_compute(&code, &at, values);
	const double *offsets = values + features_count_counts(&code);
	assert_int_equal(features_count(&code), features_count_counts(&code) + 4);
	near(offsets[0], 0);
	near(offsets[1], 1);
	near(offsets[2], cos(acos(-1) * 130 / 256));
	near(offsets[3], sin(acos(-1) * 130 / 256));
	assert_true(isnan(values[features_count(&code)]));
}

/* A block of one window in f, ten times in 1000 instructions; and one of two windows in g beside it, five times in 500.
 * Weights 3/4 and 1/4: 10 * 3/4 + 10 * 1/4 windows for each 1000 instructions in f, 2 * 10 * 1/4 in g. Calls by the same
 * shares; f calls g in the second recording alone. */
static void test_mix(void **state) {
	(void)state;
	static const double weights[] = {0.75, 0.25};
	const struct hot_block f = {.unit = 3, .executions = 10, .bytes = 8},
						   f_too = {.unit = 3, .executions = 5, .bytes = 8},
						   g = {.unit = 7, .offset = 12, .executions = 5, .bytes = 8};
	const struct hot_unit of_f = {.unit = 3, .name = "f", .instructions = 900},
						  of_g = {.unit = 7, .name = "g", .instructions = 450};
	struct hot_code codes[2] = {{.instructions = 1000}, {.instructions = 500}}, mixed;
	uint64_t addresses[8] = {[3] = 0x1000, [7] = 0x2000};
	double values[FEATURES_MOST];
	for (int i = 0; i < 2; i++) {
		codes[i].blocks = ifr_alloc(2 * sizeof f);
		codes[i].units = ifr_alloc(2 * sizeof of_f);
		codes[i].calls = ifr_alloc(sizeof *codes[i].calls);
		codes[i].block_count = codes[i].unit_count = (size_t)i + 1;
	}
	codes[0].blocks[0] = f;
	codes[0].units[0] = of_f;
	codes[1].blocks[0] = f_too;
	codes[1].blocks[1] = g;
	codes[1].units[0] = of_g;
	codes[1].units[1] = of_f;
	codes[1].calls[0] = (struct hot_call){1, 0, 5, 0};
	codes[1].call_count = 1;
	hot_code_mix(codes, weights, 2, &mixed);
	assert_int_equal(mixed.block_count, 2);
	assert_int_equal(mixed.unit_count, 2);
	assert_string_equal(mixed.units[0].name, "f");
	features_compute(&mixed, addresses, values);
	near(values[WINDOWS_16], 10 + 5);
	near(values[OF_FIRST_UNIT], 10);
	near(values[OF_FIRST_UNIT + 3], 5);
	assert_int_equal(mixed.call_count, 1);
	assert_int_equal(mixed.calls[0].from, 0);
	assert_int_equal(mixed.calls[0].to, 1);
	near(1000 * (double)mixed.calls[0].count / (double)mixed.instructions, 2.5);
	hot_code_release(&mixed);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),          cmocka_unit_test(test_branch_ends),
		cmocka_unit_test(test_crowded_branches), cmocka_unit_test(test_set_overflow),
		cmocka_unit_test(test_libraries),        cmocka_unit_test(test_branch_aliases),
		cmocka_unit_test(test_offsets),          cmocka_unit_test(test_mix)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
