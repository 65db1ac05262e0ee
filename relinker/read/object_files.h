/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening objects, alone and in archives. */
#ifndef IFR_RELINKER_OBJECT_FILES_H
#define IFR_RELINKER_OBJECT_FILES_H

#include "relinker/read/objects.h"

/* Reads the files of all objects (bytes and view). Errors: IFR_E_ENVIRONMENT if one is missing, not an x86-64 ELF
 * file, or twice in its archive. */
int object_files_open(struct objects *objects, const char *folder, struct ifr_error *err);

#endif
