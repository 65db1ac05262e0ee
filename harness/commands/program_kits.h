/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kits of the programs under test, and the axes that they allow: a program without a kit has the axes of its
 * process alone. */
#ifndef IFR_HARNESS_PROGRAM_KITS_H
#define IFR_HARNESS_PROGRAM_KITS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/commands/layout_options.h"
#include "kit/kit.h"

struct program_kit {
	const char *path;
	struct ifr_kit *kit; /* the caller's, who releases it */
	bool found;          /* false: the program has no kit */
};

/* Finds the kits. Where a program has none, --axes that were not given, or "all", become the axes that need none, and
 * a note says so unless quiet. dynamic: the program that runs has a loader, which heap and blocks need. Errors:
 * IFR_E_USAGE for an axis that needs the kit that a program has not; those of kits. */
int program_kits_find(struct program_kit *programs, size_t count, struct layout_options *layouts, bool dynamic,
                      bool quiet, struct ifr_error *err);

#endif
