/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contexts of loads in words: the source lines of a path, the letters of outcomes. */
#ifndef IFR_HARNESS_LOAD_PATHS_H
#define IFR_HARNESS_LOAD_PATHS_H

#include "model/model.h"

struct ifr_described_context {
	enum ifr_load_context_kind kind;
	unsigned length;
	const struct ifr_load_context *context;
	unsigned load; /* contexts of one load stand together */
	/* Result, which the caller frees. Control flow: source lines of the blocks' ends, "main (a.c:30), walk (a.c:12)",
	 * from where the described contexts of the load all differ, equal lines in a row once, at most eight; "" where the
	 * trace begins. Outcomes: "hhm", the youngest last; of more than 64 only their key is known: NULL. */
	char *text;
};

/* Describes contexts of a trace; reads it once, if any is of control flow. */
void ifr_contexts_describe(struct ifr_trace *trace, const struct ifr_load_sites *sites,
                           struct ifr_described_context *contexts, size_t count);

#endif
