/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verification: whether the variants in a folder are the program in another layout, and nothing else.
 *
 * Each variant (a file NAME with NAME.plan beside it) is compared with the program as its kit links it: the shape
 * of the ELF file, symbols, frame table and unwinding, addresses, build-id, and every byte of what its plan makes.
 * After that it may run a command of the user's. */
#ifndef IFR_HARNESS_VERIFY_H
#define IFR_HARNESS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/strings.h"
#include "kit/kit.h"

struct ifr_verify {
	const char *program; /* as the user wrote it */
	const char *folder;
	char *const *test;  /* NULL-terminated words; NULL: no test */
	int64_t timeout_ns; /* of each run of the test */
};

/* What was found about a variant: nothing if it is fine. */
struct ifr_verdict {
	char *name;
	struct ifr_strings checks; /* a word each, of the list in the manual */
	struct ifr_strings texts;  /* what differs, one for each of checks */
};

struct ifr_verification {
	char key[IFR_KEY_MAX]; /* the kit's */
	char *note;            /* why the kit's link is not what ships, "" if it is */
	struct ifr_verdict *verdicts;
	size_t count, differing;
	bool interrupted; /* then the verdicts are those that were reached */
};

/* Checks every variant in the folder, in the order of their names. The verification is released by the caller,
 * also after an error. Errors: IFR_E_USAGE for a folder without variants, a program without kit, a plan of another
 * program, a test without a place for the program; IFR_E_PROGRAM if the program itself does not end the test. */
int ifr_verify_variants(const struct ifr_verify *verify, struct ifr_verification *done, struct ifr_error *err);
void ifr_verification_release(struct ifr_verification *done);

/* Appends a table of at most 80 columns, a row a variant. */
void ifr_verification_text(const struct ifr_verification *done, struct ifr_buffer *text);
/* Appends the same as one JSON object and a newline. */
void ifr_verification_json(const struct ifr_verify *verify, const struct ifr_verification *done,
                           struct ifr_buffer *text);

#endif
