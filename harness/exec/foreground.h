/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run in the foreground: the program has this process's terminal, input and output, and nothing is measured. */
#ifndef IFR_HARNESS_FOREGROUND_H
#define IFR_HARNESS_FOREGROUND_H

#include "harness/exec/context.h"

/* Runs the program at path in a process context, address-space randomization off, and waits for its end. *status is its
 * exit status, 128 + signal after a signal; *refused (the caller frees) says why the runtime did not do as the
 * context asks, or is NULL. Errors: IFR_E_ENVIRONMENT if the program cannot be started. */
int ifr_foreground_run(const char *path, char *const *argv, const struct ifr_context *context, int *status,
                       char **refused, struct ifr_error *err);

#endif
