/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trials of interfero compare, one a command: measured, compared, printed. Private to the command. */
#ifndef IFR_HARNESS_COMPARE_TRIALS_H
#define IFR_HARNESS_COMPARE_TRIALS_H

#include "harness/commands/layout_options.h"
#include "harness/commands/report_options.h"
#include "harness/commands/compare_inputs.h"
#include "harness/commands/suite.h"
#include "harness/report/report.h"

struct compare_options {
	struct layout_options layouts;
	struct ifr_campaign campaign;
	char *names[2]; /* OLD and NEW */
	size_t name_count;
	char **arguments; /* the program's, NULL-terminated */
	int word_count;   /* of the command line, before those arguments */
	const char *suite, *junit, *html;
	bool markdown,
		libraries; /* libraries: OLD and NEW are such, and arguments begin with the program that uses them */
	struct printing_options printing;
	unsigned analyses; /* planned interim analyses, 1 at least */
	struct ifr_comparison_rules rules;
};

/* Measures programs and folders (experiments are taken as they are), compares the inputs under each command of the
 * suite, and prints the comparison. A suite of count 0 stands for the one command of the options. Returns the exit
 * status. */
int compare_all(struct compare_options *options, struct compare_inputs *inputs, const struct suite *suite);

/* Reports the experiments of a suite again: files named SUITE-COMMAND.exp, one at least. Returns the exit status. */
int compare_results(struct compare_options *options, const char *suite, const struct ifr_strings *files);

#endif
