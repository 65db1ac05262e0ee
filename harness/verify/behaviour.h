/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's test command, run with the program and with a variant in its place. */
#ifndef IFR_HARNESS_VERIFY_BEHAVIOUR_H
#define IFR_HARNESS_VERIFY_BEHAVIOUR_H

#include "harness/exec/exec.h"
#include "harness/verify/verify.h"

/* Whether a word of the test stands for the program. */
bool test_has_place(const struct ifr_verify *verify);
/* Runs the test with the file at path in place of "{}" and the program. outcome is released by the caller, also
 * after an error. Errors: those of ifr_launch_run. */
int test_run(const struct ifr_verify *verify, const char *path, struct ifr_outcome *outcome,
             struct ifr_error *err);
/* Appends how a variant's run differs from the program's, nothing if it does not. */
void test_compare(const struct ifr_outcome *wanted, const struct ifr_outcome *got, struct ifr_buffer *finding);

#endif
