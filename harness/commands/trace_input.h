/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of commands on one execution: a trace, or a program behind "--" that is recorded first. */
#ifndef IFR_HARNESS_TRACE_INPUT_H
#define IFR_HARNESS_TRACE_INPUT_H

#include <argp.h>
#include <stdbool.h>

#include "harness/simulate/simulate.h"

struct trace_input {
	const char *trace;                      /* NULL: a program */
	struct ifr_recording_request recording; /* of the program, which is its argv */
	struct ifr_strings environment;
	const char *kept; /* the recording's file; NULL: a temporary one */
};

/* Parses both, and the options of a recording; its input is a struct trace_input, all 0 before. */
extern const struct argp trace_input_argp;

/* Opens the trace, or records one, with progress on a terminal unless quiet. *status: the exit status of the program, 0
 * of a trace. Errors: those of recordings and traces. */
int trace_input_open(struct trace_input *input, bool quiet, struct ifr_trace **trace, int *status,
                     struct ifr_error *err);
void trace_input_release(struct trace_input *input);

#endif
