/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expansion of a template, mark by mark (compiletime/template.h has the marks). */
#ifndef IFR_COMPILETIME_EXPAND_H
#define IFR_COMPILETIME_EXPAND_H

#include "compiletime/template.h"

/* What the expansion of a template is doing. */
struct expansion {
	struct ifr_plan *plan; /* the note's */
	struct ifr_order order;
	struct ifr_buffer *out;
	struct ifr_note *note;
	struct ifr_entity thing; /* the current function */
	unsigned least_bytes;
	unsigned subsection;  /* 0: none */
	unsigned nops, loops; /* ordinals of the next ones */
	bool covers_nops, covers_loops;
	bool app; /* a line #APP is held back: GCC brackets each mark, which leaves nothing to bracket */
	bool whole;
};

/* One marked line, from its mark on. Errors: IFR_E_USAGE for a mark that is damaged or not known. */
int expansion_mark(struct expansion *expansion, const char *line, struct ifr_error *err);

/* Takes the mark of a function, words is what follows it: it is the current one then. Errors as above. */
int expansion_function(struct expansion *expansion, const char *words, struct ifr_error *err);

/* Whether the line, a mark, is of this kind; then words is what follows it. */
bool is_mark(const char *line, const char *mark, const char **words);

#endif
