/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of reports: printing_options for every command that compares layouts, output_options for bench and
 * report, which also write files. */
#ifndef IFR_HARNESS_REPORT_OPTIONS_H
#define IFR_HARNESS_REPORT_OPTIONS_H

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
	bool csv;
	bool median_runs; /* counters of a layout from its run of median metric */
	struct printing_options printing;
};
extern const struct argp output_argp;

/* Reports an experiment: text, JSON or CSV on standard output, and the page and figures of the options. Errors:
 * IFR_E_USAGE for the experiment of a comparison, but for CSV; those of reading and writing. */
int output_report(const char *experiment, const struct output_options *options, struct ifr_error *err);

#endif
