/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors.
 *
 * A function that can fail returns 0 or a negative code and takes `struct ifr_error *err` last. The code that finds
 * the fault writes the error once: the file or name at fault, and the remedy. Libraries never print or exit. The
 * codes are the exit statuses of every interfero command. */
#ifndef IFR_COMMON_ERROR_H
#define IFR_COMMON_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum ifr_error_code {
	IFR_E_REGRESSION = 1,  /* a difference or regression was found */
	IFR_E_USAGE = 2,       /* the command line, a plan or another input of the user is wrong */
	IFR_E_PROGRAM = 3,     /* the user's program failed, hung or behaved differently */
	IFR_E_ENVIRONMENT = 4, /* the machine, a file or a tool does not do */
	IFR_E_BUG = 70         /* our own mistake */
};

struct ifr_error {
	int code;           /* enum ifr_error_code, or 0 */
	char message[1024]; /* one line, no newline */
};

/* Writes the error, unless err is NULL, and returns -code. */
int ifr_fail(struct ifr_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Like ifr_fail, with ": " and the text of errno behind the message. */
int ifr_fail_errno(struct ifr_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
