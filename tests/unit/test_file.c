/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files are written whole or not at all; paths. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"
#include "tests/unit/folder.h"

static size_t entries(const char *path) {
	size_t count = 0;
	DIR *dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void holds(const char *path, const char *expected) {
	struct ifr_buffer text = {0};
	assert_int_equal(ifr_file_read(path, 0, &text, NULL), 0);
	assert_string_equal(ifr_buffer_text(&text), expected);
	assert_int_equal(text.length, strlen(expected));
	ifr_buffer_release(&text);
}

static void test_write_replaces(void **state) {
	(void)state;
	char *path = below("file");
	struct stat status;
	assert_int_equal(ifr_file_write(path, "first, and longer", 17, 0644, NULL), 0);
	assert_int_equal(ifr_file_write(path, "second", 6, 0750, NULL), 0);
	holds(path, "second");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0750);
	assert_int_equal(entries(folder), 1);
	assert_int_equal(ifr_file_write(path, NULL, 0, 0644, NULL), 0);
	holds(path, "");
	free(path);
}

/* Tries to replace a file in a folder that may not be written, as a user who is not root. */
static int in_read_only_folder(const char *path) {
	if (!geteuid() && (setgid(65534) || setuid(65534)))
		return 2;
	struct ifr_error err = {0};
	bool refused = ifr_file_write(path, "new", 3, 0644, &err) == -IFR_E_ENVIRONMENT && strstr(err.message, path);
	return refused ? 0 : 1;
}

