/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a program look at addresses? Recorded in two layouts, one that does not runs the same blocks on the same
 * data. The second layout moves what layouts of code move: the program's functions, if it has a kit, and its
 * stack, by whole pages. A third moves its data: string functions of the C library go other ways where a string
 * begins elsewhere in its line, so that programs which are exact in all layouts of code need not be exact in
 * those. */
#ifndef IFR_HARNESS_MODEL_CHECK_H
#define IFR_HARNESS_MODEL_CHECK_H

#include "harness/simulate/recording.h"

/* Records the request's program, whose trace is at request->path, in other layouts, and compares. same: whether
 * the same blocks ran on the same data with its code and stack elsewhere. Appends a sentence a layout, which says
 * so or where they part first. * The trace is marked with a line behind this key that names what must not move for
 * counters to be exact.
 */
#define IFR_RECORDING_APPROXIMATE "approximate"
int ifr_recording_check(const struct ifr_recording_request *request, bool *same, struct ifr_buffer *text,
                        struct ifr_error *err);

#endif
