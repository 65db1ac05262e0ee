/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the allocation log; its format is in runtime.h. */
#ifndef IFR_RUNTIME_LOG_H
#define IFR_RUNTIME_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/runtime.h"

/* Whether a log is written. */
extern bool log_on;

/* Begins the log in a new file, or in FILE.PID if there is one. False if it cannot. */
bool log_open(const char *path);
/* One event, in the calling thread. old is a reallocation's former address. */
void log_event(enum ifr_log_call call, size_t size, const void *address, const void *old);
/* In a forked child: go on in blocks of its own. */
void log_after_fork(void);

#endif
