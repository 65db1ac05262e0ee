/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words on a first run that lasts: one line at ten seconds, then a call a second, whatever the launcher's pace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/exec/patience.h"

static unsigned said, shown;
static char text[200];
static int64_t last_ns;

static void say(const char *words) {
	said++;
	snprintf(text, sizeof text, "%s", words);
}

static void show(int64_t elapsed_ns) {
	shown++;
	last_ns = elapsed_ns;
}

static const int64_t ms = 1000000;

/* Calls every 5 ms, as the launcher does. */
static void run(struct ifr_patience *patience, int64_t from_ms, int64_t to_ms) {
	said = shown = 0;
	for (int64_t now = from_ms; now < to_ms; now += 5)
		ifr_patience_watch(patience, now * ms);
}

static void test_patience(void **state) {
	(void)state;
	struct ifr_patience patience = {.program = "./hang",
	                                .limit_ns = INT64_C(3600) * 1000 * ms,
	                                .options = "--timeout or --budget",
	                                .say = say,
	                                .progress = show};
	run(&patience, 0, 10000);
	assert_int_equal(said + shown, 0);
	run(&patience, 10000, 15000);
	assert_int_equal(said, 1);
	assert_string_equal(text,
	                    "the first run of ./hang has not ended after 10 s, and goes on; --timeout or --budget "
	                    "bounds it (now 60 min)");
	assert_int_equal(shown, 5);
	assert_int_equal(last_ns, 14000 * ms);
	/* Another run of the same program is not announced again, but its progress is shown from ten seconds on. */
	run(&patience, 0, 12000);
	assert_int_equal(said, 0);
	assert_int_equal(shown, 2);
}

static void test_quiet(void **state) {
	(void)state;
	struct ifr_patience patience = {.program = "p", .options = "--timeout"};
	run(&patience, 0, 20000);
	patience =
		(struct ifr_patience){.program = "p", .limit_ns = 40 * 1000 * ms, .options = "--timeout", .say = say};
	run(&patience, 0, 20000);
	assert_int_equal(said, 1);
	assert_string_equal(
		text, "the first run of p has not ended after 10 s, and goes on; --timeout bounds it (now 40 s)");
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_patience), cmocka_unit_test(test_quiet)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
