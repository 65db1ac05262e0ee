/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero optimize: searches a fast layout, confirms it, and writes it for builds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/progress.h"
#include "harness/commands/report_options.h"
#include "harness/exec/exec.h"
#include "harness/optimize/optimize.h"

struct options {
	struct ifr_campaign campaign;
	struct layout_options layouts;
	struct printing_options printing;
	uint64_t candidates, rounds, each, contexts;
	struct ifr_strings held_out;
};

enum { KEY_CANDIDATES = 1536, KEY_ROUNDS, KEY_EACH, KEY_CONTEXTS, KEY_HELD_OUT };
enum { LAYOUTS = 24, CANDIDATES = 10000, ROUNDS = 2, EACH = 8, CONTEXTS = 12, NOT_FASTER = 1 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	int result = 0;
	switch (key) {
	case KEY_CANDIDATES:
		result = option_number("--candidates", argument, 0, 90000, &options->candidates, &err);
		break;
	case KEY_ROUNDS:
		result = option_number("--rounds", argument, 0, 99, &options->rounds, &err);
		break;
	case KEY_EACH:
		result = option_number("--each", argument, 1, 1000, &options->each, &err);
		break;
	case KEY_CONTEXTS:
		result = option_number("--contexts", argument, 2, 1000, &options->contexts, &err);
		break;
	case KEY_HELD_OUT:
		ifr_strings_add(&options->held_out, argument);
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->campaign;
		state->child_inputs[2] = &options->printing;
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->campaign.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero optimize -- ./prog args");
		return 0;
	case ARGP_KEY_END:
		if (options->campaign.driven)
			argp_error(state, "a search runs the program itself: leave out --program");
		if (options->layouts.variants < 6)
			argp_error(state, "a search learns from 6 random layouts or more: give -n");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (result)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Search:", 1},
	{"candidates", KEY_CANDIDATES, "N", 0, "Random layouts to predict, without running them (10000)", 1},
	{"rounds", KEY_ROUNDS, "N", 0, "Rounds that measure the promising ones and learn from them (2)", 1},
	{"each", KEY_EACH, "N", 0, "Layouts to measure in each round (8)", 1},
	{"held-out", KEY_HELD_OUT, "ARGS", 0,
     "Confirm the best one with these arguments of PROG, too, of which the search knows nothing (may be repeated)",
     1},
	{"contexts", KEY_CONTEXTS, "N", 0, "Stack positions in which the best one is confirmed (12)", 1},
	{0},
};
static const struct argp_child children[] = {
	{&layout_argp, 0, "Layouts:", 2}, {&campaign_argp, 0, NULL, 3}, {&printing_argp, 0, NULL, 5}, {0}};
const struct argp ifr_optimize_argp = {
	table,
	parse_option,
	"-- ./PROG [ARGS...]",
	"Search a fast layout of a program, and confirm it. PROG is recorded once, so that exact features of any layout are "
	"known without running it: windows of 16, 32 and 64 bytes entered, branches at their ends, lines and pages of hot "
	"code. Random layouts tell by the clock which of them matter on this machine; the layouts that these predict to be "
	"fast are measured.\v"
	"The best one is compared with the shipped layout in runs of their own, on fresh copies of the files and in "
	"other stack positions: the gain and its interval come from these alone. A layout that is confirmed is written as "
	"best.plan and best.order into the folder of --output (PROG.optimize), where each stage is an experiment that "
	"\"interfero report\" reads. Repeating an interrupted search continues it.\n"
	"\n"
	"Exit status: 0 a faster layout is confirmed, 1 none is, 2 usage, 3 the program or a layout of it failed, 4 the "
	"machine or a file, 130 interrupted.",
	children,
	NULL,
	NULL};

static void announce(const char *step) {
	progress_clear();
	ifr_command_note("%s", step);
}

static int print_optimum(const struct options *options, const struct ifr_optimum *optimum, struct ifr_error *err) {
	struct ifr_buffer out = {0};
	if (options->printing.json)
		ifr_optimum_json(optimum, options->campaign.argv[0], &out);
	else if (!options->printing.quiet)
		ifr_optimum_text(optimum, options->campaign.argv[0], &out);
	const int result = ifr_command_print(&out, err);
	ifr_buffer_release(&out);
	return result;
}

/* Sets the experiments of all stages aside. */
static int set_aside(const char *folder, unsigned rounds, size_t held_out, struct ifr_error *err) {
	static const char *const stages[] = {"random", "finalists", "confirmation"};
	struct ifr_strings names = {0};
	int result = 0;
	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
		ifr_strings_add(&names, stages[i]);
	for (unsigned i = 0; i < rounds; i++)
		ifr_strings_take(&names, ifr_format("round-%u", i + 1));
	for (size_t i = 0; i < held_out; i++)
		ifr_strings_take(&names, ifr_format("held-out-%zu", i + 1));
	for (size_t i = 0; i < names.count && !result; i++) {
		char *file = ifr_format("%s/%s.exp", folder, names.items[i]);
		result = ifr_campaign_set_aside(file, err);
		free(file);
	}
	ifr_strings_release(&names);
	return result;
}

static int run_search(struct options *options, const struct ifr_campaign_program *program, struct ifr_error *err) {
	struct ifr_campaign *campaign = &options->campaign;
	struct ifr_optimum optimum;
	char *file = ifr_format("%s.optimize", ifr_path_base(program->path));
	campaign->programs = program;
	campaign->program_count = 1;
	campaign->file = campaign->file ? campaign->file : file;
	campaign->generator = layout_options_generator(&options->layouts);
	campaign->seed_given = options->layouts.seed_given;
	campaign->variants = options->layouts.variants;
	progress_follow(campaign, options->printing.quiet);
	catch_interrupts();
	const struct ifr_optimization search = {.campaign = *campaign,
	                                        .candidates = (unsigned)options->candidates,
	                                        .rounds = (unsigned)options->rounds,
	                                        .each = (unsigned)options->each,
	                                        .contexts = (unsigned)options->contexts,
	                                        .held_out = &options->held_out,
	                                        .announce = campaign->progress ? announce : NULL};
	int result = campaign->fresh ? set_aside(campaign->file, search.rounds, options->held_out.count, err) : 0;
	if (!result)
		result = ifr_optimize(&search, &optimum, err);
	else
		optimum = (struct ifr_optimum){0};
	if (campaign->progress)
		progress_clear();
	if (!result)
		result = print_optimum(options, &optimum, err);
	const bool faster = optimum.faster, interrupted = optimum.interrupted;
	ifr_optimum_release(&optimum);
	free(file);
	if (ifr_launch_interrupted() || interrupted)
		return STOPPED_BY_INTERRUPT;
	return result ? ifr_command_failed(err) : faster ? 0 : NOT_FASTER;
}

int ifr_command_optimize(int argc, char **argv) {
	struct options options = {.candidates = CANDIDATES, .rounds = ROUNDS, .each = EACH, .contexts = CONTEXTS};
	struct ifr_error error = {0}, *err = &error;
	struct ifr_kit kit;
	bool has_kit = false;
	char *program = NULL;
	campaign_options_init(&options.campaign);
	layout_options_init(&options.layouts, LAYOUTS);
	options.campaign.counters = "clock";
	argp_parse(&ifr_optimize_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	options.campaign.metric = options.printing.metric;
	ifr_kit_init(&kit);
	int result = campaign_options_find_program(options.campaign.argv[0], &program, err);
	if (!result)
		result = ifr_kit_find(program, &kit, &has_kit, err);
	const struct ifr_campaign_program under_test = {
		.path = program, .kit = has_kit ? &kit : NULL, .name = options.campaign.argv[0]};
	int status = result ? ifr_command_failed(err) : run_search(&options, &under_test, err);
	ifr_kit_release(&kit);
	ifr_strings_release(&options.held_out);
	ifr_strings_release(&options.campaign.environment);
	free(program);
	return status;
}
