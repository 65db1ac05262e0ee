/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address space for the report page and the allocation log, reserved beside the arena whether they are requested
 * or not, so that requesting them moves no address of the program. */
#ifndef IFR_RUNTIME_SIDE_H
#define IFR_RUNTIME_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/runtime.h"

/* Offsets of the report and of the log. */
enum { SIDE_REPORT = 0, SIDE_LOG = IFR_LOG_BLOCK };

bool side_init(void);
/* Returns the address at an offset; NULL if the range exceeds the reservation. */
void *side_at(size_t offset, size_t bytes);

/* The launcher's page; a private one, which nobody reads, without it. */
extern struct ifr_runtime_report *report;
/* Maps the launcher's page, given the setting `report`. */
void report_open(const char *setting);
void report_refuse(const char *what, const char *why);
void report_applied(enum ifr_report_applied what);
bool report_is_read(void);

#endif
