/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `interfero misses --advise`: the loads that are worth a prefetch, and the others with the reason. */
#ifndef IFR_HARNESS_MISSES_ADVICE_H
#define IFR_HARNESS_MISSES_ADVICE_H

#include "compiletime/compiletime.h"
#include "harness/commands/misses_result.h"

/* Instructions that are taken to pass in a cycle. */
enum { MISSES_INSTRUCTIONS_A_CYCLE = 2 };

struct misses_left {
	char *load; /* "visit (tree.c:12)" */
	char *why;
};

struct misses_advice {
	struct ifr_prefetches prefetches; /* the most gain first */
	struct misses_left *left;
	size_t left_count;
};

/* Judges the named loads of a result. The caller releases the advice. */
void misses_advice_make(const struct misses_result *result, struct ifr_trace *trace, struct misses_advice *advice);
/* Judges prefetches by a result of the program that was built with them, and keeps those that pay: misses_built.c. */
void misses_advice_keep(const struct misses_result *result, const struct ifr_trace *trace,
                        const struct ifr_prefetches *built, struct misses_advice *advice);
/* Leaves all out unless the comparison of the programs without and with them, as `interfero compare --json` prints it,
 * found the second faster. Errors: IFR_E_USAGE for another file; those of ifr_file_read_named. */
int misses_advice_measure(const char *path, struct misses_advice *advice, struct ifr_error *err);
/* Notes why a load has none; takes over `why`. */
void misses_advice_leave(struct misses_advice *advice, const char *load, char *why);
void misses_advice_release(struct misses_advice *advice);

/* The sentence above the table, and "always" or the context of one prefetch; the caller frees. */
char *misses_advice_head(const struct misses_result *result, const struct misses_advice *advice);
char *misses_advice_context(const struct ifr_prefetch *prefetch);
/* Prints the table, or the file for the compiler. */
void misses_advice_print(const struct misses_result *result, const struct misses_advice *advice,
                         struct ifr_buffer *out);
void misses_advice_print_json(const struct misses_result *result, const struct misses_advice *advice,
                              struct ifr_buffer *out);
void misses_advice_print_file(const struct misses_result *result, const struct misses_advice *advice,
                              struct ifr_buffer *out);

#endif
