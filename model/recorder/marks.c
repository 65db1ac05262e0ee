/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Region markers of interfero.h in a program of which one region is recorded; preloaded into it. */
#include "common/recorder_marks.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void ifr_region_begin(const char *name);
EXPORT void ifr_region_end(void);
EXPORT unsigned long ifr_region_repeats(void);

void ifr_region_begin(const char *name) {
	ifr_recorder_mark(IFR_RECORDER_REGION, (uintptr_t)name, 0, 0, 0, 0, 0);
}

void ifr_region_end(void) {
	ifr_recorder_mark(IFR_RECORDER_REGION, 0, 0, 0, 0, 0, 0);
}

unsigned long ifr_region_repeats(void) {
	return 1;
}
