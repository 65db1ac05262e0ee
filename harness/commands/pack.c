/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero pack: packs an experiment with all that it needs to run again elsewhere. */
#include <stdlib.h>

#include "common/file.h"
#include "harness/bundle/bundle.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"

struct options {
	const char *experiment, *output;
	bool quiet;
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
	case ARGP_KEY_ARG:
		if (options->experiment)
			argp_error(state, "one experiment at a time, not also \"%s\"", argument);
		options->experiment = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->experiment)
			argp_error(state, "which experiment? Name the file that \"interfero bench\" wrote");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"output", 'o', "BUNDLE", 0, "The file to write (EXPERIMENT.bundle)", 0},
	{"quiet", 'q', NULL, 0, "Print errors only", 0},
	{0},
};
const struct argp ifr_pack_argp = {
	table,
	parse_option,
	"EXPERIMENT",
	"Pack an experiment with all that it needs to run again: programs, kits, plans, the program's own libraries, "
	"standard input, and the files that the command names below its folder.\v"
	"A bundle is a zstd-compressed tar file, which tar lists and unpacks. It also holds the environment of --env: "
	"leave out what is secret. To run it again, here or on another machine:\n"
	"\n"
	"  interfero bench --again EXPERIMENT.bundle\n"
	"\n"
	"That runs the program in the bundle, as you: take bundles from people whom you trust.\n"
	"\n"
	"Exit status: 0 packed, 2 usage, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

int ifr_command_pack(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	struct ifr_strings left_out = {0};
	argp_parse(&ifr_pack_argp, argc, argv, 0, NULL, &options);
	char *name = ifr_format("%s.bundle", options.experiment);
	const char *file = options.output ? options.output : name;
	int result = ifr_bundle_pack(options.experiment, file, &left_out, &err);
	for (size_t i = 0; i < left_out.count && !result && !options.quiet; i++)
		ifr_command_say(left_out.items[i]);
	if (!result && !options.quiet)
		ifr_command_note("%s runs again with: interfero bench --again %s", file, file);
	ifr_strings_release(&left_out);
	free(name);
	return result ? ifr_command_failed(&err) : 0;
}
