/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Object files, alone and in archives. */
#ifndef IFR_RELINKER_OBJECT_FILES_H
#define IFR_RELINKER_OBJECT_FILES_H

#include "relinker/read/objects.h"

/* Reads the files of all objects and fills their bytes and view. Errors: IFR_E_ENVIRONMENT if one is missing, is
 * not an x86-64 ELF file, or is in its archive twice. */
int object_files_open(struct objects *objects, const char *folder, struct ifr_error *err);

#endif
