/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a helper program (a linker, a compiler, gnuplot) to its end. harness/launch runs measured programs. */
#ifndef IFR_COMMON_PROCESS_H
#define IFR_COMMON_PROCESS_H

#include "common/buffer.h"
#include "common/error.h"

struct ifr_process {
	const char *const *argv;    /* NULL-terminated; argv[0] is looked up in PATH unless it holds a '/' */
	const char *cwd;            /* NULL: this process's folder */
	const char *const *set_env; /* NULL-terminated "NAME=value" and "NAME" (unset); may be NULL */
	struct ifr_buffer *out;     /* collects standard output; NULL: inherited */
	struct ifr_buffer *errors;  /* collects standard error; NULL: inherited; may be the same buffer as out */
};

/* Runs the program, waits for its end and stores its exit status, or 128+signal after a signal. Standard input is
 * /dev/null if out is set. Errors: IFR_E_ENVIRONMENT if the program cannot be started. */
int ifr_process_run(const struct ifr_process *process, int *exit_status, struct ifr_error *err);

/* Finds an executable file in $PATH; a name with '/' is used as it is. Skips every file that is the same as one of
 * `excluded` (a NULL-terminated list, or NULL), so that a wrapper never finds itself. The caller frees; NULL if there
 * is none. */
char *ifr_program_find(const char *name, const char *const *excluded);

#endif
