/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of ours that run in other processes. */
#ifndef IFR_HARNESS_MODEL_PARTS_H
#define IFR_HARNESS_MODEL_PARTS_H

#include "common/error.h"

/* The path of libexec's file of that name; the caller frees, also after an error. Errors: IFR_E_ENVIRONMENT if it
 * is missing. */
int ifr_installed_file_find(const char *name, char **path, struct ifr_error *err);

#endif
