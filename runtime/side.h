/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space beside the arena, for what the runtime keeps for others: the report's page and the log's blocks.
 * It is reserved whether they are asked for or not, so that asking moves nothing of the program's. */
#ifndef IFR_RUNTIME_SIDE_H
#define IFR_RUNTIME_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/runtime.h"

/* Bytes from the beginning: the report, then the log. */
enum { SIDE_REPORT = 0, SIDE_LOG = IFR_LOG_BLOCK };

bool side_init(void);
/* The address offset bytes into it, or NULL if it does not reach so far. */
void *side_at(size_t offset, size_t bytes);

/* The page of the launcher; one of our own, which nobody reads, while there is none. */
extern struct ifr_runtime_report *report;
/* Finds the launcher's page by the setting `report`. */
void report_open(const char *setting);
void report_refuse(const char *what, const char *why);
void report_applied(enum ifr_report_applied what);
bool report_is_read(void);

#endif
