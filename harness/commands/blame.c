/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero blame: which code is it? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/campaign/confirmation.h"
#include "harness/commands/campaign_options.h"
#include "harness/store/experiment.h"
#include "harness/exec/launch.h"

struct options {
	struct ifr_campaign campaign;
	const char *experiment, *metric;
	bool confirm;
};

enum { KEY_CONFIRM = 512 };

static error_t parse(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->campaign;
		return 0;
	case ARGP_KEY_ARG:
		if (!options->experiment) {
			options->experiment = argument;
			return 0;
		}
		options->campaign.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!options->experiment)
			argp_error(state, "which experiment? Name the file that \"interfero bench\" wrote");
		if (options->confirm != (options->campaign.argv != NULL))
			argp_error(state, "--confirm runs the program: interfero blame EXPERIMENT --confirm -- ./prog args");
		return 0;
	case KEY_CONFIRM:
		options->confirm = true;
		return 0;
	case 'm':
		options->metric = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"metric", 'm', "COUNTER", 0, "What to explain (cycles where there are any, else cpu_time)", 1},
	{"confirm", KEY_CONFIRM, NULL, 0,
     "Move the top finding's unit alone, and measure afresh with the command behind --", 1},
	{0},
};
static const struct argp_child children[] = {{&campaign_argp, 0, NULL, 2}, {NULL, 0, NULL, 0}};
const struct argp ifr_blame_argp = {
	table,
	parse,
	"EXPERIMENT [--confirm -- ./PROG ARGS...]",
	"Which code makes the layouts differ? For every unit, does it matter where in a line of 64 bytes, in 32, in "
	"16, or in "
	"which page it begins, and which other unit it meets in a cache set? The false discovery rate over all of "
	"these "
	"questions is 5 %.\v"
	"Random layouts are an experiment over all units at once, whose plans say where each lay. --confirm takes the "
	"surest "
	"finding that is not about pages, makes every layout of the experiment twice, with that unit at its best and "
	"at "
	"its worst place (apart from the unit that it meets, and meeting it), and compares the two (into "
	"EXPERIMENT.confirm, or -o).",
	children,
	NULL,
	NULL};

static void put(const struct ifr_buffer *text) {
	fwrite(text->data, 1, text->length, stdout);
	fflush(stdout);
}

static int blame(struct options *options, struct intervention *intervention, struct ifr_error *err) {
	struct ifr_code code = {0};
	struct ifr_buffer text = {0};
	int result = ifr_code_find(intervention->report, &intervention->addresses, &code, err);
	if (!result) {
		ifr_code_text(intervention->report, &code, &text);
		put(&text);
		ifr_buffer_clear(&text);
	}
	if (!result && options->confirm && !code.found)
		ifr_command_note("there is nothing to confirm");
	else if (!result && options->confirm)
		result = intervene(intervention, &code, &options->campaign, &text, err);
	if (!result && text.length)
		put(&text);
	ifr_buffer_release(&text);
	ifr_code_release(&code);
	return result;
}

static int run(struct options *options, struct ifr_error *err) {
	struct ifr_dataset dataset;
	struct intervention intervention = {
		.dataset = &dataset, .experiment = options->experiment, .metric = options->metric};
	struct ifr_kit kit;
	ifr_kit_init(&kit);
	int result = ifr_experiment_load(options->experiment, &dataset, err);
	if (result)
		return result;
	const char *key = ifr_dataset_fact(&dataset, "kit");
	if (ifr_dataset_fact(&dataset, "programs"))
		result = ifr_fail(err, IFR_E_USAGE, "%s holds two programs: blame takes what \"interfero bench\" wrote",
		                  options->experiment);
	if (!result && !key)
		result =
			ifr_fail(err, IFR_E_USAGE, "%s names no kit: where its units lay is not known", options->experiment);
	if (!result)
		result = ifr_report_analyse(&dataset, options->metric, &intervention.report, err);
	if (!result)
		result = ifr_kit_load(key, &kit, err);
	if (!result)
		result = ifr_relinker_open(&kit, &intervention.relinker, err);
	if (!result)
		result = ifr_addresses_find(intervention.relinker, &dataset, &intervention.addresses, err);
	if (!result)
		ifr_addresses_find_sources(&kit, intervention.relinker, &intervention.addresses);
	if (!result)
		result = blame(options, &intervention, err);
	ifr_addresses_release(&intervention.addresses);
	ifr_relinker_close(intervention.relinker);
	ifr_kit_release(&kit);
	ifr_report_free(intervention.report);
	ifr_dataset_release(&dataset);
	return result;
}

int ifr_command_blame(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	campaign_options_init(&options.campaign);
	argp_parse(&ifr_blame_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	catch_interrupts();
	int status = run(&options, &err) ? ifr_command_failed(&err) : 0;
	ifr_strings_release(&options.campaign.environment);
	return ifr_launch_interrupted() ? STOPPED_BY_INTERRUPT : status;
}
