/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core against Melhus 2013, on the author's processor: code as GCC makes it without optimization, at the addresses of
 * the thesis. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/unit/model_core_check.h"
#include "tests/unit/model_kernel_code.h"

#define LOAD(at) \
	{ .end = at, .bytes = 4, .kind = IFR_ACCESS_LOAD }
#define STORE(at) \
	{ .end = at, .bytes = 4, .kind = IFR_ACCESS_STORE }
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Listing 4.1: i += inc; j += inc; k += inc; g++; g < 65536, with g and inc at these addresses. */
static void micro_kernel(struct kernel *k, uint64_t g) {
	static const uint8_t code[] = {0x8b, 0x15, 0,    0,    0,    0,    0x8b, 0x45, 0xfc, 0x01, 0xd0, 0x89, 0x05,
	                               0,    0,    0,    0,    0x8b, 0x15, 0,    0,    0,    0,    0x8b, 0x45, 0xfc,
	                               0x01, 0xd0, 0x89, 0x05, 0,    0,    0,    0,    0x8b, 0x15, 0,    0,    0,
	                               0,    0x8b, 0x45, 0xfc, 0x01, 0xd0, 0x89, 0x05, 0,    0,    0,    0,    0x83,
	                               0x45, 0xf8, 1,    0x81, 0x7d, 0xf8, 0xff, 0xff, 0,    0,    0x7e, 0xc0};
	static const struct ifr_trace_access accesses[] = {LOAD(6),   LOAD(9),   STORE(17), LOAD(23),
	                                                   LOAD(26),  STORE(34), LOAD(40),  LOAD(43),
	                                                   STORE(51), LOAD(55),  STORE(55), LOAD(62)};
	const uint64_t inc = g + 4, addresses[] = {0x601028, inc, 0x601028, 0x60102c, inc, 0x60102c,
	                                           0x601030, inc, 0x601030, g,        g,   g};
	kernel_code(k, "ivybridge", code, sizeof code, 14, accesses, COUNT(accesses));
	kernel_repeat(k, 0, 0x4004d0, 600);
	for (size_t i = 0; i < k->count; i++)
		memcpy(k->addresses[i], addresses, sizeof addresses);
}

static struct cycles_result run_micro_kernel(uint64_t g) {
	struct kernel kernel;
	struct cycles_result result;
	kernel_init(&kernel);
	micro_kernel(&kernel, g);
	core_graph_cycles(&kernel, "ivybridge", &result);
	kernel_release(&kernel);
	return result;
}

static int by_value(const void *a, const void *b) {
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Ref: Melhus 2013, section 4.1.1: of the 256 places of the stack in a page, one is slower, by more than 20 %: that where
 * g and inc are at ...028 and ...02c. There alone, addresses alias. */
static void test_spike(void **state) {
	enum { PLACES = 256, SPIKE = 0x28 / 16 };
	int64_t cycles[PLACES], sorted[PLACES];
	(void)state;
	for (unsigned i = 0; i < PLACES; i++) {
		const struct cycles_result result = run_micro_kernel(0x7fffffffe008 + 16 * i);
		cycles[i] = sorted[i] = result.cycle;
		assert_int_equal(result.aliases > 0, i == SPIKE);
	}
	qsort(sorted, PLACES, sizeof *sorted, by_value);
	const int64_t median = sorted[PLACES / 2];
	for (unsigned i = 0; i < PLACES; i++)
		if ((cycles[i] * 100 > median * 120) != (i == SPIKE))
			fail_msg("place %u takes %ld cycles, the median %ld", i, (long)cycles[i], (long)median);
	assert_int_equal(run_micro_kernel(0x7fffffffe028 + 4096).cycle, cycles[SPIKE]);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
