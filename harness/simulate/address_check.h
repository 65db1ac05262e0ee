/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address check: does a program behave the same in every layout? A replay is exact only if it does. The check
 * records the program again in other layouts and compares blocks and accesses with the first recording.
 *
 *     code     functions, if the program has a kit, and the stack, by whole pages
 *     data     the program's variables, if it has a kit; string functions of the C library branch on alignment, so
 *              that a program may be exact in all layouts of code but not in these
 *     heap     heap objects, if the request records them
 */
#ifndef IFR_HARNESS_ADDRESS_CHECK_H
#define IFR_HARNESS_ADDRESS_CHECK_H

#include "harness/simulate/recording.h"

/* Key of a trace's line that names the parts of the program that must not move for counters to be exact. */
#define IFR_RECORDING_APPROXIMATE "approximate"

/* Compares the trace at request->path with recordings in other layouts. Stores in *same whether blocks and
 * accesses are the same with code and stack elsewhere. Appends a sentence for each layout to text, with the first
 * difference. If any layout differs, adds a line IFR_RECORDING_APPROXIMATE to the trace. Errors: those of
 * ifr_recording_make. */
int ifr_recording_check(const struct ifr_recording_request *request, bool *same, struct ifr_buffer *text,
                        struct ifr_error *err);

#endif
