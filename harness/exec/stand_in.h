/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stand-in: a file that one process and its children find at the path of another. A driver thus starts a variant by the
 * program's own path, while the program's file stays as it is: the place is mounted over in a mount namespace of the
 * process, which ends with it. */
#ifndef IFR_HARNESS_STAND_IN_H
#define IFR_HARNESS_STAND_IN_H

#include <stdbool.h>

/* Gives this process and its children mounts of their own; -1 with errno where the kernel does not allow it. */
int ifr_mounts_unshare(void);
/* Puts file into its place for this process and its children; -1 with errno where the kernel does not allow it. */
int ifr_stand_in_enter(const char *file, const char *place);
/* Whether that works here: tries it in a child. */
bool ifr_stand_in_works(const char *place);

/* Begins to watch whether a file is opened, as a start of it does; a descriptor, or -1. The caller hands it to
 * ifr_stand_in_was_opened, which closes it; where files cannot be watched, the file counts as opened. */
int ifr_stand_in_watch(const char *file);
bool ifr_stand_in_was_opened(int watch);

#endif
