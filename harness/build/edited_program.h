/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that were edited after their link: variants come from the link, and lack the edit. */
#ifndef IFR_HARNESS_EDITED_PROGRAM_H
#define IFR_HARNESS_EDITED_PROGRAM_H

#include "common/error.h"
#include "relinker/relinker.h"

/* Compares a program's loaded bytes with those that its kit's link gives. Symbols and debugging information are not
 * loaded: strip is no edit. Where the kit cannot repeat the link byte for byte (another linker made it), only the path of
 * libraries is compared. Returns a warning for the user, which the caller frees; NULL for a program that was not edited,
 * and for files that cannot be read: then nothing is known. */
char *ifr_program_find_edit(const char *program, const struct ifr_kit *kit, const struct ifr_relinker *relinker);

/* Makes the program that its kit's link gave at a path: the plain layout of a pinned program. Errors: those of
 * ifr_relinker_open and ifr_relinker_make. */
int ifr_program_make_plain(const struct ifr_kit *kit, const char *path, struct ifr_error *err);

#endif
