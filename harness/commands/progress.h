/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on a terminal's standard error. */
#ifndef IFR_HARNESS_PROGRESS_H
#define IFR_HARNESS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether to show progress: standard error is a terminal, and the command is not quiet. */
bool progress_wanted(bool quiet);
/* Draws the line for `done` of `planned` runs; left_ns: the expected time left, negative if unknown. */
void progress_show(unsigned done, unsigned planned, int64_t left_ns);
/* Clears the line. */
void progress_clear(void);

#endif
