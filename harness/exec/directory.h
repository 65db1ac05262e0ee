/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A working directory with a path of a chosen length: the same directory, mounted a second time for one process and its
 * children. Names below it stay; ".." leads elsewhere. */
#ifndef IFR_HARNESS_DIRECTORY_H
#define IFR_HARNESS_DIRECTORY_H

#include <stdbool.h>

#include "common/error.h"
#include "harness/exec/context.h"

/* Whether the arguments name the same files in that directory. Errors: IFR_E_USAGE for one that names an existing file by
 * a relative path which leaves the working directory; without a move never. */
int ifr_directory_check(const struct ifr_context *context, char *const *argv, struct ifr_error *err);
/* Makes the folder for the mount, if the context moves the directory; else *folder is NULL. The caller hands it to
 * ifr_directory_remove. Errors: IFR_E_ENVIRONMENT. */
int ifr_directory_make(const struct ifr_context *context, char **folder, struct ifr_error *err);
/* Mounts the working directory below the folder and enters it, in this process and its children to come; -1 with
 * errno where the kernel does not allow it. */
int ifr_directory_enter(const struct ifr_context *context, const char *folder);
/* Removes the folder and frees its name; NULL allowed. */
void ifr_directory_remove(char *folder);

/* Whether that works here: tries it in a child. */
bool ifr_directory_works(void);

#endif
