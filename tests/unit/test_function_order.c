/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of hot functions, made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/optimize/ext_tsp.h"

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
	struct hot_call calls[] = {{3, 2, 20, 0}, {0, 2, 10, 0}, {0, 3, 8, 0}, {2, 4, 5, 0}};
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
	struct hot_call call = {0, 2, 20, 0};
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
	struct hot_call call = {0, 1, 5, 0};
	expect_order(units, 2, &call, 1, FUNCTIONS_CLUSTERED, "ab");
	units[1].bytes = 101;
	expect_order(units, 2, &call, 1, FUNCTIONS_CLUSTERED, "ba");
}

/* Functions this dense are always in the cache of the rule, so that the distances of calls alone decide. */
static void test_cache_directed(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 64, 1000), unit_of("b", 64, 900), unit_of("c", 64, 800)};
	/* The most frequent pair is joined first: c lies beside a, though b is hotter. */
	struct hot_call calls[] = {{0, 2, 100, 0}, {0, 1, 10, 0}};
	expect_order(units, 3, calls, 2, FUNCTIONS_CACHE_DIRECTED, "acb");
	expect_order(units, 3, calls, 2, FUNCTIONS_CLUSTERED, "abc");
	/* b calls a: 32 bytes away if b stands first, else 1032. */
	struct hot_call call = {1, 0, 10, 0};
	units[0].bytes = 1000;
	expect_order(units, 2, &call, 1, FUNCTIONS_CACHE_DIRECTED, "ba");
}

/* a calls c more often than b. But joined with c, whose 64 KiB are seldom executed, 1010 instructions would miss with a
 * chance of 0.79 each, (1 - 2048 * 1010 / 69632 / 2000)^16, and a alone with one of 0.01. */
static void test_density(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 4096, 1000), unit_of("b", 4096, 990), unit_of("c", 65536, 10)};
	struct hot_call calls[] = {{0, 2, 5, 0}, {0, 1, 1, 0}};
	expect_order(units, 3, calls, 2, FUNCTIONS_CACHE_DIRECTED, "abc");
}

/* By the formula: 0.1 a call, less by its part of 1024 bytes forward and of 640 bytes backward. */
static void test_ext_tsp_objective(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 100, 1000), unit_of("b", 64, 900)};
	struct hot_call call = {0, 1, 10, 100};
	const struct hot_code code = {.units = units, .unit_count = 2, .calls = &call, .call_count = 1};
	const size_t forward[] = {0, 1}, backward[] = {1, 0};
	assert_true(fabs(ext_tsp_score(&code, forward, 2) - 1) < 1e-12);
	assert_true(fabs(ext_tsp_score(&code, backward, 2) - (1 - 164.0 / 640)) < 1e-12);
	assert_true(ext_tsp_score(&code, forward, 1) == 0);
	call.site = 36;
	assert_true(fabs(ext_tsp_score(&code, forward, 2) - (1 - 64.0 / 1024)) < 1e-12);
	units[0].bytes = 36 + 1024;
	assert_true(ext_tsp_score(&code, forward, 2) == 0);
	units[0].bytes = units[0].align = units[1].align = 128;
	assert_true(fabs(ext_tsp_score(&code, backward, 2) - (1 - 164.0 / 640)) < 1e-12);
}

/* a calls b most often, so that these are joined first. c belongs between them: acb has 9 + 9 + 10 * (1 - 64 / 1024),
 * 27.4, and abc 10 + 9 * (1 - 64 / 1024) + 9 * (1 - 128 / 640) = 25.6. Only a chain that is split can have it there. */
static void test_ext_tsp(void **state) {
	(void)state;
	struct hot_unit units[] = {unit_of("a", 64, 1000), unit_of("b", 64, 900), unit_of("c", 64, 800)};
	struct hot_call calls[] = {{0, 1, 100, 64}, {0, 2, 90, 64}, {2, 1, 90, 64}};
	expect_order(units, 3, calls, 3, FUNCTIONS_EXT_TSP, "acb");
	units[2].moves = false;
	expect_order(units, 3, calls, 3, FUNCTIONS_EXT_TSP, "ab");
}

/* Swaps through all orders of units, and keeps the best value. */
static void permute(const struct hot_code *code, size_t *units, size_t from, double *best) {
	if (from == code->unit_count)
		*best = fmax(*best, ext_tsp_score(code, units, code->unit_count));
	for (size_t i = from; i < code->unit_count; i++) {
		const size_t first = units[from];
		units[from] = units[i];
		units[i] = first;
		permute(code, units, from + 1, best);
		units[i] = units[from];
		units[from] = first;
	}
}

/* Merges are greedy. On programs of five functions they reach nine tenths of the best order. */
static void test_ext_tsp_beside_all_orders(void **state) {
	(void)state;
	enum { FUNCTIONS = 5, PROGRAMS = 40 };
	for (unsigned program = 0; program < PROGRAMS; program++) {
		struct hot_unit units[FUNCTIONS];
		struct hot_call calls[FUNCTIONS * (FUNCTIONS - 1)];
		struct hot_code code = {.units = units, .unit_count = FUNCTIONS, .calls = calls};
		size_t all[FUNCTIONS];
		struct function_order order;
		double best = 0;
		for (size_t i = 0; i < FUNCTIONS; i++) {
			units[i] = unit_of("f", 50 + (program * 37 + i * 91) % 300, 1000 - i);
			all[i] = i;
			for (size_t k = 0; k < FUNCTIONS; k++)
				if (k != i && (program + 3 * i + 7 * k) % 4 == 0)
					calls[code.call_count++] = (struct hot_call){i, k, 1 + (program * 13 + i * 5 + k * 29) % 97,
					                                             (double)(units[i].bytes / (1 + k % 3))};
		}
		ext_tsp_order(&code, &order);
		permute(&code, all, 0, &best);
		assert_int_equal(order.count, FUNCTIONS);
		/* The order of chains, which is by density, counts for little. */
		assert_true(ext_tsp_score(&code, order.unit, order.count) >= 0.9 * best);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clusters),          cmocka_unit_test(test_split),
		cmocka_unit_test(test_limit_of_clusters), cmocka_unit_test(test_cache_directed),
		cmocka_unit_test(test_density),           cmocka_unit_test(test_ext_tsp_objective),
		cmocka_unit_test(test_ext_tsp),           cmocka_unit_test(test_ext_tsp_beside_all_orders)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
