/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero bench: measures many layouts of a program and reports them. */
#include <stdlib.h>
#include <string.h>

#include "harness/commands/rerun.h"
#include "harness/commands/commands.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/report_options.h"

struct options {
	struct layout_options layouts;
	struct output_options output;
	struct ifr_campaign campaign;
	unsigned analyses; /* 0: not given */
	const char *again; /* the experiment or bundle to repeat */
	char *words;       /* of the command line before the program */
	double width;      /* stop at this width of the mean's interval, relative to the mean; 0: no such stop */
};

enum { KEY_LIBRARY = 1024, KEY_INTERIM, KEY_UNTIL, KEY_AGAIN, ANALYSES_UNTIL = 10 };

/* --again takes layouts, runs, counters and conditions from the experiment. */
static void check_again(const struct options *options, struct argp_state *state) {
	const struct ifr_campaign *campaign = &options->campaign;
	struct layout_options layouts;
	struct ifr_campaign usual;
	layout_options_init(&layouts, 32);
	campaign_options_init(&usual);
	if (campaign->argv)
		argp_error(state, "--again runs the command of %s: leave out the program", options->again);
	if (options->layouts.variants != layouts.variants || options->layouts.seed_given ||
	    options->layouts.axes_given || options->layouts.sweeps.count ||
	    ifr_plan_axes(&options->layouts.parameters) || campaign->repetitions != usual.repetitions ||
	    strcmp(campaign->counters, usual.counters) || campaign->stdin_file || campaign->environment.count ||
	    campaign->marker || campaign->library || campaign->expected_exit || campaign->ignore_output ||
	    campaign->keep_aslr || campaign->one_file || options->analyses || options->width > 0)
		argp_error(
			state,
			"--again repeats %s as it was: beside it stand only --output, --fresh, --budget, --timeout, --cpu, "
			"--keep, --metric and --quiet",
			options->again);
	if (options->output.html || options->output.figures || options->output.csv || options->output.printing.json)
		argp_error(state, "--again prints a comparison: \"interfero report\" then reports the new experiment");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	uint64_t number = 0;
	switch (key) {
	case KEY_INTERIM:
		if (option_number("--interim", argument, 1, IFR_INTERIM_MOST, &number, &err))
			option_refuse(state, &err);
		options->analyses = (unsigned)number;
		return 0;
	case KEY_UNTIL:
		if (option_percentage("--until", argument, false, &options->width, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_AGAIN:
		options->again = argument;
		return 0;
	case KEY_LIBRARY:
		options->campaign.library = argument;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->campaign;
		state->child_inputs[2] = &options->output;
		state->child_inputs[3] = &options->layouts;
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->campaign.argv = state->argv + state->next - 1;
		free(options->words);
		options->campaign.options = options->words = campaign_options_keep(state->argv + 1, state->next - 2);
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!options->again)
			argp_error(state, "which program? interfero bench -- ./prog args");
		return 0;
	case ARGP_KEY_END:
		if (options->campaign.spread && (options->again || options->analyses || options->width > 0))
			argp_error(state, "--on does not go together with --again, --interim and --until");
		if (options->again)
			check_again(options, state);
		if (options->layouts.sweeps.count && (options->analyses || options->width > 0))
			argp_error(state,
			           "a sweep has a value for each layout, and no random ones to add: leave out --interim and "
			           "--until");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"library", KEY_LIBRARY, "FILE", 0, "Vary this shared library, which PROG loads, instead of PROG", 1},
	{"again", KEY_AGAIN, "OLD", 0,
     "Run the campaign of this experiment or bundle (\"interfero pack\") again, as it was, into -o "
     "(OLD-again.exp), and say whether the layouts agree and what differs",
     1},
	{"interim", KEY_INTERIM, "K", 0,
     "Plan K analyses while the layouts grow to -n (such as -n 300 --interim 3). Stop early where a counter's "
     "regression line (without counters: the difference between layouts) is significant, or is unlikely to "
     "become so (1)",
     1},
	{"looks", KEY_INTERIM, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 1},
	{"until", KEY_UNTIL, "PCT", 0,
     "Stop when the 95% interval of the mean is no wider than PCT of the mean; tested at --interim analyses (10)",
     1},
	{NULL, 0, NULL, 0, "Report:", 4},
	{0},
};
static const struct argp_child children[] = {{&layout_argp, 0, "Layouts:", 1},
                                             {&campaign_argp, 0, NULL, 2},
                                             {&output_argp, 0, NULL, 4},
                                             {&sweep_argp, 0, NULL, 1},
                                             {0}};
const struct argp ifr_bench_argp = {
	table,
	parse_option,
	"-- ./PROG [ARGS...]\n"
	"--again OLD",
	"Measure many layouts of a program. The report says how far apart they are, which is best and worst, and "
	"where the shipped layout stands among them.\v"
	"Build PROG (or the library of --library) with CC=interfero-gcc first, so that its code and data vary. Of any other "
	"program the stack, heap, blocks, mappings and file copies vary. The layouts run interleaved, each run "
	"in a fresh process with ASLR off, pinned to one processor.\n"
	"\n"
	"Exit status: 0 measured, 2 usage, 3 the program or a layout of it failed, 4 the machine or a file, 130 "
	"interrupted.",
	children,
	NULL,
	NULL};

static int report(const char *experiment, void *context, struct ifr_error *err) {
	const struct options *options = context;
	return output_report(experiment, &options->output, err);
}

static void choose_stopping_rule(const struct options *options, struct ifr_stopping_rule *rule) {
	unsigned layouts = options->layouts.variants;
	if (options->width > 0)
		ifr_stop_at_width(rule, options->analyses ? options->analyses : ANALYSES_UNTIL, layouts, options->width);
	else
		ifr_stop_at_significance(rule, options->analyses ? options->analyses : 1, layouts);
	rule->metric = options->output.printing.metric;
	rule->say = ifr_command_say;
}

int ifr_command_bench(int argc, char **argv) {
	struct options options = {0};
	layout_options_init(&options.layouts, 32);
	campaign_options_init(&options.campaign);
	argp_parse(&ifr_bench_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	options.campaign.metric = options.output.printing.metric;
	if (options.again) {
		int status = rerun_experiment(options.again, &options.campaign, options.output.printing.metric,
		                              options.output.printing.quiet);
		campaign_options_release(&options.campaign);
		return status;
	}
	struct ifr_stopping_rule rule;
	struct ifr_error err = {0};
	if (options.campaign.metrics && !options.output.printing.metric && (options.analyses || options.width > 0)) {
		ifr_fail(&err, IFR_E_USAGE, "--interim and --until decide by one benchmark: name it with --metric");
		return ifr_command_failed(&err);
	}
	choose_stopping_rule(&options, &rule);
	int status = campaign_options_run(&options.campaign, &options.layouts, options.output.printing.quiet, "exp",
	                                  &rule, report, &options);
	free(options.words);
	return status;
}
