/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero merge: makes one experiment of several. */
#include <inttypes.h>

#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/store/store.h"

struct options {
	const char *output;
	bool quiet;
	char **parts;
	size_t count;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'o':
		options->output = argument;
		if (option_output("-o", argument, false, &err))
			option_refuse(state, &err);
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->parts = state->argv + state->next;
		options->count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which experiments? interfero merge -o ALL.exp PART.exp...");
		return 0;
	case ARGP_KEY_END:
		if (!options->output)
			argp_error(state, "where to? Name the merged experiment with -o");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"output", 'o', "EXPERIMENT", 0, "The merged experiment; one of an earlier merge gets what it lacks", 0},
	{"quiet", 'q', NULL, 0, "Print errors only", 0},
	{0},
};
const struct argp ifr_merge_argp = {
	table,
	parse_option,
	"-o EXPERIMENT PART...",
	"Make one experiment of several of the same program, seed and options, which other machines measured, or this "
	"one at other times.\v"
	"Each run keeps its machine and its time. No run counts twice: a part that is given again, or that overlaps "
	"with another, adds what is missing. Parts of another program, seed, option or unit are refused, and then "
	"nothing is merged. For several machines:\n"
	"\n"
	"  interfero bench -n 32 --seed 1 -o here.exp -- ./prog args\n"
	"  interfero pack here.exp            # carry here.exp.bundle to the other\n"
	"  interfero bench --again here.exp.bundle -o there.exp\n"
	"  interfero merge -o all.exp here.exp there.exp\n"
	"\n"
	"Exit status: 0 merged, 2 usage or parts that do not belong together, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

int ifr_command_merge(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	struct ifr_merge_result done;
	argp_parse(&ifr_merge_argp, argc, argv, 0, NULL, &options);
	if (ifr_experiment_merge(options.output, options.parts, options.count, &done, &err))
		return ifr_command_failed(&err);
	if (!options.quiet)
		ifr_command_note("%s got %" PRIu64 " runs with %" PRIu64 " samples of %" PRIu64 " parts; it had %" PRIu64
		                 " runs already",
		                 options.output, done.runs, done.samples, done.parts, done.held);
	if (!options.quiet && done.other)
		ifr_command_note("%" PRIu64 " of these began at another time: two continuations of one experiment; the "
		                 "first stays",
		                 done.other);
	return 0;
}
