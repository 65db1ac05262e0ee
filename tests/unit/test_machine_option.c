/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of machines outlive the options that gave them: a command may have several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/commands/commands.h"
#include "harness/commands/machine_option.h"

/* The command's own prints to stderr. */
void ifr_command_note(const char *format, ...) {
	(void)format;
}

static void test_several_options(void **state) {
	(void)state;
	const char *first = NULL, *second = NULL;
	struct ifr_error err = {0};
	assert_int_equal(machine_option("zen4,l1d.ways=4", &first, &err), 0);
	assert_int_equal(machine_option("skylake", &second, &err), 0);
	assert_string_equal(first, "zen4,l1d.ways=4");
	assert_string_equal(second, "skylake");
	/* The same option twice. */
	assert_int_equal(machine_option("goldencove", &first, &err), 0);
	assert_string_equal(first, "goldencove");
	assert_string_equal(second, "skylake");
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_several_options)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
