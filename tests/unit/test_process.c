/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helper programs, by commands of the POSIX shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"
#include "common/process.h"
#include "tests/unit/folder.h"

/* Runs a shell command; returns its status and its output, which the caller frees. */
static int shell(const char *command, char **out, char **errors) {
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct ifr_buffer first = {0}, second = {0};
	struct ifr_process process = {.argv = argv, .out = &first, .errors = &second};
	int status = -1;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	if (out)
		*out = ifr_strdup(ifr_buffer_text(&first));
	if (errors)
		*errors = ifr_strdup(ifr_buffer_text(&second));
	ifr_buffer_release(&first);
	ifr_buffer_release(&second);
	return status;
}

static void test_exit_statuses(void **state) {
	(void)state;
	assert_int_equal(shell("exit 0", NULL, NULL), 0);
	assert_int_equal(shell("exit 1", NULL, NULL), 1);
	assert_int_equal(shell("exit 127", NULL, NULL), 127);
	assert_int_equal(shell("exit 255", NULL, NULL), 255);
	/* 128 + SIGTERM, 128 + SIGKILL, as shells report them. */
	assert_int_equal(shell("kill -TERM $$", NULL, NULL), 128 + 15);
	assert_int_equal(shell("kill -KILL $$", NULL, NULL), 128 + 9);
}

static void test_output_is_collected(void **state) {
	(void)state;
	char *out, *errors;
	assert_int_equal(shell("printf one; printf two >&2; printf ' three'", &out, &errors), 0);
	assert_string_equal(out, "one three");
	assert_string_equal(errors, "two");
	free(out);
	free(errors);
	/* More than a pipe holds: a parent that waits before it reads would hang. */
	assert_int_equal(
		shell("head -c 300000 /dev/zero | tr '\\0' x; head -c 200000 /dev/zero | tr '\\0' y >&2", &out, &errors),
		0);
	assert_int_equal(strlen(out), 300000);
	assert_int_equal(strlen(errors), 200000);
	assert_int_equal(strspn(out, "x"), 300000);
	free(out);
	free(errors);
	assert_int_equal(shell("cat", &out, NULL), 0);
	assert_string_equal(out, "");
	free(out);
}

static void test_both_into_one_buffer(void **state) {
	(void)state;
	const char *const argv[] = {"sh", "-c", "printf a; printf b >&2; printf c", NULL};
	struct ifr_buffer both = {0};
	ifr_buffer_puts(&both, "before ");
	struct ifr_process process = {.argv = argv, .out = &both, .errors = &both};
	int status;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	assert_string_equal(ifr_buffer_text(&both), "before abc");
	ifr_buffer_release(&both);
}

static void cannot_start(const char *program, const char *cwd, const char *says) {
	const char *const argv[] = {program, NULL};
	struct ifr_buffer out = {0};
	struct ifr_error err = {0};
	struct ifr_process process = {.argv = argv, .cwd = cwd, .out = &out, .errors = &out};
	int status = 0;
	assert_int_equal(ifr_process_run(&process, &status, &err), -IFR_E_ENVIRONMENT);
	assert_int_equal(err.code, IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, says));
	ifr_buffer_release(&out);
}

static void test_cannot_start(void **state) {
	(void)state;
	char *plain = ifr_format("%s/plain", folder), *missing = ifr_format("%s/missing", folder);
	assert_int_equal(ifr_file_write(plain, "text", 4, 0644, NULL), 0);
	cannot_start("no-program-has-this-name", NULL, "cannot run no-program-has-this-name: ");
	cannot_start(plain, NULL, "Permission denied");
	cannot_start(missing, NULL, missing);
	cannot_start("true", missing, "cannot enter");
	cannot_start("true", plain, "Not a directory");
	free(plain);
	free(missing);
}

static void test_folder_and_environment(void **state) {
	(void)state;
	const char *const argv[] = {"sh", "-c", "pwd -P; echo \"$FIRST,${SECOND-unset},${KEPT-unset},$WITH\"", NULL};
	const char *const set[] = {"FIRST=1", "SECOND", "WITH=a=b c", NULL};
	struct ifr_buffer out = {0};
	int status;
	char *real = realpath(folder, NULL), *expected = ifr_format("%s\n1,unset,kept,a=b c\n", real);
	setenv("SECOND", "2", 1);
	setenv("KEPT", "kept", 1);
	struct ifr_process process = {.argv = argv, .cwd = folder, .set_env = set, .out = &out};
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	assert_string_equal(ifr_buffer_text(&out), expected);
	/* This process keeps its own environment. */
	assert_string_equal(getenv("SECOND"), "2");
	assert_null(getenv("FIRST"));
	unsetenv("SECOND");
	unsetenv("KEPT");
	ifr_buffer_release(&out);
	free(expected);
	free(real);
}

static void make_program(const char *name) {
	char *path = ifr_format("%s/%s", folder, name), *dir = ifr_path_dir(path);
	assert_int_equal(ifr_dir_make(dir, NULL), 0);
	assert_int_equal(ifr_file_write(path, "#!/bin/sh\n", 10, 0755, NULL), 0);
	free(dir);
	free(path);
}

static void finds(const char *name, const char *not_this, const char *expected) {
	char *path = expected ? ifr_format("%s/%s", folder, expected) : NULL;
	const char *const list[] = {"/no/such/file", not_this, NULL};
	char *found = ifr_program_find(name, list);
	if (path)
		assert_string_equal(found, path);
	else
		assert_null(found);
	free(found);
	free(path);
}

/* PATH is one/:two/:three/. one/tool and two/tool are the same file, by a symbolic and by a hard link. */
static void test_find_leaves_out_itself(void **state) {
	(void)state;
	char *old = ifr_strdup(getenv("PATH"));
	char *path = ifr_format("%s/one:%s/two:%s/three", folder, folder, folder);
	char *self = ifr_format("%s/self", folder), *one = ifr_format("%s/one/tool", folder);
	char *two = ifr_format("%s/two/tool", folder), *text = ifr_format("%s/two/text", folder);
	make_program("self");
	make_program("one/other");
	make_program("two/other");
	make_program("three/tool");
	assert_int_equal(symlink("../self", one), 0);
	assert_int_equal(link(self, two), 0);
	assert_int_equal(ifr_file_write(text, "text", 4, 0644, NULL), 0);
	setenv("PATH", path, 1);
	finds("tool", NULL, "one/tool");
	finds("tool", self, "three/tool");
	finds("tool", one, "three/tool");
	finds("other", self, "one/other");
	finds("text", NULL, NULL);
	finds("nothing", NULL, NULL);
	/* A path is taken as it is, or not at all; a folder is no program. */
	assert_null(ifr_program_find(one, (const char *const[]){self, NULL}));
	assert_null(ifr_program_find(folder, NULL));
	char *found = ifr_program_find(one, NULL);
	assert_string_equal(found, one);
	free(found);
	setenv("PATH", old, 1);
	char *all[] = {text, two, one, self, path, old};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_statuses),
		cmocka_unit_test(test_output_is_collected),
		cmocka_unit_test(test_both_into_one_buffer),
		cmocka_unit_test_setup_teardown(test_cannot_start, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(test_folder_and_environment, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(test_find_leaves_out_itself, make_folder, drop_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
