/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Installed files that run in other processes: recorders, preloaded libraries, the player. */
#ifndef IFR_HARNESS_INSTALLED_FILES_H
#define IFR_HARNESS_INSTALLED_FILES_H

#include "common/error.h"

/* Finds a file of libexec/interfero by name; the caller frees *path, after an error too. Errors: IFR_E_ENVIRONMENT
 * if the file is missing. */
int ifr_installed_file_find(const char *name, char **path, struct ifr_error *err);

#endif
