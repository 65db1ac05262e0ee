/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A working directory with a longer path: its mounts are the keeper's, the program the launcher's child. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/exec/exec.h"

static int setup(void **state) {
	static bool works;
	works = ifr_directory_works();
	*state = &works;
	return 0;
}

/* Runs a shell's line in a directory of that growth; -1: it stays. */
static void run(const char *line, int64_t growth, struct ifr_outcome *outcome) {
	struct ifr_context context;
	struct ifr_error err = {0};
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)line, NULL};
	const struct ifr_launch launch = {
		.program = "/bin/sh", .argv = argv, .context = &context, .cpu = -1, .timeout_ns = INT64_C(20000000000)};
	ifr_context_init(&context, NULL);
	context.moves_directory = growth >= 0;
	context.directory_bytes = growth >= 0 ? (uint64_t)growth : 0;
	if (ifr_launch_run(&launch, outcome, &err))
		fail_msg("%s", err.message);
	assert_int_equal(outcome->exit_status, 0);
	ifr_context_release(&context);
}

/* The fewest of three runs: a fault of the kernel's more in one of them is none of the path's. */
static long count_faults(int64_t growth) {
	long least = 0;
	for (int i = 0; i < 3; i++) {
		struct ifr_outcome outcome;
		run(":", growth, &outcome);
		const long faults = outcome.times.usage.ru_minflt;
		least = !i || faults < least ? faults : least;
		ifr_outcome_release(&outcome);
	}
	return least;
}

/* Making the mounts in the program's process takes 13 faults more. */
static void test_costs(void **state) {
	if (!*(bool *)*state)
		skip();
	const long stays = count_faults(-1);
	assert_true(count_faults(0) <= stays + 4);
	assert_true(count_faults(3520) <= stays + 4);
}

/* The parent is this process, the path has 256 + 3520 bytes, and nothing of the run is left. */
static void test_parent(void **state) {
	struct ifr_outcome outcome;
	if (!*(bool *)*state)
		skip();
	run("echo $PPID; pwd -P | tr -d '\\n' | wc -c", 3520, &outcome);
	char *wanted = ifr_format("%d\n3776\n", (int)getpid());
	assert_string_equal(ifr_buffer_text(&outcome.output), wanted);
	assert_int_equal(outcome.left, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	free(wanted);
	ifr_outcome_release(&outcome);
}

/* The keeper's failure is the run's, with the purpose of what failed. */
static void test_failure(void **state) {
	struct ifr_context context;
	struct ifr_error err = {0};
	struct ifr_outcome outcome;
	char *argv[] = {(char *)"true", NULL};
	const struct ifr_launch launch = {.program = "/bin/true",
	                                  .argv = argv,
	                                  .stand_in = "/nowhere/variant",
	                                  .place = "/nowhere/program",
	                                  .context = &context,
	                                  .cpu = -1};
	(void)state;
	ifr_context_init(&context, NULL);
	assert_int_equal(ifr_launch_run(&launch, &outcome, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "/bin/true: cannot put the variant into the program's place"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	ifr_outcome_release(&outcome);
	ifr_context_release(&context);
}

static int check(const char *argument, bool moves) {
	const struct ifr_context context = {.moves_directory = moves};
	char *argv[] = {(char *)"../program", (char *)argument, NULL};
	struct ifr_error err = {0};
	const int result = ifr_directory_check(&context, argv, &err);
	if (result)
		assert_non_null(strstr(err.message, "is relative, and the directory's path is longer there"));
	return result;
}

/* ".." exists everywhere. */
static void test_arguments(void **state) {
	(void)state;
	assert_int_equal(check("..", true), -IFR_E_USAGE);
	assert_int_equal(check("./..", true), -IFR_E_USAGE);
	assert_int_equal(check(".//../", true), -IFR_E_USAGE);
	assert_int_equal(check("--input=..", true), -IFR_E_USAGE);
	assert_int_equal(check("..", false), 0);
	assert_int_equal(check("../no such file", true), 0);
	assert_int_equal(check("/tmp/..", true), 0);
	assert_int_equal(check(".", true), 0);
	assert_int_equal(check("", true), 0);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs), cmocka_unit_test(test_parent),
	                                   cmocka_unit_test(test_failure), cmocka_unit_test(test_arguments)};
	return cmocka_run_group_tests(tests, setup, NULL);
}
