/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on the terminal that says how far a long command is; nothing in a pipe. */
#ifndef IFR_HARNESS_PROGRESS_H
#define IFR_HARNESS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

bool progress_wanted(bool quiet);
void progress_show(unsigned done, unsigned planned, int64_t left_ns);
void progress_clear(void);

#endif
