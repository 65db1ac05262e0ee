/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the recorded program is started, whatever the recorder. */
#ifndef IFR_MODEL_RECORDED_PROGRAM_H
#define IFR_MODEL_RECORDED_PROGRAM_H

#include "model/record/record.h"

#define PRELOAD "LD_PRELOAD="

/* Returns the program's LD_PRELOAD setting: region markers, recorded allocator, and the user's own libraries. NULL
 * if there is none. The caller frees it. */
char *program_preload(const struct ifr_recording *recording);

/* Returns the path that a program which runs from elsewhere, a variant, is told for /proc/self/exe; NULL for others. The
 * caller frees it. */
char *program_own_path(const struct ifr_recording *recording);

#endif
