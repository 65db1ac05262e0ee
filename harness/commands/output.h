/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the report of an experiment goes; shared by bench and report. */
#ifndef IFR_HARNESS_OUTPUT_H
#define IFR_HARNESS_OUTPUT_H

#include <argp.h>
#include <stdbool.h>

#include "common/error.h"

struct output_options {
	const char *html, *figures, *metric;
	bool json, quiet;
};
extern const struct argp output_argp;

/* Reads the experiment and writes all that was asked for; the text, or JSON, goes to standard output. */
int output_report(const char *experiment, const struct output_options *options, struct ifr_error *err);

#endif
