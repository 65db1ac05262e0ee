/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero bench: the main job. */
#include "harness/commands/commands.h"
#include "harness/commands/measuring.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"

struct options {
	struct family_options family;
	struct output_options output;
	struct ifr_campaign campaign;
};

enum { KEY_LIBRARY = 1024 };

static error_t parse(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case KEY_LIBRARY:
		options->campaign.library = argument;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->family;
		state->child_inputs[1] = &options->campaign;
		state->child_inputs[2] = &options->output;
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->campaign.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero bench -- ./prog args");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"library", KEY_LIBRARY, "FILE", 0, "Lay out this shared library anew, which PROG uses, not PROG itself", 1},
	{0},
};
static const struct argp_child children[] = {
	{&family_argp, 0, "Layouts:", 1}, {&measuring_argp, 0, NULL, 2}, {&output_argp, 0, "Report:", 4}, {0}};
const struct argp ifr_bench_argp = {
	table,
	parse,
	"-- ./PROG [ARGS...]",
	"Measure many layouts of a program: how far apart they are, which is best and "
	"worst, and where the layout that ships "
	"stands.\v"
	"PROG, or with --library that library, must have been built with CC=interfero-gcc. All layouts run "
	"interleaved, each in a fresh process with ASLR off, "
	"pinned to one processor. Exit status: 0 measured, 2 usage, 3 the program or "
	"a layout of it failed, 4 the machine or a "
	"file, 130 interrupted.",
	children,
	NULL,
	NULL};

static int report(const char *experiment, void *context, struct ifr_error *err) {
	const struct options *options = context;
	return output_report(experiment, &options->output, err);
}

int ifr_command_bench(int argc, char **argv) {
	struct options options = {0};
	family_options_init(&options.family, 32);
	measuring_init(&options.campaign);
	argp_parse(&ifr_bench_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	return measuring_run(&options.campaign, &options.family, options.output.quiet, "exp", report, &options);
}
