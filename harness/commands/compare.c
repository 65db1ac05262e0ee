/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero compare: tells a change of a program from a layout effect. */
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/compare_trials.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/campaign_options.h"

enum { KEY_INTERIM = 600, KEY_SUITE = 512, KEY_LIBRARY, KEY_FAIL, KEY_JUNIT, KEY_MARKDOWN, KEY_HTML = 'H' };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct compare_options *options = state->input;
	struct ifr_error err = {0};
	uint64_t number = 0;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->campaign;
		state->child_inputs[2] = &options->printing;
		return 0;
	case ARGP_KEY_ARG:
		if (options->name_count < 2) {
			options->names[options->name_count++] = argument;
			return 0;
		}
		/* From the third word on, everything is the program's. */
		options->arguments = state->argv + state->next - 1;
		options->word_count = state->next - 2;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which programs? interfero compare OLD NEW -- args");
		return 0;
	case KEY_SUITE:
		options->suite = argument;
		return 0;
	case KEY_LIBRARY:
		options->libraries = true;
		return 0;
	case KEY_FAIL:
		if (option_percentage("--fail-above", argument, true, &options->rules.fail_above, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_INTERIM:
		if (option_number("--interim", argument, 1, IFR_INTERIM_MOST, &number, &err))
			option_refuse(state, &err);
		options->analyses = (unsigned)number;
		return 0;
	case KEY_JUNIT:
		options->junit = argument;
		if (option_output("--junit", argument, false, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_HTML:
		options->html = argument;
		if (option_output("--html", argument, false, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_MARKDOWN:
		options->markdown = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Report:", 4},
	{"fail-above", KEY_FAIL, "PCT", 0,
     "Count a change for the worse as a regression, with exit status 1, when its whole interval exceeds PCT (0%: any "
     "certain change, however small). Where none is certain, an interval within 1%, or PCT if that is more, counts "
     "as no change",
     4},
	{"library", KEY_LIBRARY, NULL, 0, "OLD and NEW are shared libraries of one soname, which PROG loads", 4},
	{"suite", KEY_SUITE, "FILE", 0,
     "Compare under many commands, one a line: NAME: ARGUMENTS. The false discovery rate is controlled over all "
     "of them, and they share the --budget",
     4},
	{"interim", KEY_INTERIM, "K", 0,
     "Plan K analyses while the layouts grow to -n. Stop early where a change is significant, or is unlikely to "
     "become so (1)",
     4},
	{"looks", KEY_INTERIM, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 4},
	{"html", KEY_HTML, "FILE", 0, "Write one self-contained HTML page", 4},
	{"junit", KEY_JUNIT, "FILE", 0, "Write JUnit XML, with a failure for each regression", 4},
	{"markdown", KEY_MARKDOWN, NULL, 0, "Print a Markdown table, for a review comment", 4},
	{0},
};
static const struct argp_child children[] = {
	{&layout_argp, 0, "Layouts:", 1}, {&campaign_argp, 0, NULL, 2}, {&printing_argp, 0, NULL, 0}, {0}};
const struct argp ifr_compare_argp = {
	table,
	parse_option,
	"OLD NEW [-- ARGS...]\n"
	"--library OLD NEW -- ./PROG [ARGS...]\n"
	"RESULT",
	"Tell whether a program changed, or only its layout. OLD and NEW are two programs built with "
	"CC=interfero-gcc (they run interleaved, with the same ARGS and the same seeds), two folders of variants, or "
	"two experiments. Of programs built otherwise the process varies alone. RESULT is the experiment of an earlier "
	"comparison, or the -o of an earlier suite, to be reported again.\v"
	"The verdict is \"change\" (the programs differ in every layout), \"layout\" (only the shipped layouts "
	"differ), \"both\", \"no change\" or \"inconclusive\". Two folders are compared program by program, by "
	"name.\n"
	"\n"
	"Exit status: 0 compared, 1 a regression, 2 usage, 3 a program or a layout of it failed, 4 the machine or a "
	"file, 130 interrupted.",
	children,
	NULL,
	NULL};

static int check_options(const struct compare_options *options, const struct compare_inputs *inputs,
                         struct ifr_error *err) {
	bool taken = inputs->input[0].kind == INPUT_EXPERIMENT;
	if (taken && (options->suite || options->arguments))
		return ifr_fail(err, IFR_E_USAGE, "%s is an experiment, which is not run again: leave out the command",
		                options->names[0]);
	if (taken && options->campaign.driven)
		return ifr_fail(err, IFR_E_USAGE, "%s is an experiment, which is not run again: leave out --program",
		                options->names[0]);
	if (options->campaign.spread && (taken || options->analyses > 1))
		return ifr_fail(err, IFR_E_USAGE, "--on does not go together with --interim, and needs programs to run");
	if (inputs->libraries && inputs->count < 2)
		return ifr_fail(err, IFR_E_USAGE, "--library compares two libraries: name the other one, too");
	if (inputs->libraries && !options->suite && !options->arguments)
		return ifr_fail(err, IFR_E_USAGE,
		                "which program uses the libraries? interfero compare --library OLD NEW -- ./prog args");
	if (inputs->libraries && options->campaign.driven)
		return ifr_fail(err, IFR_E_USAGE,
		                "--library and --program exclude each other: a driver starts one program");
	if (options->suite && options->analyses > 1)
		return ifr_fail(err, IFR_E_USAGE,
		                "--interim and --suite each correct for many tests in their own way: choose one of them");
	if (options->analyses > 1 && options->campaign.metrics && !options->printing.metric)
		return ifr_fail(err, IFR_E_USAGE, "--interim decides by one benchmark: name it with --metric");
	if (options->suite && options->arguments)
		return ifr_fail(err, IFR_E_USAGE, "with --suite the arguments stand in the file, not also behind --");
	return 0;
}

int ifr_command_compare(int argc, char **argv) {
	struct compare_options options = {.analyses = 1};
	struct compare_inputs inputs;
	struct suite suite = {0};
	struct ifr_strings results = {0};
	struct ifr_error err = {0};
	layout_options_init(&options.layouts, 32);
	campaign_options_init(&options.campaign);
	options.word_count = argc - 1;
	argp_parse(&ifr_compare_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	char *words = options.suite ? NULL : campaign_options_keep(argv + 1, options.word_count);
	options.campaign.options = words;
	options.rules.margin = options.rules.fail_above > 0 ? options.rules.fail_above : 0.01;
	catch_interrupts();
	if (options.name_count == 1 && !options.suite && !options.arguments)
		suite_find_results(options.names[0], &results);
	if (results.count) {
		int status = compare_results(&options, options.names[0], &results);
		ifr_strings_release(&results);
		return status;
	}
	int result = compare_inputs_find(options.names, options.name_count, options.libraries, &inputs, &err);
	if (!result)
		result = check_options(&options, &inputs, &err);
	if (!result)
		result = compare_inputs_find_kits(&inputs, &options.layouts, options.printing.quiet, &err);
	if (!result && options.suite)
		result = suite_read(options.suite, &suite, &err);
	int status = result ? ifr_command_failed(&err) : compare_all(&options, &inputs, &suite);
	free(words);
	suite_release(&suite);
	compare_inputs_release(&inputs);
	campaign_options_release(&options.campaign);
	ifr_plan_release(&options.layouts.parameters);
	return status;
}
