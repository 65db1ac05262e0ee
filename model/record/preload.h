/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Libraries that are preloaded into the recorded program. */
#ifndef IFR_MODEL_PRELOAD_H
#define IFR_MODEL_PRELOAD_H

#include "model/record/record.h"

#define PRELOAD "LD_PRELOAD="

/* Returns the program's LD_PRELOAD setting: region markers, recorded allocator, and the user's own libraries. NULL
 * if there is none. The caller frees it. */
char *program_preload(const struct ifr_recording *recording);

#endif
