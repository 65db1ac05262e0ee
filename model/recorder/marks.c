/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into a program that is recorded, where a region of it is asked for: what the marks of interfero.h
 * call. The recorder sees a system call that no kernel has. */
#include <unistd.h>

#include "model/recorder/marks.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void ifr_region_begin(const char *name);
EXPORT void ifr_region_end(void);
EXPORT unsigned long ifr_region_repeats(void);

void ifr_region_begin(const char *name) {
	syscall(MARK_CALL, name);
}

void ifr_region_end(void) {
	syscall(MARK_CALL, 0);
}

unsigned long ifr_region_repeats(void) {
	return 1;
}
