/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and paths. Whatever is written appears whole or not at all. */
#ifndef IFR_COMMON_FILE_H
#define IFR_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/buffer.h"
#include "common/error.h"

/* Appends the whole file to contents. Files over limit bytes are refused (0: no limit). */
int ifr_file_read(const char *path, size_t limit, struct ifr_buffer *contents, struct ifr_error *err);
/* Writes to a temporary neighbour, then renames: an existing file is replaced whole or left as it was. */
int ifr_file_write(const char *path, const void *data, size_t length, mode_t mode, struct ifr_error *err);
/* Copies a file's bytes, by the same rule. */
int ifr_file_copy(const char *from, const char *to, mode_t mode, struct ifr_error *err);
/* Makes a folder and those above it; one that exists is fine. */
int ifr_dir_make(const char *path, struct ifr_error *err);
/* Removes a file or a whole tree, without following links; one that is not there is fine. */
int ifr_tree_remove(const char *path, struct ifr_error *err);
/* A new private folder under $TMPDIR (or /tmp); the caller frees the path and removes the tree. */
int ifr_temporary_dir(char **path, struct ifr_error *err);

bool ifr_file_exists(const char *path);
const char *ifr_path_base(const char *path); /* what is behind the last '/' */
char *ifr_path_dir(const char *path);        /* what is before it, "." or "/"; the caller frees */
/* The absolute path with ".", ".." and double slashes resolved by the letters alone (no links followed), relative
 * to the absolute folder cwd; the caller frees. */
char *ifr_path_normalise(const char *cwd, const char *path);
/* Where the running executable lies; the caller frees. NULL if the system does not say. */
char *ifr_path_self(void);
/* A file of ours that belongs to the running executable, beside its folder: ../libexec/interfero/NAME; the caller
 * frees. Whether it is there is another question. */
char *ifr_path_libexec(const char *name);

#endif
