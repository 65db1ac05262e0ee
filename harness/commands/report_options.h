/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is reported of an experiment, and where it goes: printing for every command that compares layouts, output
 * for bench and report. */
#ifndef IFR_HARNESS_OUTPUT_H
#define IFR_HARNESS_OUTPUT_H

#include <argp.h>
#include <stdbool.h>

#include "common/error.h"

struct printing_options {
	const char *metric; /* NULL: cycles where there are any, else cpu_time */
	bool json, quiet;
};
extern const struct argp printing_argp;

struct output_options {
	const char *html, *figures;
	struct printing_options printing;
};
extern const struct argp output_argp;

/* Reads the experiment and writes all that was asked for; the text, or JSON, goes to standard output. */
int output_report(const char *experiment, const struct output_options *options, struct ifr_error *err);

#endif
