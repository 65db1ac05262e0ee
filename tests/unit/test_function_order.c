/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of hot functions, made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/optimize/function_order.h"

enum { UNITS_MOST = 8 };

/* Compares an order with names of one letter. */
static void expect_order(struct hot_unit *units, size_t unit_count, struct hot_call *calls, size_t call_count,
                         enum function_rule rule, const char *expected) {
	struct hot_code code = {.units = units, .unit_count = unit_count, .calls = calls, .call_count = call_count};
	struct function_order order;
	char got[UNITS_MOST + 1] = "";
	for (size_t i = 0; i < unit_count; i++)
		code.instructions += units[i].instructions;
	function_order_make(&code, rule, 1, &order);
	for (size_t i = 0; i < order.count; i++)
		got[i] = *units[order.unit[i]].name;
	assert_string_equal(got, expected);
}

static struct hot_unit unit_of(const char *name, uint64_t bytes, uint64_t instructions) {
	return (struct hot_unit){.name = name, .bytes = bytes, .instructions = instructions, .moves = true};
}

/* By heat: b joins c, its most frequent caller; c and b join a; d joins b's cluster. The four have 2000 instructions in
 * 1000 bytes, e has 900 in 300: it is denser, and stands first. */
static void test_clusters(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 400, 1000), unit_of("e", 300, 900), unit_of("b", 200, 600),
	                           unit_of("c", 200, 300), unit_of("d", 200, 100)};
	struct hot_call calls[] = {{3, 2, 20}, {0, 2, 10}, {0, 3, 8}, {2, 4, 5}};
	expect_order(units, 5, calls, 4, FUNCTIONS_CLUSTERED, "eacbd");
	expect_order(units, 5, calls, 4, FUNCTIONS_HOTTEST, "aebcd");
	units[3].moves = false;
	expect_order(units, 5, calls, 4, FUNCTIONS_CLUSTERED, "eabd");
	expect_order(units, 5, calls, 4, FUNCTIONS_HOTTEST, "aebd");
}

/* The hot ones as the linker placed them: units are numbered by address. */
static void test_split(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 400, 1000), unit_of("b", 300, 900), unit_of("c", 200, 600)};
	struct hot_call call = {0, 2, 20};
	units[0].unit = 70;
	units[1].unit = 30;
	units[2].unit = 50;
	expect_order(units, 3, &call, 1, FUNCTIONS_SPLIT, "bca");
	units[1].moves = false;
	expect_order(units, 3, &call, 1, FUNCTIONS_SPLIT, "ca");
}

/* Clusters do not grow beyond 2 MiB: b stays apart, and is denser. */
static void test_limit_of_clusters(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", (2 << 20) - 100, 1000), unit_of("b", 100, 10)};
	struct hot_call call = {0, 1, 5};
	expect_order(units, 2, &call, 1, FUNCTIONS_CLUSTERED, "ab");
	units[1].bytes = 101;
	expect_order(units, 2, &call, 1, FUNCTIONS_CLUSTERED, "ba");
}

/* Functions this dense are always in the cache of the rule, so that the distances of calls alone decide. */
static void test_cache_directed(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 64, 1000), unit_of("b", 64, 900), unit_of("c", 64, 800)};
	/* The most frequent pair is joined first: c lies beside a, though b is hotter. */
	struct hot_call calls[] = {{0, 2, 100}, {0, 1, 10}};
	expect_order(units, 3, calls, 2, FUNCTIONS_CACHE_DIRECTED, "acb");
	expect_order(units, 3, calls, 2, FUNCTIONS_CLUSTERED, "abc");
	/* b calls a: 32 bytes away if b stands first, else 1032. */
	struct hot_call call = {1, 0, 10};
	units[0].bytes = 1000;
	expect_order(units, 2, &call, 1, FUNCTIONS_CACHE_DIRECTED, "ba");
}

/* a calls c more often than b. But joined with c, whose 64 KiB are seldom executed, 1010 instructions would miss with a
 * chance of 0.79 each, (1 - 2048 * 1010 / 69632 / 2000)^16, and a alone with one of 0.01. */
static void test_density(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 4096, 1000), unit_of("b", 4096, 990), unit_of("c", 65536, 10)};
	struct hot_call calls[] = {{0, 2, 5}, {0, 1, 1}};
	expect_order(units, 3, calls, 2, FUNCTIONS_CACHE_DIRECTED, "abc");
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_clusters), cmocka_unit_test(test_split),
	                                   cmocka_unit_test(test_limit_of_clusters),
	                                   cmocka_unit_test(test_cache_directed), cmocka_unit_test(test_density)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
