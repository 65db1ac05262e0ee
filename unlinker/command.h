/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command of the new link. */
#ifndef IFR_UNLINKER_COMMAND_H
#define IFR_UNLINKER_COMMAND_H

#include "unlinker/program.h"

/* Sets the kit's arguments and inputs: the object file, which will lie at a path, and the libraries that the loader finds
 * for the program. Errors: IFR_E_ENVIRONMENT for a library that it does not find. */
int command_make(const struct program *program, const char *object, struct ifr_kit *kit, struct ifr_error *err);

#endif
