/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero cure: measures a change of the layout on fresh contexts. A campaign of one program twice, of which the second
 * one has the cure's lines in all of its layouts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/campaign/campaign.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/program_kits.h"
#include "harness/commands/progress.h"
#include "harness/commands/report_options.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"
#include "harness/report/report.h"

struct options {
	struct ifr_campaign campaign;
	struct layout_options layouts;
	struct printing_options printing;
	struct ifr_buffer lines; /* of --line, a plan */
	struct ifr_plan cure;
};

static int read_cure(struct options *options, const char *file, struct ifr_error *err) {
	struct ifr_plan plan;
	int result = file ? ifr_plan_read(file, &plan, err)
	                  : ifr_plan_parse(options->lines.data, options->lines.length, "--line", &plan, err);
	if (result)
		return result;
	ifr_plan_adopt(&options->cure, &plan);
	ifr_plan_release(&plan);
	return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case 'p':
		if (read_cure(options, argument, &err))
			option_refuse(state, &err);
		return 0;
	case 'l':
		ifr_buffer_clear(&options->lines);
		ifr_buffer_printf(&options->lines, "interfero-plan 1\n%s\n", argument);
		if (read_cure(options, NULL, &err))
			option_refuse(state, &err);
		return 0;
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
		argp_error(state, "which program? interfero cure --line 'blocks policy=2' -- ./prog args");
		return 0;
	case ARGP_KEY_END:
		if (!ifr_plan_axes(&options->cure) && !options->cure.place_count)
			argp_error(state, "which cure? Give lines of a plan: --line 'blocks policy=2', or --plan FILE");
		if (options->campaign.driven)
			argp_error(state, "a cure is of the program that runs: leave out --program");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Cure:", 1},
	{"line", 'l', "LINE", 0, "A line of the cure's plan, such as 'blocks policy=2' (may be repeated)", 1},
	{"plan", 'p', "FILE", 0, "The cure's plan", 1},
	{0},
};
static const struct argp_child children[] = {
	{&layout_argp, 0, "Contexts:", 2}, {&campaign_argp, 0, NULL, 3}, {&printing_argp, 0, NULL, 5}, {0}};
const struct argp ifr_cure_argp = {
	table,
	parse_option,
	"--line LINE -- ./PROG [ARGS...]",
	"Tell whether a change of the layout helps. The program is measured in fresh random layouts, the contexts, with the "
	"lines of the cure's plan and without them: both in the same contexts, interleaved. A cure is advised only where it "
	"helps: in the mean of the contexts, or in the worst one.\v"
	"Some cures:\n"
	"  blocks policy=2          large heap blocks as far apart modulo 4096 as\n"
	"                           possible (the preloaded runtime's allocator)\n"
	"  blocks policy=0 only=read,result\n"
	"                           large blocks of two functions over 4096 bytes\n"
	"  stack main-bytes=64      bytes above the frame of main\n"
	"  align loop-bytes=32 functions=0 only=f\n"
	"                           the loops of f aligned to 32 bytes\n"
	"  alias-check only=f       loops of f twice: one version for loads that\n"
	"                           alias stores modulo 4096\n"
	"  split-loops only=f       loops of f in parts, whose trips fit a history\n"
	"  duplicate-joins only=f   joins of f that branch, copied for each path\n"
	"  frames max=0 align-bytes=4096 only=f\n"
	"                           the stack aligned at the entry of f\n"
	"  at 0x1200 f.o:.text.f    a function at an address; data alike\n"
	"A pinned layout: interfero layout --addresses --plan best.plan ./prog > pin.plan, and --plan pin.plan.\n"
	"\n"
	"Exit status: 0 measured, 2 usage, 3 the program or a layout of it failed, 4 the machine or a file, 130 "
	"interrupted.",
	children,
	NULL,
	NULL};

/* --- the report ------------------------------------------------------------------------------------------------ */

