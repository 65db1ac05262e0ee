/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: the user's test command, run with the program and with a variant in its place. */
#ifndef IFR_HARNESS_VERIFY_BEHAVIOUR_H
#define IFR_HARNESS_VERIFY_BEHAVIOUR_H

#include "harness/exec/exec.h"
#include "harness/verify/verify.h"

/* Whether the test has a place for the program: "{}", inside a word too, or its path as a word. */
bool test_has_place(const struct ifr_verify *verify);
/* Runs the test with path in place of "{}" and of the program. The caller releases the outcome, after an error
 * too. Errors: those of ifr_launch_run; IFR_E_ENVIRONMENT if the command is not found. */
int test_run(const struct ifr_verify *verify, const char *path, struct ifr_outcome *outcome,
             struct ifr_error *err);
/* Appends the difference between the run of a variant and that of the program to finding, if there is one. */
void test_compare(const struct ifr_outcome *wanted, const struct ifr_outcome *got, struct ifr_buffer *finding);

#endif
