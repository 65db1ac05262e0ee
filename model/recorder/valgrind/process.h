/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorded process before its first instruction. */
#ifndef IFR_MODEL_VALGRIND_PROCESS_H
#define IFR_MODEL_VALGRIND_PROCESS_H

#include "pub_tool_basics.h"

/* Records the initial mappings, and makes the process as it is without Valgrind and as it is in each run: removes
 * Valgrind's variables from its environment, sets argv[0] (first_argument NULL: as it is) and the random bytes that the
 * kernel gives a program. */
void process_start(ThreadId thread, const HChar *first_argument);

#endif
