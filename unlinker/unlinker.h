/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The unlinker takes a program apart that was linked elsewhere with --emit-relocs, and saves a kit (kit/kit.h) of it.
 *
 * The kit links one object file, in which each function of .text is a section of its own. The other sections stay whole,
 * and the new link makes the linker's own tables again (.plt, .got, .dynamic). The relinker moves these functions as
 * it moves those of a captured link.
 *
 *     unit       a function, or neighbours that cannot be parted: a short jump, or execution that runs on from one
 *                into the next, ties them
 *     refused    a program in which a reference to a function cannot be shown: nothing is guessed */
#ifndef IFR_UNLINKER_UNLINKER_H
#define IFR_UNLINKER_UNLINKER_H

#include <stddef.h>

#include "common/error.h"
#include "kit/kit.h"

struct ifr_unlinked {
	char key[IFR_KEY_MAX];
	size_t functions; /* symbols of functions in .text, at different addresses */
	size_t units;
	size_t tied;     /* functions that share a unit with another */
	size_t resolved; /* references inside .text that the assembler had resolved, and that are relocations again */
	size_t tables;   /* entries of jump tables */
};

/* Saves the kit of an executable linked with --emit-relocs; dry_run: only reads it. Errors: IFR_E_USAGE with the
 * reason for a program that cannot be taken apart; IFR_E_ENVIRONMENT where its libraries are not found, or the store
 * cannot be written. */
int ifr_unlinker_make_kit(const char *program, bool dry_run, struct ifr_unlinked *made, struct ifr_error *err);

#endif
