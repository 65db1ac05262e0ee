/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero run: runs a program once in one layout. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/design/design.h"
#include "harness/exec/exec.h"
#include "kit/kit.h"

struct options {
	struct layout_options layouts;
	const char *plan, *library; /* library: what the plan lays out instead of the program */
	struct ifr_strings environment;
	char **argv;
};

enum { KEY_ENV = 256, KEY_LIBRARY };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->layouts;
		return 0;
	case 'p':
		options->plan = argument;
		return 0;
	case KEY_ENV:
		ifr_strings_add(&options->environment, argument);
		return 0;
	case KEY_LIBRARY:
		options->library = argument;
		return 0;
	case ARGP_KEY_ARG:
		options->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero run --plan FILE -- ./prog args");
		return 0;
	case ARGP_KEY_END:
		if (!options->plan && !options->library && !options->layouts.axes_given && !options->layouts.sweeps.count)
			argp_error(state, "which layout? Give a plan with --plan, or --axes and the layout's number with -n");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"plan", 'p', "FILE", 0, "Run in the layout of this plan, as a report prints it", 0},
	{"library", KEY_LIBRARY, "FILE", 0,
     "Lay out this shared library, which PROG loads, instead of PROG; without a layout, lead PROG to it as it is",
     0},
	{"env", KEY_ENV, "NAME[=VALUE]", 0, "Add to the program's environment (PATH, HOME, LC_ALL=C)", 0},
	{0},
};
static const struct argp_child children[] = {
	{&layout_argp, 0, "Layout number -n of these:", 1}, {&sweep_argp, 0, "Or number -n of a sweep:", 2}, {0}};
const struct argp ifr_run_argp = {
	table,
	parse_option,
	"--plan FILE -- ./PROG [ARGS...]\n"
	"--axes LIST --seed SEED -n NUMBER -- ./PROG [ARGS...]\n"
	"--library FILE -- ./PROG [ARGS...]",
	"Run a program once in one layout: for a profiler, a debugger, or the fastest layout of a report.\v"
	"PROG starts as the runs of \"interfero bench\" do: address randomization off, a small environment, a path of "
	"256 bytes, and the stack, heap, blocks and mappings of the plan. It has the terminal, and is not pinned. "
	"Where the plan moves code or data too, the kit of PROG or of the library makes the variant first, which is "
	"removed afterwards.\n"
	"\n"
	"The exit status is the program's; 2 usage, 4 the machine or a file.",
	children,
	NULL,
	NULL};

static int choose_plan(const struct options *options, struct ifr_plan *plan, struct ifr_error *err) {
	if (options->plan)
		return ifr_plan_read(options->plan, plan, err);
	if (!options->layouts.axes_given && !options->layouts.sweeps.count)
		return 0;
	const struct ifr_layout_generator generator = layout_options_generator(&options->layouts);
	ifr_layout_generator_plan(&generator, NULL, options->layouts.variants, plan);
	return 0;
}

/* A program, or a library and its user; and the variant in a temporary folder. */
struct files {
	char *program, *library; /* library: NULL without --library */
	char *folder, *variant;  /* NULL: the program itself runs */
};

static int make_variant(const char *original, struct ifr_plan *plan, const char *path, struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	struct ifr_variant variant = {0};
	int result = ifr_kit_of_program(original, &kit, err);
	if (!result && *plan->kit && strcmp(plan->kit, kit.key))
		result = ifr_fail(err, IFR_E_USAGE, "the plan is for another program (kit %.12s…)", plan->kit);
	if (!result)
		result = ifr_builder_open(&kit, &builder, err);
	if (!result)
		result = ifr_builder_make(builder, plan, path, &variant, err);
	ifr_buffer_release(&variant.facts);
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	return result;
}

/* A library that stays as it is keeps its file, under a name of its own to which the loader is led: profilers and
 * debuggers find its symbols where the mapping says, also behind the run. */
static int link_library(const struct files *files, struct ifr_error *err) {
	return symlink(files->library, files->variant)
	           ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot make %s", files->variant)
	           : 0;
}

static int place_variant(struct files *files, struct ifr_plan *plan, struct ifr_error *err) {
	const bool moves =
		ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_RELINKER | IFR_OWNER_PLUGIN) || plan->place_count;
	const char *original = files->library ? files->library : files->program;
	if (!moves && !files->library)
		return 0;
	int result = ifr_temporary_dir(&files->folder, err);
	if (result)
		return result;
	files->variant = ifr_format("%s/%s", files->folder, ifr_path_base(original));
	return moves ? make_variant(original, plan, files->variant, err) : link_library(files, err);
}

/* Leads the program to the library's variant. */
static int enter_library(const struct files *files, struct ifr_context *context, struct ifr_error *err) {
	struct ifr_library library;
	struct ifr_strings environment = {0};
	int result =
		ifr_library_open(&library, files->program, files->library, files->variant, &context->environment, err);
	if (result)
		return result;
	ifr_library_environment(&library, files->variant, &context->environment, &environment);
	ifr_strings_release(&context->environment);
	context->environment = environment;
	ifr_library_release(&library);
	return 0;
}

static int run_in_context(const struct options *options, const struct ifr_plan *plan, const struct files *files,
                          int *status, struct ifr_error *err) {
	struct ifr_context context;
	char *refused = NULL;
	ifr_context_init(&context, &options->environment);
	ifr_context_set_plan(&context, plan, ifr_plan_axes(plan), false);
	int result = files->library ? enter_library(files, &context, err) : 0;
	if (!result)
		result = ifr_foreground_run(files->variant && !files->library ? files->variant : files->program,
		                            options->argv, &context, status, &refused, err);
	if (!result && refused)
		ifr_command_note("the run was not in its layout: %s", refused);
	free(refused);
	ifr_context_release(&context);
	return result;
}

static int run_plan(const struct options *options, struct ifr_plan *plan, int *status, struct ifr_error *err) {
	struct files files = {0};
	int result = campaign_options_find_program(options->argv[0], &files.program, err);
	if (!result && options->library)
		result = campaign_options_find_library(options->library, &files.library, err);
	if (!result)
		result = place_variant(&files, plan, err);
	if (!result)
		result = run_in_context(options, plan, &files, status, err);
	if (files.folder)
		ifr_tree_remove(files.folder, NULL);
	free(files.variant);
	free(files.folder);
	free(files.library);
	free(files.program);
	return result;
}

int ifr_command_run(int argc, char **argv) {
	struct options options = {0};
	struct ifr_plan plan;
	struct ifr_error err = {0};
	int status = 0;
	layout_options_init(&options.layouts, 1);
	options.layouts.layout_is_number = true;
	argp_parse(&ifr_run_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	ifr_plan_init(&plan);
	int result = choose_plan(&options, &plan, &err);
	if (!result)
		result = run_plan(&options, &plan, &status, &err);
	ifr_plan_release(&plan);
	ifr_strings_release(&options.environment);
	ifr_plan_release(&options.layouts.parameters);
	return result ? ifr_command_failed(&err) : status;
}
