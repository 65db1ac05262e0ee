/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `interfero misses`. */
#ifndef IFR_HARNESS_MISSES_OPTIONS_H
#define IFR_HARNESS_MISSES_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/commands/trace_input.h"

/* --cache SIZE:WAYS:LINE, in bytes. */
struct misses_cache {
	uint64_t bytes, ways, line;
};

struct misses_options {
	struct trace_input input;
	const char *machine, *plan, *against;
	struct misses_cache cache;
	uint64_t level, top, bytes;
	double least, most, latency, overhead; /* latency 0: the machine's */
	unsigned lengths[IFR_LOAD_CONTEXT_LENGTHS];
	size_t length_count;
	enum ifr_core_use core;
	bool json, quiet, advise;
	const char *figures;  /* a folder; NULL: none */
	const char *html;     /* the file of the page; NULL: none */
	const char *built;    /* the file of prefetches that the program was built with; NULL: none */
	const char *measured; /* the file of a comparison by the clock; NULL: none */
	const char *output;   /* the file of advice; NULL: none */
};

/* Fills in the defaults; the parser's input (ifr_misses_argp). */
void misses_options_init(struct misses_options *options);

#endif
