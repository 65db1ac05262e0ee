/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advised prefetches: the loads that are worth one, as `interfero misses --advise` writes them and the plugin reads them.
 *
 *     interfero-prefetch 1
 *     # comments, and what is not worth a prefetch
 *     load visit file=tree.c line=2 column=12 number=1 text=5f3a77c1 context=self period=2 distance=4 \
 *          references=131068 misses=65535 gain=1179630          (one line)
 *     load compare file=eqn.c line=1 context=call caller=run@9 distance=2
 *
 *     load        the function in the source that has the load, by its assembler name without suffixes of GCC's clones
 *     file        the source file's name, without its folder
 *     line        of the load, counted from the function's declaration, which is 0: edits before it change nothing
 *     column      of the load in its line; absent: any
 *     number      of the loads there, in the order of the code, from 1 (1)
 *     text        hash of the line's characters without blanks: where the line has another text, the load is looked for
 *                 in that line of the function that has this one; absent: the number of the line decides
 *     context     always, self (the load misses each `period`-th time) or call (it misses if called from `caller`)
 *     caller      FUNCTION@LINE, LINE counted from the declaration of that function
 *     distance    how many iterations ahead the prefetch is due, from 1
 *     always      0: only worth it in its context
 *     references, misses, gain    of the profile, in numbers and cycles; for the reader alone
 *
 * In names, '%' and two hexadecimal digits stand for blanks, '%' and control characters. */
#ifndef IFR_COMPILETIME_PREFETCHES_H
#define IFR_COMPILETIME_PREFETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IFR_PREFETCH_VERSION = 1, IFR_PREFETCH_DISTANCE_MOST = 256, IFR_PREFETCH_PERIOD_MOST = 64 };
enum { IFR_PREFETCH_LOADS_MOST = 4096, IFR_PREFETCH_FILE_MOST = 1 << 22 };

enum ifr_prefetch_context { IFR_PREFETCH_ALWAYS, IFR_PREFETCH_SELF, IFR_PREFETCH_CALL, IFR_PREFETCH_CONTEXTS };
extern const char *const ifr_prefetch_contexts[IFR_PREFETCH_CONTEXTS]; /* "always", … */

struct ifr_prefetch {
	char *function, *file;
	char *caller; /* NULL: none */
	unsigned line, column, number;
	uint32_t text; /* 0: not known */
	enum ifr_prefetch_context context;
	unsigned period, distance, caller_line;
	bool only_in_context;
	uint64_t references, misses, gain;
};

struct ifr_prefetches {
	struct ifr_prefetch *items;
	size_t count;
};

/* Returns the hash of a line's text, never 0: of its characters without blanks. */
uint32_t ifr_prefetch_text(const char *line, size_t length);
/* Returns the length of a function's name without the suffixes of GCC's clones (.part.0, .isra.1, …). */
size_t ifr_prefetch_name_length(const char *name);

/* Adds a copy of a prefetch, strings and all. */
void ifr_prefetches_add(struct ifr_prefetches *prefetches, const struct ifr_prefetch *prefetch);
void ifr_prefetches_release(struct ifr_prefetches *prefetches);

/* Appends the head, and the line of a prefetch. */
void ifr_prefetches_print_head(struct ifr_buffer *text);
void ifr_prefetch_print(const struct ifr_prefetch *prefetch, struct ifr_buffer *text);
/* Parses a text into zeroed prefetches, which the caller releases, also after an error. name: of the file, for messages.
 * Errors: IFR_E_USAGE with the line for what is no such text, another version, or a value out of range. */
int ifr_prefetches_parse(const char *text, size_t length, const char *name, struct ifr_prefetches *prefetches,
                         struct ifr_error *err);
/* The same of a file. Errors also: those of ifr_file_read_named. */
int ifr_prefetches_read(const char *path, struct ifr_prefetches *prefetches, struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
