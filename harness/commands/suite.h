/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A suite: a text file with one command's arguments a line.
 *
 *     # a comment
 *     fib: fib.lua 32
 *     sort*3: sort.lua "a file" 'and $this'
 *
 * A line is a name, a colon and words as a shell takes them: quotes and backslashes, but no variables, patterns or
 * commands. Names are letters, digits and "._-+", and no two are the same. A weight above 0 may follow the name: where
 * commands become one figure, sort counts three times as much as fib. */
#ifndef IFR_HARNESS_SUITE_H
#define IFR_HARNESS_SUITE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/strings.h"

struct suite_command {
	char *name;
	double weight; /* above 0; 1 where the line has none */
	struct ifr_strings words;
};

struct suite {
	struct suite_command *commands;
	size_t count;
};

/* Reads a suite, which the caller releases, also after an error. Errors: IFR_E_USAGE with file and line. */
int suite_read(const char *path, struct suite *suite, struct ifr_error *err);
int suite_parse(const char *text, const char *origin, struct suite *suite, struct ifr_error *err);
void suite_release(struct suite *suite);

/* Lists the experiments that --suite wrote under -o NAME, where no file has that name itself. */
void suite_find_results(const char *name, struct ifr_strings *files);

/* The least budget of a suite, in seconds, under which each line is given what it needs: a line's part is an equal one of
 * what the lines before it left. */
int64_t suite_budget_enough(const int64_t *needs_s, size_t count);

#endif
