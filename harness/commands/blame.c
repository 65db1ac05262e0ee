/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero blame: attributes the differences between layouts to the code that causes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/campaign/campaign.h"
#include "harness/report/report.h"
#include "harness/commands/progress.h"
#include "harness/commands/campaign_options.h"
#include "harness/store/store.h"
#include "harness/exec/exec.h"

struct options {
	struct ifr_campaign campaign;
	const char *experiment, *metric;
	bool confirm;
};

enum { KEY_CONFIRM = 512 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
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
	{"metric", 'm', "COUNTER", 0, "The metric to explain (cycles where counted, else cpu_time)", 1},
	{"confirm", KEY_CONFIRM, NULL, 0,
     "Move only the unit of the top finding, and measure again with the command after --", 1},
	{0},
};
static const struct argp_child children[] = {{&campaign_argp, 0, NULL, 2}, {NULL, 0, NULL, 0}};
const struct argp ifr_blame_argp = {
	table,
	parse_option,
	"EXPERIMENT [--confirm -- ./PROG ARGS...]",
	"Find the code that makes the layouts differ. For every unit, blame tests whether its offset within 64, 32 "
	"or 16 bytes, its page, or a cache set that it shares with another unit goes with the metric. The false "
	"discovery rate over all these tests is 5%.\v"
	"Random layouts move all units at once, and their plans tell where each unit lay. --confirm takes the most "
	"significant finding that is not about pages and makes every layout of the experiment twice: once with that "
	"unit at its best place and once at its worst (for a set conflict: apart from the other unit, and in "
	"conflict with it). It compares the two and writes EXPERIMENT.confirm, or the file of -o.",
	children,
	NULL,
	NULL};

static void print_text(const struct ifr_buffer *text) {
	fwrite(text->data, 1, text->length, stdout);
	fflush(stdout);
}

/* An experiment, its report, and the addresses of its units in each layout. */
struct attributed {
	struct ifr_dataset dataset;
	struct ifr_analysis *report;
	struct ifr_relinker *relinker;
	struct ifr_unit_addresses addresses;
};

static int confirm_finding(struct options *options, const struct attributed *from,
                           const struct ifr_attribution *code, struct ifr_error *err) {
	const struct ifr_confirmation confirmation = {.dataset = &from->dataset,
	                                              .addresses = &from->addresses,
	                                              .relinker = from->relinker,
	                                              .finding = ifr_confirmation_choose(code),
	                                              .metric = options->metric};
	struct ifr_campaign *campaign = &options->campaign;
	struct ifr_comparison comparison;
	struct ifr_buffer text = {0};
	if (!confirmation.finding)
		return ifr_fail(
			err, IFR_E_USAGE,
			"all findings are about pages, or units that cannot be moved: moving one unit cannot change only its page");
	char *file = ifr_format("%s.confirm", options->experiment);
	campaign->file = campaign->file ? campaign->file : file;
	progress_follow(campaign, false);
	campaign->say = ifr_command_say;
	int result = campaign->fresh ? ifr_campaign_set_aside(campaign->file, err) : 0;
	if (!result)
		result = ifr_confirmation_run(&confirmation, campaign, &comparison, err);
	if (campaign->progress)
		progress_clear();
	if (!result) {
		ifr_confirmation_text(confirmation.finding, &comparison, &text);
		print_text(&text);
	}
	ifr_buffer_release(&text);
	free(file);
	return result;
}

static int attribute_events(struct options *options, struct attributed *from, struct ifr_error *err) {
	struct ifr_attribution code = {0};
	struct ifr_buffer text = {0};
	ifr_unit_map_mark(from->report, &from->addresses);
	int result = ifr_attribution_make(from->report, &from->addresses, &code, err);
	if (!result) {
		ifr_attribution_text(from->report, &code, &text);
		print_text(&text);
	}
	if (!result && options->confirm && !code.found)
		ifr_command_note("no finding to confirm");
	else if (!result && options->confirm)
		result = confirm_finding(options, from, &code, err);
	ifr_buffer_release(&text);
	ifr_attribution_release(&code);
	return result;
}

/* Where no code moved there is nothing to attribute; says so. */
static void say_process(const struct options *options, unsigned axes) {
	struct ifr_buffer text = {0};
	ifr_attribution_of_process(axes, &text);
	print_text(&text);
	ifr_buffer_release(&text);
	if (options->confirm)
		ifr_command_note("no finding to confirm");
}

static int attribute_code(struct options *options, struct attributed *from, const char *kit_key,
                          struct ifr_error *err) {
	struct ifr_kit kit;
	ifr_kit_init(&kit);
	int result = ifr_kit_load(kit_key, &kit, err);
	if (!result)
		result = ifr_relinker_open(&kit, &from->relinker, err);
	if (!result)
		result = ifr_unit_addresses_find(from->relinker, &from->dataset, 0, &from->addresses, err);
	if (!result)
		ifr_unit_addresses_find_sources(&kit, from->relinker, &from->addresses);
	if (!result)
		result = attribute_events(options, from, err);
	ifr_kit_release(&kit);
	return result;
}

static int load_and_attribute(struct options *options, struct ifr_error *err) {
	struct attributed from = {.report = NULL};
	int result = ifr_experiment_load(options->experiment, &from.dataset, err);
	if (result)
		return result;
	const char *key = ifr_dataset_fact(&from.dataset, "kit");
	if (ifr_dataset_fact(&from.dataset, "programs"))
		result = ifr_fail(err, IFR_E_USAGE, "%s holds two programs: blame takes what \"interfero bench\" wrote",
		                  options->experiment);
	if (!result && !key)
		result =
			ifr_fail(err, IFR_E_USAGE, "%s names no kit: where its units lay is not known", options->experiment);
	if (!result)
		result = ifr_analysis_make(&from.dataset, options->metric, &from.report, err);
	if (!result && ifr_analysis_varies_process_alone(from.report))
		say_process(options, from.report->axes);
	else if (!result)
		result = attribute_code(options, &from, key, err);
	ifr_unit_addresses_release(&from.addresses);
	ifr_relinker_close(from.relinker);
	ifr_analysis_free(from.report);
	ifr_dataset_release(&from.dataset);
	return result;
}

int ifr_command_blame(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	campaign_options_init(&options.campaign);
	argp_parse(&ifr_blame_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	catch_interrupts();
	int status = load_and_attribute(&options, &err) ? ifr_command_failed(&err) : 0;
	campaign_options_release(&options.campaign);
	return ifr_launch_interrupted() ? STOPPED_BY_INTERRUPT : status;
}
