/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Versions of GCC's drivers, by names as Debian gives them, and by the answers of scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/gcc.h"
#include "common/strings.h"
#include "tests/unit/folder.h"

static void test_names(void **state) {
	(void)state;
	static const struct {
		const char *name;
		int length;
	} cases[] = {{"gcc", 3},     {"gcc-12", 3},   {"gcc-ar", 6}, {"gcc-ar-12", 6},
	             {"g++-4.9", 3}, {"gcc-12-x", 8}, {"gcc-", 4},   {"x86-64-gcc-9", 10}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(ifr_gcc_name_length(cases[i].name), cases[i].length);
}

/* These paths lead nowhere: the names alone tell. */
static void test_versions_by_name(void **state) {
	(void)state;
	assert_int_equal(ifr_gcc_version("/nowhere/gcc-12"), 12);
	assert_int_equal(ifr_gcc_version("/nowhere/x86_64-linux-gnu-g++-13"), 13);
	assert_int_equal(ifr_gcc_version("/nowhere/gfortran-4.9"), 4);
	assert_int_equal(ifr_gcc_version("/nowhere/clang-14"), 0);
	assert_int_equal(ifr_gcc_version("/nowhere/gcc"), 0);
}

static void write_driver(const char *name, const char *text) {
	char *path = below(name);
	write_below(name, text);
	assert_int_equal(chmod(path, 0755), 0);
	free(path);
}

static void assert_version(const char *name, int version) {
	char *path = below(name);
	assert_int_equal(ifr_gcc_version(path), version);
	free(path);
}

static void test_versions_by_file_and_answer(void **state) {
	(void)state;
	write_driver("answers", "#!/bin/sh\n[ \"$*\" = -dumpversion ] && echo 11.3.0\n");
	write_driver("fails", "#!/bin/sh\necho 11; exit 1\n");
	/* A cache that goes by the compilers' names. */
	shell_below("ln -s answers gcc; cp answers x86_64-linux-gnu-gcc-14; ln -s x86_64-linux-gnu-gcc-14 cc;"
	            "ln -s answers gcc-13; ln -s x86_64-linux-gnu-gcc-14 gcc-9",
	            NULL);
	assert_version("answers", 11);
	assert_version("gcc", 11);
	assert_version("cc", 14);
	assert_version("gcc-13", 13);
	assert_version("gcc-9", 14);
	assert_version("fails", 0);
}

static void test_plugin_path(void **state) {
	(void)state;
	char *path = ifr_gcc_plugin_path(12);
	assert_true(ifr_ends_with(path, "/libexec/interfero/gcc-12/interfero.so"));
	free(path);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_versions_by_name),
		cmocka_unit_test_setup_teardown(test_versions_by_file_and_answer, make_folder, drop_folder),
		cmocka_unit_test(test_plugin_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
