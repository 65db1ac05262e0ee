/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What interfero compare was asked for, and doing it. Private to the command. */
#ifndef IFR_HARNESS_COMPARING_H
#define IFR_HARNESS_COMPARING_H

#include "harness/commands/layout_options.h"
#include "harness/commands/report_options.h"
#include "harness/commands/compared.h"
#include "harness/commands/suite.h"
#include "harness/report/report.h"

struct compare_options {
	struct layout_options layouts;
	struct ifr_campaign campaign;
	char *names[2]; /* OLD and NEW */
	size_t name_count;
	char **arguments; /* the program's, NULL-terminated */
	const char *suite, *junit, *html;
	bool markdown;
	struct printing_options printing;
	unsigned analyses; /* planned interim analyses, 1 at least */
	struct ifr_comparison_rules rules;
};

/* Measures what is to be measured, compares, prints. Without a suite (count 0) there is one command. Returns the
 * exit status. */
int compare_all(struct compare_options *options, struct subjects *subjects, const struct suite *suite);

#endif
