/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A temporary folder for a test, and small steps in it. Include it behind <cmocka.h>. */
#ifndef IFR_TESTS_FOLDER_H
#define IFR_TESTS_FOLDER_H

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/file.h"
#include "common/process.h"

static char *folder;

static inline int make_folder(void **state) {
	(void)state;
	return ifr_temporary_dir(&folder, NULL);
}

static inline int drop_folder(void **state) {
	(void)state;
	int result = ifr_tree_remove(folder, NULL);
	free(folder);
	return result;
}

/* A path in the folder; the caller frees. */
static inline char *below(const char *name) {
	return ifr_format("%s/%s", folder, name);
}

/* Writes a file, and the folders above it. */
static inline void write_below(const char *name, const char *text) {
	char *path = below(name), *dir = ifr_path_dir(path);
	assert_int_equal(ifr_dir_make(dir, NULL), 0);
	assert_int_equal(ifr_file_write(path, text, strlen(text), 0644, NULL), 0);
	free(dir);
	free(path);
}

/* Runs a shell command in the folder, which must succeed; out collects what it prints, and may be NULL. */
static inline void shell_below(const char *command, struct ifr_buffer *out) {
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct ifr_buffer own = {0};
	struct ifr_process process = {
		.argv = argv, .cwd = folder, .out = out ? out : &own, .errors = out ? out : &own};
	int status = -1;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	if (status)
		fail_msg("%s: %s", command, ifr_buffer_text(process.out));
	ifr_buffer_release(&own);
}

#endif
