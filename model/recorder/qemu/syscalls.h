/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorded program's system calls: records mappings, which say what an address means; answers clocks and
 * random numbers so that runs are repeatable; notes what a recording cannot follow. */
#ifndef IFR_MODEL_SYSCALLS_H
#define IFR_MODEL_SYSCALLS_H

#include <stdint.h>

#include "model/recorder/qemu/qemu_plugin.h"

/* Records the initial mappings, when the program is loaded and has not run. host: address in this process of the
 * first instruction. */
void syscalls_first_block(uint64_t address, const void *host);

void syscalls_before(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                     uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void syscalls_after(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result);

/* Sets the path that the program is told for /proc/self/exe, if the real one is equally long, so that a variant in
 * another folder behaves as the original does. The path is copied. */
void syscalls_own_path(const char *path);

/* Notes the begin and end markers of this region. The name is copied. */
void syscalls_watch(const char *region);

/* Returns the answered wall clock in seconds; each call advances it by a millisecond. */
int64_t syscalls_now(void);

#endif
