/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero probe: finds out how a processor is organised by running on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/strings.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/progress.h"
#include "harness/probe/probe.h"
#include "model/model.h"

struct options {
	struct ifr_probe_options probe;
	const char *output, *html, *experiment;
	struct ifr_strings settings; /* of the experiment */
	bool json, quiet, keep, budget_given;
};

enum {
	KEY_MACHINE = 256,
	KEY_SEED,
	KEY_ONLY,
	KEY_BUDGET,
	KEY_KEEP,
	KEY_RESUME,
	KEY_HTML,
	KEY_EXPERIMENT,
	KEY_SOURCE
};

/* An experiment has figures of its own and makes no description; what stands behind it are its parameters. */
static void check_experiment(const struct options *options, struct argp_state *state) {
	if (!options->experiment && options->settings.count)
		argp_error(state, "nothing more is needed: \"%s\"", options->settings.items[0]);
	if (options->experiment && (options->output || options->html || options->keep || options->probe.resume))
		argp_error(state, "--experiment prints figures: leave -o, --html, --keep and --resume out");
	if (options->experiment && options->probe.events == IFR_PROBE_EVENTS_NEEDED)
		argp_error(state, "--experiment is by the clock: leave --source out");
}

static int read_source(const char *argument, struct ifr_probe_options *options, struct ifr_error *err) {
	static const char *const names[] = {[IFR_PROBE_EVENTS_AUTO] = "auto",
	                                    [IFR_PROBE_EVENTS_NEEDED] = "events",
	                                    [IFR_PROBE_EVENTS_LEFT_OUT] = "clock"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(argument, names[i])) {
			options->events = (enum ifr_probe_events)i;
			return 0;
		}
	return ifr_fail(err, IFR_E_USAGE, "--source is auto, events or clock, not \"%.60s\"", argument);
}

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
	case KEY_HTML:
		options->html = argument;
		rc = option_output("--html", argument, false, &err);
		break;
	case KEY_KEEP:
		options->keep = true;
		break;
	case KEY_RESUME:
		options->probe.resume = true;
		break;
	case KEY_ONLY:
		rc = ifr_probe_parts_find(argument, &options->probe.parts, &err);
		break;
	case KEY_BUDGET:
		rc = option_duration("--budget", argument, &options->probe.budget_ns, &err);
		options->budget_given = true;
		break;
	case KEY_EXPERIMENT:
		options->experiment = argument;
		break;
	case KEY_SOURCE:
		rc = read_source(argument, &options->probe, &err);
		break;
	case KEY_SEED:
		rc = option_number("--seed", argument, 1, UINT64_MAX, &options->probe.seed, &err);
		break;
	case ARGP_KEY_END:
		if (options->probe.machine && (options->keep || options->probe.resume))
			argp_error(state, "%s is of this machine: leave --machine out", options->keep ? "--keep" : "--resume");
		if (options->probe.machine && options->probe.events != IFR_PROBE_EVENTS_AUTO)
			argp_error(state, "--source is of this machine: leave --machine or --source out");
		check_experiment(options, state);
		break;
	case ARGP_KEY_ARG:
		ifr_strings_add(&options->settings, argument);
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
     "Probe a described machine in the model, by its events, instead of this one: NAME or FILE, with "
     "changes: p6,btb1.ways=2",
     1},
	{NULL, 'm', "MACHINE", OPTION_HIDDEN, NULL, 0},
	{"only", KEY_ONLY, "PARTS", 0,
     "Some of cycle, btb, history, return, caches, tlbs, memory, penalty, front and core, with commas (all)", 1},
	{"experiment", KEY_EXPERIMENT, "NAME", 0,
     "Run one experiment with parameters of your own, and print its figures: --experiment branches "
     "branches=512 distance=4..512*2; \"help\" lists all, with their parameters, ranges and defaults",
     1},
	{"source", KEY_SOURCE, "SOURCE", 0,
     "Of this machine: events (perf's, and the clock for what they do not tell; fails where there are none), clock, or "
     "auto: events where perf has them, else the clock (auto)",
     1},
	{"budget", KEY_BUDGET, "TIME", 0, "Time for measurements by the clock (3min; of an experiment 10s)", 1},
	{"resume", KEY_RESUME, NULL, 0, "Go on behind the last part of a probe by the clock that was interrupted", 1},
	{"seed", KEY_SEED, "N", 0, "Seed of random orders and outcomes (1)", 1},
	{"output", 'o', "FILE", 0, "Write a description of the machine, for --machine FILE of other commands", 2},
	{"keep", KEY_KEEP, NULL, 0,
     "Keep the description for this processor: --machine native of other commands takes it from then on", 2},
	{"html", KEY_HTML, "FILE", 0, "Write a page with the table and a plot of each curve", 2},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 2},
	{"quiet", 'q', NULL, 0, "No progress", 2},
	{0},
};
const struct argp ifr_probe_argp = {
	table,
	parse_option,
	"[PARAMETER=VALUES...]",
	"Find out how a processor is organised by running on it: BTB, outcome predictor, return stack, caches, TLBs, "
	"front end and core, and the cycles that each of their misses costs.\v"
	"On this machine small loops are timed, which differ in one thing; no counters are needed. Where perf has the "
	"processor's events, branches, caches and TLBs are told by them, and the clock tells the rest. Where neither makes "
	"a value clear, it is \"not told\". On a described machine the same loops are replayed in the model and their "
	"events counted: every value comes back as the description has it.\n"
	"\n"
	"The description that -o writes has the measured values, each with its experiment and interval, and those of the "
	"nearest built-in description for the rest. --keep writes it to $XDG_CONFIG_HOME/interfero or ~/.config/interfero, "
	"under a name of the processor's family, model and stepping by CPUID: other processors do not take it. Remove the "
	"file to take the nearest description again.\n"
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

/* Where this processor's description is kept, which a probe has to make first. */
static int keep_description(const struct ifr_probe_result *result, struct ifr_error *err) {
	char *path = NULL, *folder = NULL;
	int rc = ifr_machine_kept_path("cfg", &path, err);
	if (!rc) {
		folder = ifr_path_dir(path);
		rc = ifr_dir_make(folder, err);
	}
	if (!rc)
		rc = write_description(result, path, err);
	if (!rc)
		ifr_command_note("--machine native is now %s", path);
	free(folder);
	free(path);
	return rc;
}

static int write_page(const struct ifr_probe_result *result, const char *path, struct ifr_error *err) {
	struct ifr_buffer page = {0};
	ifr_probe_html(result, &page);
	const int rc = ifr_file_write(path, page.data, page.length, 0666, err);
	ifr_buffer_release(&page);
	return rc;
}

static int run_experiment(const struct options *options, struct ifr_error *err) {
	const int64_t of_experiment_ns = INT64_C(10000000000);
	const struct ifr_probe_trial_options trial_options = {
		.experiment = options->experiment,
		.settings = (const char *const *)options->settings.items,
		.settings_count = options->settings.count,
		.machine = options->probe.machine,
		.seed = options->probe.seed,
		.budget_ns = options->budget_given ? options->probe.budget_ns : of_experiment_ns};
	struct ifr_probe_trial *trial = NULL;
	struct ifr_buffer text = {0};
	const bool help = !strcmp(options->experiment, "help");
	int rc = help ? 0 : ifr_probe_trial_run(&trial_options, &trial, err);
	if (help)
		ifr_probe_experiments_print(&text);
	else if (!rc && options->json)
		ifr_probe_trial_json(trial, &text);
	else if (!rc)
		ifr_probe_trial_text(trial, &text);
	if (!rc)
		rc = ifr_command_print(&text, err);
	ifr_buffer_release(&text);
	ifr_probe_trial_free(trial);
	return rc;
}

int ifr_command_probe(int argc, char **argv) {
	struct options options = {
		.probe = {.parts = (1u << IFR_PROBE_PARTS) - 1, .seed = 1, .budget_ns = INT64_C(180000000000)}};
	struct ifr_probe_result result = {0};
	struct ifr_buffer text = {0};
	struct ifr_error err = {0};
	argp_parse(&ifr_probe_argp, argc, argv, 0, NULL, &options);
	if (options.experiment) {
		const int failed = run_experiment(&options, &err);
		ifr_strings_release(&options.settings);
		return failed ? ifr_command_failed(&err) : 0;
	}
	const bool shown = progress_wanted(options.quiet);
	char *partial = NULL;
	options.probe.progress = shown ? show_progress : NULL;
	/* Without a place for it a probe is not resumed. */
	int rc = options.probe.machine ? 0 : ifr_machine_kept_path("partial", &partial, &err);
	options.probe.partial = partial;
	if (!options.probe.resume)
		rc = 0;
	if (!rc)
		rc = ifr_probe_run(&options.probe, &result, &err);
	if (shown)
		progress_clear();
	if (!rc && options.output)
		rc = write_description(&result, options.output, &err);
	if (!rc && options.html)
		rc = write_page(&result, options.html, &err);
	if (!rc && options.keep)
		rc = keep_description(&result, &err);
	if (!rc) {
		if (options.json)
			ifr_probe_json(&result, &text);
		else
			ifr_probe_text(&result, &text);
		rc = ifr_command_print(&text, &err);
	}
	ifr_buffer_release(&text);
	ifr_probe_release(&result);
	free(partial);
	return rc ? ifr_command_failed(&err) : 0;
}
