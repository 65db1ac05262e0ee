/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How interfero reports what went wrong.
 *
 * A function that can fail returns 0 or a negative number and takes `struct ifr_error *err` last. The error is
 * written once, where the fault is found, and names the thing and the remedy. Libraries never print or exit.
 * The codes are the exit statuses of every interfero command. */
#ifndef IFR_COMMON_ERROR_H
#define IFR_COMMON_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum ifr_error_code {
	IFR_E_REGRESSION = 1,  /* a difference or regression was found */
	IFR_E_USAGE = 2,       /* the command line, a plan or another input of the user is wrong */
	IFR_E_PROGRAM = 3,     /* the user's program failed, hung or behaved differently */
	IFR_E_ENVIRONMENT = 4, /* the machine, a file or a tool is not as needed */
	IFR_E_BUG = 70         /* our own mistake */
};

struct ifr_error {
	int code;           /* enum ifr_error_code, or 0 */
	char message[1024]; /* one line, no newline */
};

/* Writes the error and returns -code. A NULL err is allowed: then only the return value speaks. */
int ifr_fail(struct ifr_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, with ": " and the text of errno behind the message. */
int ifr_fail_errno(struct ifr_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
