/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a helper program (a linker, a compiler, gnuplot) to its end. Measured programs are run by harness/launch.
 */
#ifndef IFR_COMMON_PROCESS_H
#define IFR_COMMON_PROCESS_H

#include "common/buffer.h"
#include "common/error.h"

struct ifr_process {
	const char *const *argv;    /* NULL-terminated; argv[0] is looked up in PATH unless it holds a '/' */
	const char *cwd;            /* NULL: this process's */
	const char *const *set_env; /* NULL-terminated "NAME=value" and "NAME" (unset); may be NULL */
	struct ifr_buffer *out;     /* collects standard output; NULL: passed on */
	struct ifr_buffer *errors;  /* collects standard error; NULL: passed on; may be the same buffer as out */
};

/* Waits for the end and stores the exit status, 128+signal after a signal. Standard input is /dev/null when the
 * output is collected. Errors: IFR_E_ENVIRONMENT if the program cannot be started. */
int ifr_process_run(const struct ifr_process *process, int *exit_status, struct ifr_error *err);

/* Finds an executable file in $PATH (or takes a path with '/' as it is), leaving out every file that is the same
 * as one named in not_this (a NULL-terminated list, or NULL): a wrapper never finds itself. The caller frees; NULL
 * if there is none. */
char *ifr_program_find(const char *name, const char *const *not_this);

#endif
