/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expansion of a template, mark by mark (compiletime/template.h lists the marks). */
#ifndef IFR_COMPILETIME_EXPAND_H
#define IFR_COMPILETIME_EXPAND_H

#include "compiletime/template.h"

/* The state of an expansion. */
struct expansion {
	struct ifr_plan *plan; /* owned by the note */
	struct ifr_order order;
	struct ifr_buffer *out;
	struct ifr_note *note;
	struct ifr_entity function;   /* the current one */
	unsigned least_bytes;         /* its alignment as compiled */
	unsigned subsection;          /* its subsection of .text; 0: none */
	unsigned next_nop, next_loop; /* ordinals of its next sites */
	bool covers_nops, covers_loops;
	bool app;   /* a line #APP is held back until a line follows that it must bracket */
	bool whole; /* the mark "note" was expanded */
};

/* Expands one mark, which begins the line. Errors: IFR_E_USAGE for a mark that is damaged or not known. */
int expand_mark(struct expansion *expansion, const char *line, struct ifr_error *err);

/* Makes the function of a mark "function" the current one; words is the text behind the mark. Errors: IFR_E_USAGE
 * for a damaged mark. */
int expand_function(struct expansion *expansion, const char *words, struct ifr_error *err);

/* Whether the line is the given mark; words then points behind it. */
bool is_mark(const char *line, const char *mark, const char **words);

#endif
