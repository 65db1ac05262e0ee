/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bounds of a recording, with clocks and counts that are made up, and why a recorder ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/record/bounds.h"
#include "model/record/valgrind.h"

static const int64_t second_ns = 1000000000;

static void test_time(void **state) {
	struct bounds bounds;
	(void)state;
	bounds_init(&bounds, 7 * second_ns, 3 * second_ns, 0);
	assert_int_equal(bounds_check(&bounds, 10 * second_ns, 1), IFR_RECORDING_WHOLE);
	assert_int_equal(bounds_check(&bounds, 10 * second_ns + 1, 1), IFR_RECORDING_TIME);
	bounds_init(&bounds, 7 * second_ns, 0, 0);
	assert_int_equal(bounds_check(&bounds, 1000 * second_ns, UINT64_MAX / 2), IFR_RECORDING_WHOLE);
}

/* Reads a clock before and behind each of some pieces of work; returns the instructions so far. */
static uint64_t work(struct bounds *bounds, uint64_t done, const uint64_t *pieces, size_t count) {
	for (size_t i = 0; i < count; i++) {
		bounds_read_clock(bounds, done += 200);
		bounds_read_clock(bounds, done += pieces[i]);
	}
	return done;
}

/* Google Benchmark multiplies its iterations by ten at most. A plain run of 0.95 s, and 0.05 s more: at 5 instructions
 * a nanosecond the bound is 5 thousand million. */
static void test_adaptive(void **state) {
	static const uint64_t pieces[] = {3000, 30000, 300000, 3000000, 30000000, 300000000, 3000000000};
	struct bounds bounds;
	(void)state;
	bounds_init(&bounds, 0, 0, 950000000);
	const uint64_t done = work(&bounds, 1000000, pieces, 7);
	assert_true(bounds_grow(&bounds, done));
	assert_int_equal(bounds_check(&bounds, 1, 4999999999), IFR_RECORDING_WHOLE);
	assert_int_equal(bounds_check(&bounds, 1, 5000000000), IFR_RECORDING_ADAPTIVE);
	/* Where the plain run is not known, nothing tells. */
	bounds.plain_ns = 0;
	assert_int_equal(bounds_check(&bounds, 1, 5000000000), IFR_RECORDING_WHOLE);
}

/* The work that goes on counts as the third growth, before a clock is read behind it. */
static void test_growth_goes_on(void **state) {
	static const uint64_t pieces[] = {1, 10000, 15001};
	struct bounds bounds;
	(void)state;
	bounds_init(&bounds, 0, 0, 950000000);
	const uint64_t done = work(&bounds, 0, pieces, 3);
	assert_false(bounds_grow(&bounds, done + 22501));
	assert_true(bounds_grow(&bounds, done + 22502));
}

/* A program that times equal pieces of work, or shorter and shorter ones, is none: its bound is that which no processor
 * reaches. One that reads no clock is never ended. */
static void test_no_growth(void **state) {
	static const uint64_t equal[] = {3000000, 3000000, 3000000, 4000000, 3000000, 3900000},
						  shrinking[] = {300000000, 3000000, 300000, 30000};
	struct bounds bounds;
	(void)state;
	bounds_init(&bounds, 0, 0, 950000000);
	work(&bounds, 0, equal, 6);
	assert_int_equal(bounds.growths, 1);
	bounds_init(&bounds, 0, 0, 950000000);
	uint64_t done = work(&bounds, 24000000000, shrinking, 4);
	assert_false(bounds_grow(&bounds, done));
	assert_int_equal(bounds_check(&bounds, 1, 24999999999), IFR_RECORDING_WHOLE);
	assert_int_equal(bounds_check(&bounds, 1, 25000000000), IFR_RECORDING_ADAPTIVE);
	bounds_init(&bounds, 0, 0, 950000000);
	assert_int_equal(bounds_check(&bounds, 1, UINT64_MAX / 2), IFR_RECORDING_WHOLE);
}

static void test_left(void **state) {
	struct bounds bounds;
	(void)state;
	bounds_init(&bounds, second_ns, 0, 0);
	assert_int_equal(bounds_left_ns(&bounds, second_ns + 1, 1000, 0), -1);
	/* A quarter of the instructions in two seconds. */
	assert_int_equal(bounds_left_ns(&bounds, 3 * second_ns, 1000, 4000), 6 * second_ns);
	assert_int_equal(bounds_left_ns(&bounds, 3 * second_ns, 5000, 4000), 0);
	/* By the plain run: a second to start, and thirty times two seconds; then nothing tells. */
	bounds_init(&bounds, second_ns, 0, 2 * second_ns);
	assert_int_equal(bounds_left_ns(&bounds, 11 * second_ns, 1000, 0), 51 * second_ns);
	assert_int_equal(bounds_left_ns(&bounds, 100 * second_ns, 1000, 0), -1);
	/* No longer than its time. */
	bounds_init(&bounds, second_ns, 30 * second_ns, 2 * second_ns);
	assert_int_equal(bounds_left_ns(&bounds, 11 * second_ns, 1000, 0), 20 * second_ns);
}

/* Lines as Valgrind 3.19 writes them: the mark of each is not part of the message, and an empty line is none. */
static void test_first_message(void **state) {
	(void)state;
	static const struct {
		const char *log, *message;
	} cases[] = {
		{"", ""},
		{"==77== \n==77== \n", ""},
		{"==77== \n==77== Process terminating with default action of signal 11 (SIGSEGV): dumping core\n"
	     "==77==  Access not within mapped region at address 0x10\n==77==    at 0x401106: main (a.c:1)\n",
	     "Process terminating with default action of signal 11 (SIGSEGV): dumping core; Access not within mapped "
	     "region at address 0x10"},
		{"==77== \n==77== Warning: set address range perms\n==77== Process terminating with default action of "
	     "signal 6 (SIGABRT)\n==77==    at 0x4891E2C: abort\n",
	     "Process terminating with default action of signal 6 (SIGABRT)"},
		{"valgrind: mmap(0x58000000, 4096) failed in UME\nvalgrind: more\n",
	     "valgrind: mmap(0x58000000, 4096) failed in UME"},
		{"--77-- \n--77-- a warning\n", "a warning"},
		{"==x== a line of the program\n", "==x== a line of the program"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const int log = memfd_create("log", 0);
		assert_int_equal(write(log, cases[i].log, strlen(cases[i].log)), strlen(cases[i].log));
		char *message = valgrind_first_message(log);
		assert_string_equal(message, cases[i].message);
		free(message);
		close(log);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_message),  cmocka_unit_test(test_time),      cmocka_unit_test(test_adaptive),
		cmocka_unit_test(test_growth_goes_on), cmocka_unit_test(test_no_growth), cmocka_unit_test(test_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