static void test_failure_keeps_the_old_file(void **state) {
	(void)state;
	char *locked = below("locked"), *path = below("locked/file");
	assert_int_equal(mkdir(locked, 0755), 0);
	assert_int_equal(ifr_file_write(path, "old", 3, 0666, NULL), 0);
	assert_int_equal(chmod(locked, 0555), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(in_read_only_folder(path));
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	chmod(locked, 0755);
	assert_int_equal(status, 0);
	holds(path, "old");
	assert_int_equal(entries(locked), 1);
	free(path);
	free(locked);
}

static void test_failures(void **state) {
	(void)state;
	struct ifr_error err = {0};
	char *missing = below("no/such/file"), *in_the_way = below("dir"), *inside = below("dir/inside");
	assert_int_equal(ifr_file_write(missing, "x", 1, 0644, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, missing));
	assert_non_null(strstr(err.message, "No such file"));
	/* A folder is not replaced by a file. */
	assert_int_equal(ifr_dir_make(inside, NULL), 0);
	assert_int_equal(ifr_file_write(in_the_way, "x", 1, 0644, &err), -IFR_E_ENVIRONMENT);
	assert_int_equal(entries(folder), 1);
	assert_true(ifr_file_exists(inside));
	assert_int_equal(ifr_file_copy(missing, inside, 0644, &err), -IFR_E_ENVIRONMENT);
	assert_int_equal(ifr_file_read(in_the_way, 0, &(struct ifr_buffer){0}, &err), -IFR_E_ENVIRONMENT);
	free(inside);
	free(in_the_way);
	free(missing);
}

/* The devices are reached through links in the test's folder: a mistake could replace only a link. */
static void test_devices_are_written_not_replaced(void **state) {
	(void)state;
	struct ifr_error err = {0};
	struct stat status;
	char *full = below("full"), *null = below("null");
	assert_int_equal(symlink("/dev/full", full), 0);
	assert_int_equal(symlink("/dev/null", null), 0);
	assert_int_equal(ifr_file_write(full, "x", 1, 0644, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "No space left"));
	assert_int_equal(ifr_file_write(null, "x", 1, 0644, &err), 0);
	assert_int_equal(lstat(full, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(lstat(null, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(entries(folder), 2);
	free(null);
	free(full);
}

static void test_read_and_copy(void **state) {
	(void)state;
	struct ifr_error err = {0};
	char *path = below("big"), *copy = below("copy");
	size_t length = 200000;
	char *bytes = malloc(length);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)(i * 7 >> 3);
	assert_int_equal(ifr_file_write(path, bytes, length, 0600, NULL), 0);
	assert_int_equal(ifr_file_copy(path, copy, 0444, NULL), 0);
	struct ifr_buffer read = {0};
	assert_int_equal(ifr_file_read(copy, length, &read, NULL), 0);
	assert_int_equal(read.length, length);
	assert_memory_equal(read.data, bytes, length);
	ifr_buffer_clear(&read);
	assert_int_equal(ifr_file_read(copy, length - 1, &read, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "larger than 199999"));
	ifr_buffer_release(&read);
	free(bytes);
	free(copy);
	free(path);
}

static void test_dir_make(void **state) {
	(void)state;
	struct ifr_error err = {0};
	char *deep = below("a/b//c/"), *file = below("file"), *under = below("file/x/y"), *link = below("link");
	assert_int_equal(ifr_dir_make(deep, NULL), 0);
	assert_int_equal(ifr_dir_make(deep, NULL), 0);
	assert_int_equal(ifr_dir_make("/", NULL), 0);
	assert_int_equal(ifr_file_write(file, "x", 1, 0644, NULL), 0);
	assert_int_equal(ifr_dir_make(file, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "in the way"));
	assert_int_equal(ifr_dir_make(under, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, file));
	assert_int_equal(symlink("a", link), 0);
	assert_int_equal(ifr_dir_make(link, &err), 0);
	char *empty = calloc(1, 1);
	assert_int_equal(ifr_dir_make(empty, &err), -IFR_E_ENVIRONMENT);
	free(empty);
	holds(file, "x");
	free(link);
	free(under);
	free(file);
	free(deep);
}

/* A link in the tree is removed, its target stays. */
static void test_tree_remove(void **state) {
	(void)state;
	char *outside = below("outside"), *tree = below("tree"), *deep = below("tree/a/b"),
		 *link = below("tree/a/link");
	assert_int_equal(ifr_dir_make(deep, NULL), 0);
	assert_int_equal(ifr_file_write(outside, "stay", 4, 0644, NULL), 0);
	assert_int_equal(symlink(folder, link), 0);
	assert_int_equal(ifr_tree_remove(tree, NULL), 0);
	assert_int_equal(ifr_tree_remove(tree, NULL), 0);
	holds(outside, "stay");
	assert_int_equal(entries(folder), 1);
	assert_int_equal(ifr_tree_remove(outside, NULL), 0);
	assert_int_equal(entries(folder), 0);
	free(link);
	free(deep);
	free(tree);
	free(outside);
}

/* Expected paths by hand, by POSIX 4.13 (pathname resolution) without links. */
static void test_paths(void **state) {
	(void)state;
	static const char *const table[][3] = {
		{"/home/me", "a", "/home/me/a"},
		{"/home/me", "/a", "/a"},
		{"/home/me", ".", "/home/me"},
		{"/home/me", "..", "/home"},
		{"/home/me", "../..", "/"},
		{"/home/me", "../../../x", "/x"},
		{"/", "a//b/./c/../d", "/a/b/d"},
		{"/home/me/", "./a/", "/home/me/a"},
		{"/x", "", "/x"},
		{"/x", "...", "/x/..."},
		{"/x", "a/..b/..", "/x/a"},
		{"/x", "//a//", "/a"},
		{"/x", "/../../etc", "/etc"},
		{"/", "..", "/"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char *normal = ifr_path_normalise(table[i][0], table[i][1]);
		assert_string_equal(normal, table[i][2]);
		free(normal);
	}
	static const char *const parts[][3] = {{"a", ".", "a"}, {"/a", "/", "a"}, {"/a/b", "/a", "b"},
	                                       {"a/", "a", ""}, {"/", "/", ""},   {"../x", "..", "x"}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char *dir = ifr_path_dir(parts[i][0]);
		assert_string_equal(dir, parts[i][1]);
		assert_string_equal(ifr_path_base(parts[i][0]), parts[i][2]);
		free(dir);
	}
}

static void test_temporary_dir(void **state) {
	(void)state;
	char *old = getenv("TMPDIR") ? ifr_strdup(getenv("TMPDIR")) : NULL, *made, *missing = below("missing");
	struct stat status;
	setenv("TMPDIR", folder, 1);
	assert_int_equal(ifr_temporary_dir(&made, NULL), 0);
	assert_int_equal(strncmp(made, folder, strlen(folder)), 0);
	assert_int_equal(stat(made, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	free(made);
	setenv("TMPDIR", missing, 1);
	assert_int_equal(ifr_temporary_dir(&made, NULL), -IFR_E_ENVIRONMENT);
	assert_null(made);
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
	free(missing);
	free(old);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void) {
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_write_replaces), IN_FOLDER(test_failure_keeps_the_old_file),
		IN_FOLDER(test_failures),       IN_FOLDER(test_devices_are_written_not_replaced),
		IN_FOLDER(test_read_and_copy),  IN_FOLDER(test_dir_make),
		IN_FOLDER(test_tree_remove),    IN_FOLDER(test_temporary_dir),
		cmocka_unit_test(test_paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
