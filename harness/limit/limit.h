/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run limiter: from a program that runs for long, one that ends after a budget of time, at the same
 * instruction in every layout.
 *
 * The program's units are assembled with a counter at each function's entry and run for the budget. Of the
 * functions that were entered near its end, the one with the fewest entries is picked, and the program is linked
 * with two instructions at the entry of that one, which end it by exit(0) at the same count. What it does up to
 * there depends on no clock: a deterministic program executes the same instructions of its own in every run and
 * every layout. A program that lets addresses decide does not quite: Lua's cache of C strings goes by their
 * addresses (lstring.c, luaS_new), so that Lua executes some ten instructions in a million more or less in each
 * layout, and exactly as many with a cache of one place (tests/e2e/plugin_axes.bats). So does the program's name,
 * which Lua interns.
 *
 * Ref: Z. Wang and D. A. Jimenez, "Program Interferometry", IISWC 2011, section 5.7. */
#ifndef IFR_HARNESS_LIMIT_H
#define IFR_HARNESS_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "harness/exec/exec.h"
#include "kit/kit.h"

struct ifr_limit {
	const struct ifr_kit *kit;         /* the program's; its units need templates */
	char *const *argv;                 /* argv[0] first, NULL-terminated */
	const struct ifr_context *context; /* of its runs */
	const char *stdin_file;            /* NULL: /dev/null */
	int64_t budget_ns;                 /* above 0 */
	const char *path;                  /* where the limited program goes */
};

struct ifr_limited {
	char *procedure; /* the assembler's name of the one that was picked; the caller frees */
	uint64_t count;  /* the entry, from 1, at which the program ends */
	int64_t last_ns; /* when that entry had been seen in the counting run */
	size_t counted;  /* functions that had counters */
};

/* Makes the limited program at limit->path, whole or not at all, and saves its kit. Then it has run three times
 * and always ended by itself with status 0, the same output, and the output of the counting run. Errors:
 * IFR_E_USAGE for a kit without templates; IFR_E_PROGRAM for a program that ends before the budget, has threads,
 * has no function to end at, or does not repeat; IFR_E_ENVIRONMENT if it was interrupted or its counters cannot be
 * read. */
int ifr_limit_make(const struct ifr_limit *limit, struct ifr_limited *limited, struct ifr_error *err);

#endif
