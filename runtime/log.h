/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the allocation log; its format is in runtime.h. */
#ifndef IFR_RUNTIME_LOG_H
#define IFR_RUNTIME_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/runtime.h"

/* true while a log is written */
extern bool log_on;

/* Begins the log in a new file, or in FILE.PID if FILE exists. Returns false if neither can be created. */
bool log_open(const char *path);
/* Logs an event of the calling thread. old: a reallocation's former address. */
void log_event(enum ifr_log_call call, size_t size, const void *address, const void *old);
/* Continues in blocks of its own in a forked child. */
void log_after_fork(void);

#endif
