/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero calibrate: false alarms and power of comparisons on this machine. */
#include <stdio.h>

#include "harness/commands/commands.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/report_options.h"
#include "harness/store/store.h"
#include "harness/report/report.h"

struct options {
	struct layout_options layouts;
	struct ifr_campaign campaign;
	struct printing_options printing;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	(void)argument; /* every word that is no option begins the program's */
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->campaign;
		state->child_inputs[2] = &options->printing;
		return 0;
	case ARGP_KEY_ARG:
		options->campaign.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero calibrate -- ./prog args");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{&layout_argp, 0, "Layouts:", 1}, {&campaign_argp, 0, NULL, 2}, {&printing_argp, 0, NULL, 0}, {0}};
const struct argp ifr_calibrate_argp = {
	NULL,
	parse_option,
	"-- ./PROG [ARGS...]",
	"Compare a program with itself on this machine: the rate of false alarms, the smallest change that a "
	"comparison detects, and the best numbers of layouts, of copies of their files, and of runs.\v"
	"All figures come from one experiment (PROG.calibration), whose runs are split at random many times.\n"
	"\n"
	"Exit status: 0 calibrated, 2 usage, 3 the program or a layout of it failed, 4 the machine or a file, 130 "
	"interrupted.",
	children,
	NULL,
	NULL};

static int report_calibration(const char *experiment, void *context, struct ifr_error *err) {
	const struct options *options = context;
	struct ifr_dataset dataset;
	struct ifr_analysis *report = NULL;
	struct ifr_calibration calibration;
	struct ifr_buffer out = {0};
	int result = ifr_experiment_load(experiment, &dataset, err);
	if (result)
		return result;
	result = ifr_analysis_make(&dataset, options->printing.metric, &report, err);
	if (!result)
		result = ifr_calibration_make(report, options->campaign.generator.seed,
		                              (double)options->campaign.budget_ns / 1e9, &calibration, err);
	if (!result) {
		if (options->printing.json)
			ifr_calibration_json(report, &calibration, &out);
		else if (!options->printing.quiet)
			ifr_calibration_text(report, &calibration, &out);
		result = ifr_command_print(&out, err);
	}
	ifr_buffer_release(&out);
	ifr_analysis_free(report);
	ifr_dataset_release(&dataset);
	return result;
}

int ifr_command_calibrate(int argc, char **argv) {
	struct options options = {0};
	layout_options_init(&options.layouts, 32);
	campaign_options_init(&options.campaign);
	argp_parse(&ifr_calibrate_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	options.campaign.metric = options.printing.metric;
	return campaign_options_run(&options.campaign, &options.layouts, options.printing.quiet, "calibration", NULL,
	                            report_calibration, &options);
}
