/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and paths. A file is written whole or not at all. Functions return 0, or IFR_E_ENVIRONMENT with the path. */
#ifndef IFR_COMMON_FILE_H
#define IFR_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/buffer.h"
#include "common/error.h"

/* Appends the whole file to contents; fails for files over limit bytes (0: no limit). */
int ifr_file_read(const char *path, size_t limit, struct ifr_buffer *contents, struct ifr_error *err);
/* ifr_file_read of a file that the user named: IFR_E_USAGE where there is none. */
int ifr_file_read_named(const char *path, size_t limit, struct ifr_buffer *contents, struct ifr_error *err);
/* Writes a temporary file beside path and renames it: a failure leaves an existing file unchanged. Devices and pipes
 * are written directly. */
int ifr_file_write(const char *path, const void *data, size_t length, mode_t mode, struct ifr_error *err);
/* Copies a file's bytes by ifr_file_write. */
int ifr_file_copy(const char *from, const char *to, mode_t mode, struct ifr_error *err);
/* Makes a folder and its parents; does nothing if it exists. */
int ifr_dir_make(const char *path, struct ifr_error *err);
/* Removes a file or a whole tree, without following links; does nothing if it does not exist. */
int ifr_tree_remove(const char *path, struct ifr_error *err);
/* Makes a private folder in $TMPDIR (or /tmp); the caller frees the path and removes the tree. */
int ifr_temporary_dir(char **path, struct ifr_error *err);

bool ifr_file_exists(const char *path);
/* The part of a path behind its last '/'. */
const char *ifr_path_base(const char *path);
/* The part of a path before its last '/', or "." or "/"; the caller frees. */
char *ifr_path_dir(const char *path);
/* Makes a path absolute, from the absolute folder cwd, and resolves ".", ".." and double slashes without a look at
 * the file system: links are not followed. The caller frees. */
char *ifr_path_normalise(const char *cwd, const char *path);
/* The path of the running executable; the caller frees. NULL if the system does not tell. */
char *ifr_path_self(void);
/* The path of our file ../libexec/interfero/NAME, seen from the folder of the running executable; the caller frees.
 * The file need not exist. */
char *ifr_path_libexec(const char *name);

#endif
