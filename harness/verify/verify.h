/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verification: whether each variant in a folder is the program in another layout and otherwise unchanged.
 *
 * A variant (a file NAME with NAME.plan beside it) is compared with the program as its kit links it: structure of
 * the ELF file, symbols, functions, frame table, unwinding, addresses. Its build-id and bytes are compared with the
 * variant that its plan makes. Then the user's test command may run with it. */
#ifndef IFR_HARNESS_VERIFY_H
#define IFR_HARNESS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"
#include "harness/code/code.h"
#include "kit/kit.h"

struct ifr_verify {
	const char *program; /* path, as given by the user */
	const char *folder;  /* of the variants */
	char *const *test;   /* words of the command, NULL-terminated; NULL: no test */
	int64_t timeout_ns;  /* of each run of the test */
};

/* The findings about a variant; no checks: it passed. */
struct ifr_verdict {
	char *name;
	struct ifr_strings checks; /* names of the failed checks, as in the manual */
	struct ifr_strings texts;  /* the difference, one for each of checks */
};

struct ifr_verification {
	char key[IFR_KEY_MAX]; /* of the kit */
	char *note;            /* reason why the link of the kit differs from the shipped program; "" if it does not */
	struct ifr_verdict *verdicts;
	size_t count, differing;
	char *edit;       /* a warning that the program was edited after its link; NULL: it was not */
	bool interrupted; /* verdicts of later variants are missing */
};

/* Checks every variant in the folder, in the order of their names. The caller releases the verification, after an
 * error too. Errors: IFR_E_USAGE for a folder without variants, a program without kit, a plan of another program,
 * a test without a place for the program; IFR_E_PROGRAM if the test does not end in time with the program itself. */
int ifr_verify_variants(const struct ifr_verify *verify, struct ifr_verification *done, struct ifr_error *err);
void ifr_verification_release(struct ifr_verification *done);

/* Appends a table of at most 80 columns, a row a variant. */
void ifr_verification_text(const struct ifr_verification *done, struct ifr_buffer *text);
/* Appends one JSON object and a newline: schema_version, tool, version, program, kit, test, differing, variants[].
 */
void ifr_verification_json(const struct ifr_verify *verify, const struct ifr_verification *done,
                           struct ifr_buffer *text);

#endif
