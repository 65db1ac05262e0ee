/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many functions an edit moves, computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/optimize/stability.h"

enum { COUNT = 4 };

/* Four functions of 40 bytes, aligned to 16: a linker lays them 48 bytes apart. */
static const struct stability_unit tight[COUNT] = {
	{0x1000, 40, 0, 16, true}, {0x1030, 40, 0, 16, true}, {0x1060, 40, 0, 16, true}, {0x1090, 40, 0, 16, true}};

static void test_growth_within_alignment(void **state) {
	(void)state;
	/* 48 bytes still end where the next function begins, 49 do not. */
	assert_int_equal(stability_count_moved(tight, COUNT, 0, 8), 0);
	assert_int_equal(stability_count_moved(tight, COUNT, 0, 9), 3);
	assert_int_equal(stability_count_moved(tight, COUNT, 2, 9), 1);
	assert_int_equal(stability_count_moved(tight, COUNT, 3, 1000), 0);
}

static void test_mean(void **state) {
	(void)state;
	/* 3, 2, 1 and 0 of 3 others. */
	assert_true(fabs(stability_mean_moved(tight, COUNT, 16) - 0.5) < 1e-12);
	assert_true(stability_mean_moved(tight, 1, 16) == 0);
}

static void test_room(void **state) {
	(void)state;
	/* The first may grow to 64 bytes; what it needs beyond moves all others by 16, as their rooms hold no gap. */
	struct stability_unit units[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		units[i] = (struct stability_unit){0x1000 + 64 * i, 40, 64, 16, true};
	assert_int_equal(stability_count_moved(units, COUNT, 0, 24), 0);
	assert_int_equal(stability_count_moved(units, COUNT, 0, 25), 3);
}

static void test_alignment_absorbs(void **state) {
	(void)state;
	/* The third is aligned to 64 bytes, which takes up the growth of the first. */
	struct stability_unit units[COUNT] = {{0x1000, 16, 0, 16, true},
	                                      {0x1010, 16, 0, 16, true},
	                                      {0x1040, 16, 0, 64, true},
	                                      {0x1050, 16, 0, 16, true}};
	assert_int_equal(stability_count_moved(units, COUNT, 0, 16), 1);
	assert_int_equal(stability_count_moved(units, COUNT, 0, 48), 3);
	/* Padding that the layout has beyond alignment is kept. */
	units[1].address = 0x1020;
	assert_int_equal(stability_count_moved(units, COUNT, 0, 16), 1);
}

static void test_start_files_do_not_count(void **state) {
	(void)state;
	struct stability_unit units[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		units[i] = tight[i];
	units[1].counts = false;
	assert_int_equal(stability_count_moved(units, COUNT, 0, 16), 2);
	/* 2, 1 and 0 of 2 others. */
	assert_true(fabs(stability_mean_moved(units, COUNT, 16) - 0.5) < 1e-12);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth_within_alignment), cmocka_unit_test(test_mean),
	                                   cmocka_unit_test(test_room), cmocka_unit_test(test_alignment_absorbs),
	                                   cmocka_unit_test(test_start_files_do_not_count)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
