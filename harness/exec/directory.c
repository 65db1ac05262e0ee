/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mount of a process lies in a file system in memory, which ends with its last process: no long path is
 * left behind. */
#include "harness/exec/directory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/exec/stand_in.h"

enum { NAME_BYTES = 128 };

/* Whether a relative path has more ".." than names before them, anywhere. */
static bool leaves_directory(const char *path) {
	int depth = 0;
	for (const char *name = path; *path != '/' && *name && depth >= 0; name += strspn(name, "/")) {
		const size_t length = strcspn(name, "/");
		if (length == 2 && !strncmp(name, "..", 2))
			depth--;
		else if (length != 1 || *name != '.')
			depth++;
		name += length;
	}
	return depth < 0;
}

int ifr_directory_check(const struct ifr_context *context, char *const *argv, struct ifr_error *err) {
	for (size_t i = 1; context->moves_directory && argv[0] && argv[i]; i++) {
		/* --option=FILE names a file, too. */
		const char *sign = strchr(argv[i], '='), *path = *argv[i] == '-' && sign ? sign + 1 : argv[i];
		if (leaves_directory(path) && !access(path, F_OK))
			return ifr_fail(err, IFR_E_USAGE,
			                "%.200s is relative, and the directory's path is longer there: give an absolute path",
			                path);
	}
	return 0;
}

int ifr_directory_make(const struct ifr_context *context, char **folder, struct ifr_error *err) {
	*folder = NULL;
	if (!context->moves_directory)
		return 0;
	int result = ifr_temporary_dir(folder, err);
	if (!result && strlen(*folder) + 2 > IFR_CONTEXT_PATH_LENGTH) {
		result = ifr_fail(err, IFR_E_ENVIRONMENT, "stack:directory-bytes: the path of TMPDIR is too long");
		ifr_directory_remove(*folder);
		*folder = NULL;
	}
	return result;
}

void ifr_directory_remove(char *folder) {
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
}

/* Writes the path of `length` bytes below the folder: names of NAME_BYTES, and a shorter or longer last one. */
static void write_path(char *path, const char *folder, size_t length) {
	const size_t begin = strlen(folder);
	memcpy(path, folder, begin);
	memset(path + begin, 'x', length - begin);
	for (size_t at = begin; at + 1 < length; at += NAME_BYTES)
		path[at] = '/';
	path[length] = '\0';
}

static int make_folders(char *path, size_t begin) {
	for (char *at = path + begin + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		const int failed = mkdir(path, 0755);
		*at = '/';
		if (failed)
			return -1;
	}
	return mkdir(path, 0755);
}

int ifr_directory_enter(const struct ifr_context *context, const char *folder) {
	const size_t length = IFR_CONTEXT_PATH_LENGTH + context->directory_bytes;
	char path[PATH_MAX];
	if (!folder)
		return 0;
	if (length >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	write_path(path, folder, length);
	if (ifr_mounts_unshare() || mount("none", folder, "tmpfs", 0, "mode=755") ||
	    make_folders(path, strlen(folder)) || mount(".", path, NULL, MS_BIND | MS_REC, NULL))
		return -1;
	return chdir(path);
}

bool ifr_directory_works(void) {
	const struct ifr_context context = {.moves_directory = true};
	char *folder = NULL;
	int status = -1;
	if (ifr_directory_make(&context, &folder, NULL))
		return false;
	const pid_t child = fork();
	if (child == 0)
		_exit(ifr_directory_enter(&context, folder) ? 1 : 0);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	ifr_directory_remove(folder);
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
