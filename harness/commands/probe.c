/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero probe: finds out how a processor is organised by running on it. */
#include <stdio.h>
#include <stdlib.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/progress.h"
#include "harness/probe/probe.h"

struct options {
	struct ifr_probe_options probe;
	const char *output;
	bool json, quiet;
};

enum { KEY_MACHINE = 256, KEY_SEED, KEY_ONLY, KEY_BUDGET };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	int rc = 0;
	switch (key) {
	case 'm':
		ifr_command_note("-m is the metric in other commands: write --machine %s", argument);
		/* fall through */
	case KEY_MACHINE:
		rc = machine_option(argument, &options->probe.machine, &err);
		break;
	case 'o':
		options->output = argument;
		rc = option_output("-o", argument, false, &err);
		break;
	case 'j':
		options->json = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case KEY_ONLY:
		rc = ifr_probe_parts_find(argument, &options->probe.parts, &err);
		break;
	case KEY_BUDGET:
		rc = option_duration("--budget", argument, &options->probe.budget_ns, &err);
		break;
	case KEY_SEED:
		rc = option_number("--seed", argument, 1, UINT64_MAX, &options->probe.seed, &err);
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "nothing more is needed: \"%s\"", argument);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option table[] = {
	{"machine", KEY_MACHINE, "MACHINE", 0,
     "Probe a described machine in the model, by its events, instead of this one by the clock: NAME or FILE, with "
     "changes: p6,btb1.ways=2",
     1},
	{NULL, 'm', "MACHINE", OPTION_HIDDEN, NULL, 0},
	{"only", KEY_ONLY, "PARTS", 0, "Some of cycle,btb,history,return,caches,tlbs,memory,penalty (all)", 1},
	{"budget", KEY_BUDGET, "TIME", 0, "Time for measurements by the clock (3min)", 1},
	{"seed", KEY_SEED, "N", 0, "Seed of random orders and outcomes (1)", 1},
	{"output", 'o', "FILE", 0, "Write a description of the machine, for --machine FILE of other commands", 2},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 2},
	{"quiet", 'q', NULL, 0, "No progress", 2},
	{0},
};
const struct argp ifr_probe_argp = {
	table,
	parse_option,
	NULL,
	"Find out how a processor is organised by running on it: BTB, outcome predictor, return stack, caches, TLBs, and "
	"the cycles that each of their misses costs.\v"
	"On this machine small loops are timed, which differ in one thing; no counters are needed. Where the times do not "
	"make a value clear, it is \"not told\". On a described machine the same loops are replayed in the model and their "
	"events counted: every value comes back as the description has it.\n"
	"\n"
	"The description that -o writes has the measured values, each with its experiment and interval, and those of the "
	"nearest built-in description for the rest.\n"
	"\n"
	"Exit status: 0 probed, 2 usage, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

static void show_progress(unsigned done, unsigned planned, int64_t left_ns) {
	progress_show(done, planned, left_ns);
}

static int write_description(const struct ifr_probe_result *result, const char *path, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int rc = ifr_probe_description(result, &text, err);
	if (!rc)
		rc = ifr_file_write(path, text.data, text.length, 0666, err);
	ifr_buffer_release(&text);
	return rc;
}

int ifr_command_probe(int argc, char **argv) {
	struct options options = {
		.probe = {.parts = (1u << IFR_PROBE_PARTS) - 1, .seed = 1, .budget_ns = INT64_C(180000000000)}};
	struct ifr_probe_result result = {0};
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_probe_argp, argc, argv, 0, NULL, &options);
	const bool shown = progress_wanted(options.quiet);
	options.probe.progress = shown ? show_progress : NULL;
	int rc = ifr_probe_run(&options.probe, &result, &err);
	if (shown)
		progress_clear();
	if (!rc && options.output)
		rc = write_description(&result, options.output, &err);
	if (!rc) {
		if (options.json)
			ifr_probe_json(&result, &text);
		else
			ifr_probe_text(&result, &text);
		rc = ifr_command_print(&text, &err);
	}
	ifr_buffer_release(&text);
	ifr_probe_release(&result);
	return rc ? ifr_command_failed(&err) : 0;
}
