/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IFR_UNLINKER_VERSIONS_H
#define IFR_UNLINKER_VERSIONS_H

#include "unlinker/program.h"

/* The name by which the new link looks for an imported symbol: "NAME@VERSION" where the program needs a version. The
 * caller frees. */
char *versions_name(const struct program *program, size_t symbol);

#endif
