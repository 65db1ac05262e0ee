/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that were edited after their link: variants come from the link, and lack the edit. */
#ifndef IFR_HARNESS_EDITED_PROGRAM_H
#define IFR_HARNESS_EDITED_PROGRAM_H

#include <stdbool.h>

#include "common/error.h"
#include "relinker/relinker.h"

/* Whether a program's loaded bytes are others than its kit's link gives: by patchelf, or an RPATH set at install. Symbols
 * and debugging information are not loaded: strip is no edit. Where the kit cannot repeat the link byte for byte (another
 * linker made it), only the path of libraries is compared. False for files that cannot be read: then nothing is known. */
bool ifr_program_is_edited(const char *program, const struct ifr_kit *kit, const struct ifr_relinker *relinker);

/* The warning for the user, with the program's name; the caller frees. */
char *ifr_program_edit_warning(const char *program);

#endif
