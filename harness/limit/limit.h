/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run limiter: turns a long-running program into one that ends after a budget of time, at the same instruction
 * in every layout.
 *
 *  1. Assemble the program's units with a counter at the entry of each function, and run it for the budget.
 *  2. Choose the function with the fewest entries among those entered near the end of the budget.
 *  3. Link the program with two instructions at the entry of that function, which call exit(0) at the same count.
 *  4. Run it. Where its time is not near the budget, as counting makes a program slower, do all of it once more, with a
 *     budget that is corrected by that.
 *
 * The end depends on no clock: a deterministic program executes the same instructions of its own in every run and
 * every layout. If a program's behaviour depends on addresses, its instruction counts differ slightly. Lua's cache
 * of C strings is indexed by their addresses (lstring.c, luaS_new): the number of instructions differs by some ten
 * in a million between layouts, and by none with a cache of one entry (tests/e2e/plugin_axes.bats). The program's
 * name, which Lua interns, has the same effect.
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
	const struct ifr_kit *kit;         /* of the program; units need templates to be counted */
	char *const *argv;                 /* argv[0] first, NULL-terminated */
	const struct ifr_context *context; /* of its runs */
	const char *stdin_file;            /* NULL: /dev/null */
	int64_t budget_ns;                 /* above 0 */
	const char *path;                  /* of the limited program */
};

/* The limited program. */
struct ifr_limited {
	char *procedure; /* assembler name of the chosen function; the caller frees */
	uint64_t count;  /* the entry, from 1, at which the program ends */
	/* Its time in test runs without the time that it waited for a processor: the shortest and the longest. */
	int64_t least_ns, most_ns;
	size_t counted; /* functions with counters */
};

/* Makes the limited program at limit->path, completely or not at all, and saves its kit. Three test runs must end
 * by themselves with status 0 and the same output. Errors: IFR_E_USAGE for a kit without templates; IFR_E_PROGRAM
 * for a program that ends before the budget, has threads, has no function to end at, or does not repeat;
 * IFR_E_ENVIRONMENT if the limiter was interrupted or the counters cannot be read. */
int ifr_limit_make(const struct ifr_limit *limit, struct ifr_limited *limited, struct ifr_error *err);

#endif
