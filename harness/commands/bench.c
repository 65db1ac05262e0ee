/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero bench: the main job. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/measuring.h"
#include "harness/commands/options.h"
#include "harness/commands/output.h"
#include "harness/commands/progress.h"
#include "harness/experiment/campaign.h"
#include "harness/launch/launch.h"

struct options {
	struct family_options family;
	struct output_options output;
	struct ifr_campaign campaign;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	(void)argument;
	switch (key) {
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

static const struct argp_child children[] = {
	{&family_argp, 0, "Layouts:", 1}, {&measuring_argp, 0, NULL, 2}, {&output_argp, 0, "Report:", 4}, {0}};
const struct argp ifr_bench_argp = {NULL,
                                    parse,
                                    "-- ./PROG [ARGS...]",
                                    "Measure many layouts of a program: how far apart they are, which is best and "
                                    "worst, and where the layout that ships "
                                    "stands.\v"
                                    "PROG must have been built with CC=interfero-gcc. All layouts run "
                                    "interleaved, each in a fresh process with ASLR off, "
                                    "pinned to one processor. Exit status: 0 measured, 2 usage, 3 the program or "
                                    "a layout of it failed, 4 the machine or a "
                                    "file, 130 interrupted.",
                                    children,
                                    NULL,
                                    NULL};

static int report_end(const struct options *options, const struct ifr_campaign_result *done,
                      struct ifr_error *err) {
	const char *file = options->campaign.file;
	int result = 0;
	if (done->interrupted && !ifr_file_exists(file))
		ifr_command_note("interrupted before the first run; nothing was recorded");
	else if (done->interrupted)
		ifr_command_note("interrupted; %s holds every run so far, and the same command goes on (with the layouts "
		                 "in %s.variants)",
		                 file, file);
	if (done->runs || done->complete)
		result = output_report(file, &options->output, err);
	if (result)
		return ifr_command_failed(err);
	if (done->interrupted)
		return STOPPED_BY_INTERRUPT;
	if (done->refused_variants) {
		ifr_command_note(
			"%s (%u in all): a layout must not change what a program does, so it depends on where its code "
			"lies; interfero variants --seed %llu … makes them for a debugger",
			done->refusal, done->refused_variants, (unsigned long long)options->campaign.family.seed);
		return IFR_E_PROGRAM;
	}
	return 0;
}

static int run(struct options *options, struct ifr_error *err) {
	struct ifr_campaign *campaign = &options->campaign;
	struct ifr_campaign_result done = {0};
	struct ifr_kit kit;
	char *program = NULL, *file = NULL;
	ifr_kit_init(&kit);
	int result = measuring_find_program(campaign->argv[0], &program, err);
	if (!result)
		result = ifr_kit_of_program(program, &kit, err);
	if (!result) {
		file = ifr_format("%s.exp", ifr_path_base(program));
		campaign->program = program;
		campaign->family =
			(struct ifr_family){&kit, options->family.seed, options->family.axes, options->family.parameters};
		campaign->seed_given = options->family.seed_given;
		campaign->variants = options->family.variants;
		campaign->file = campaign->file ? campaign->file : file;
		campaign->progress = progress_wanted(options->output.quiet) ? progress_show : NULL;
		catch_interrupts();
		result = ifr_campaign_run(campaign, &done, err);
		if (campaign->progress)
			progress_clear();
	}
	int status = result ? ifr_command_failed(err) : report_end(options, &done, err);
	if (result && ifr_launch_interrupted())
		status = STOPPED_BY_INTERRUPT;
	ifr_kit_release(&kit);
	ifr_strings_release(&campaign->environment);
	ifr_plan_release(&options->family.parameters);
	free(file);
	free(program);
	return status;
}

int ifr_command_bench(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	family_options_init(&options.family, 32);
	measuring_init(&options.campaign);
	argp_parse(&ifr_bench_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	return run(&options, &err);
}