static int print_cure(const struct options *options, const struct ifr_cure_result *measured,
                      struct ifr_error *err) {
	struct ifr_buffer out = {0}, plan = {0};
	ifr_plan_print(&options->cure, &plan);
	const struct ifr_cure cure = {.result = measured,
	                              .plan = ifr_buffer_text(&plan),
	                              .command = ifr_dataset_fact(&measured->dataset, "command"),
	                              .experiment = options->campaign.file,
	                              .makes_file = ifr_cure_makes_file(&options->cure)};
	if (options->printing.json)
		ifr_cure_json(&cure, &out);
	else if (!options->printing.quiet)
		ifr_cure_text(&cure, isatty(1) && !getenv("NO_COLOR"), &out);
	const int result = ifr_command_print(&out, err);
	ifr_buffer_release(&plan);
	ifr_buffer_release(&out);
	return result;
}

static int report(const struct options *options, struct ifr_error *err) {
	struct ifr_cure_result measured;
	int result = ifr_cure_read(options->campaign.file, options->printing.metric, 1, &measured, err);
	if (!result)
		result = print_cure(options, &measured, err);
	ifr_cure_result_release(&measured);
	return result;
}

/* --- the campaign ---------------------------------------------------------------------------------------------- */

static int measure(struct options *options, struct ifr_campaign_result *done, struct ifr_error *err) {
	struct ifr_campaign *campaign = &options->campaign;
	campaign->metric = options->printing.metric;
	campaign->generator = layout_options_generator(&options->layouts);
	campaign->seed_given = options->layouts.seed_given;
	campaign->variants = options->layouts.variants;
	progress_follow(campaign, options->printing.quiet);
	catch_interrupts();
	int result = campaign->fresh ? ifr_campaign_set_aside(campaign->file, err) : 0;
	if (!result)
		result = ifr_cure_run(campaign, &options->cure, done, err);
	if (campaign->progress)
		progress_clear();
	return result;
}

static int run_cure(struct options *options, const char *program, const struct ifr_kit *kit,
                    struct ifr_error *err) {
	struct ifr_campaign *campaign = &options->campaign;
	struct ifr_campaign_result done = {0};
	const struct ifr_campaign_program under_test = {.path = program, .kit = kit, .name = campaign->argv[0]};
	char *file = ifr_format("%s.cure.exp", ifr_path_base(program));
	campaign->programs = &under_test;
	campaign->program_count = 1;
	campaign->file = campaign->file ? campaign->file : file;
	int result = measure(options, &done, err);
	const bool interrupted = done.interrupted || ifr_launch_interrupted();
	if (!result && !interrupted)
		result = report(options, err);
	if (interrupted)
		ifr_command_note("interrupted; the same command goes on with %s", campaign->file);
	if (done.refused_variants)
		ifr_command_note("%s (%u in all)", done.refusal, done.refused_variants);
	free(file);
	return interrupted             ? STOPPED_BY_INTERRUPT
	       : result                ? ifr_command_failed(err)
	       : done.refused_variants ? IFR_E_PROGRAM
	                               : 0;
}

int ifr_command_cure(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error error = {0}, *err = &error;
	struct ifr_kit kit;
	char *program = NULL;
	layout_options_init(&options.layouts, 16);
	campaign_options_init(&options.campaign);
	ifr_plan_init(&options.cure);
	argp_parse(&ifr_cure_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	ifr_kit_init(&kit);
	int result = campaign_options_find_program(options.campaign.argv[0], &program, err);
	struct program_kit found = {.path = program, .kit = &kit};
	if (!result)
		result = program_kits_find(&found, 1, &options.layouts, ifr_loads_libraries(program),
		                           options.printing.quiet, err);
	if (!result)
		result = ifr_cure_check(&options.cure, found.found, err);
	const int status =
		result ? ifr_command_failed(err) : run_cure(&options, program, found.found ? &kit : NULL, err);
	free(program);
	ifr_kit_release(&kit);
	ifr_buffer_release(&options.lines);
	ifr_plan_release(&options.cure);
	ifr_plan_release(&options.layouts.parameters);
	campaign_options_release(&options.campaign);
	return status;
}
