/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's system calls, as far as a recording cares: mappings, which say what an address is; clocks and
 * random numbers, which are answered so that a second run is the same; and what a recording cannot follow. */
#ifndef IFR_MODEL_SYSCALLS_H
#define IFR_MODEL_SYSCALLS_H

#include <stdint.h>

#include "model/recorder/qemu_plugin.h"

/* The program is in memory and has not run: writes down where everything lies. host is where the first
 * instruction's bytes are in this process. */
void syscalls_first_block(uint64_t address, const void *host);

void syscalls_before(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                     uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void syscalls_after(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result);

/* The path that the program is told for /proc/self/exe, if the real one is as long: what a program makes of its
 * own path shall be the same for a variant in another folder. The path is copied. */
void syscalls_own_path(const char *path);

/* Where the marks of this region come, notes are written. The name is copied. */
void syscalls_watch(const char *region);

/* The answered wall clock, in seconds; a millisecond later each time. */
int64_t syscalls_now(void);

#endif
