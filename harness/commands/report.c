/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero report: what an experiment says. */
#include <stdlib.h>

#include "harness/commands/commands.h"
#include "harness/commands/output.h"

struct options {
	const char *experiment;
	struct output_options output;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->output;
		return 0;
	case ARGP_KEY_ARG:
		if (options->experiment)
			argp_error(state, "one experiment at a time, not also \"%s\"", argument);
		options->experiment = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which experiment? Name the file that \"interfero bench\" wrote");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&output_argp, 0, NULL, 0}, {0}};
const struct argp ifr_report_argp = {
	NULL,         parse,
	"EXPERIMENT", "Report what an experiment says; everything is computed from the raw samples in the file.",
	children,     NULL,
	NULL};

int ifr_command_report(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_report_argp, argc, argv, 0, NULL, &options);
	return output_report(options.experiment, &options.output, &err) ? ifr_command_failed(&err) : 0;
}
