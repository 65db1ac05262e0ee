/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero variants: makes variants of a program and their plans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/build/build.h"
#include "harness/design/design.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

struct options {
	struct layout_options layouts;
	const char *folder, *program;
	struct ifr_strings plans;
	bool quiet;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->layouts;
		return 0;
	case 'o':
		options->folder = argument;
		return 0;
	case 'p':
		ifr_strings_add(&options->plans, argument);
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->program)
			argp_error(state, "one program at a time, not also \"%s\"", argument);
		options->program = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->folder)
			argp_error(state, "-o DIR is missing: where shall the variants go?");
		if (!options->program && !options->plans.count)
			argp_error(state, "name a program built with interfero-gcc, or a plan with --plan");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"output", 'o', "DIR", 0, "The folder of the variants and their plans, created if missing", 0},
	{"plan", 'p', "FILE", 0, "Make the variant of this plan instead, from the kit that it names (may be repeated)",
     0},
	{"quiet", 'q', NULL, 0, "Print errors only", 0},
	{0},
};
static const struct argp_child children[] = {
	{&layout_argp, 0, "Layouts:", 1}, {&sweep_argp, 0, "Or the layouts of a sweep:", 2}, {0}};
const struct argp ifr_variants_argp = {
	table,
	parse_option,
	"[PROGRAM]",
	"Make layouts of a program that was built with CC=interfero-gcc.\v"
	"DIR gets each variant and its plan, as NAME and NAME.plan. The plan alone makes the variant again, byte for "
	"byte.",
	children,
	NULL,
	NULL};

static void print_variant(const struct ifr_plan *plan, const char *folder, const struct ifr_variant *variant) {
	struct ifr_strings lines = {0};
	printf("%s/%s\n", folder, plan->name);
	ifr_strings_split(&lines, ifr_buffer_text(&variant->facts), "\n");
	for (size_t i = 0; i < lines.count; i++)
		printf("    %s\n", lines.items[i]);
	ifr_strings_release(&lines);
}

static int make_variant(struct ifr_builder *builder, const struct ifr_plan *plan, const struct options *options,
                        struct ifr_error *err) {
	struct ifr_variant variant = {0};
	int result = ifr_builder_write(builder, plan, options->folder, true, &variant, err);
	if (!result && !options->quiet)
		print_variant(plan, options->folder, &variant);
	ifr_buffer_release(&variant.facts);
	return result;
}

/* Prints, before units are compiled again, the cost of the variants, and the units that stay as shipped. */
static int announce_costs(struct ifr_builder *builder, unsigned axes, unsigned variants,
                          const struct options *options, struct ifr_error *err) {
	struct ifr_rebuild_trial trial;
	struct ifr_buffer left = {0};
	struct ifr_strings lines = {0};
	bool costly = ifr_axes_recompile(axes) && !options->quiet;
	if (costly)
		ifr_command_note("compiling the units once, to see what a variant costs");
	int result = ifr_builder_try_recipes(builder, axes, INT64_MAX, &trial, err);
	if (!result && costly) {
		char *text = ifr_rebuild_trial_describe(&trial, variants);
		ifr_command_say(text);
		free(text);
	}
	if (!result && !options->quiet)
		ifr_builder_print_unbuildable(builder, axes, &left);
	ifr_strings_split(&lines, ifr_buffer_text(&left), "\n");
	for (size_t i = 0; i < lines.count; i++)
		ifr_command_say(lines.items[i]);
	ifr_strings_release(&lines);
	ifr_buffer_release(&left);
	return result;
}

static void note_edit(const struct options *options, const struct ifr_kit *kit,
                      const struct ifr_builder *builder) {
	char *text = ifr_program_find_edit(options->program, kit, ifr_builder_relinker(builder));
	if (text)
		ifr_command_say(text);
	free(text);
}

static char *list_axes(unsigned axes) {
	struct ifr_buffer list = {0};
	ifr_axes_print(axes, &list);
	return ifr_buffer_detach(&list);
}

/* Axes of the process are no property of a file: refuses those that stand alone, and says what applies the others.
 * options_of_run: for the command that does. */
static int check_axes(const struct options *options, unsigned axes, const char *options_of_run,
                      struct ifr_error *err) {
	const unsigned process = axes & ifr_axes_of(IFR_OWNER_LAUNCHER);
	struct ifr_buffer command = {0};
	int result = 0;
	if (!process)
		return 0;
	char *list = list_axes(process);
	ifr_buffer_printf(&command, "interfero run %s -- ", options_of_run);
	ifr_quote_shell(&command, options->program ? options->program : "PROGRAM");
	if (process == axes)
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s: of a process, not of a file, so that all files would be the same; %s runs the program "
		             "in the layout",
		             list, ifr_buffer_text(&command));
	else if (!options->quiet)
		ifr_command_note("%s: of a process, not of these files; %s applies them as well", list,
		                 ifr_buffer_text(&command));
	ifr_buffer_release(&command);
	free(list);
	return result;
}

static int check_generated(const struct options *options, struct ifr_error *err) {
	struct ifr_buffer words = {0};
	ifr_buffer_printf(&words, "--seed %llu --axes ", (unsigned long long)options->layouts.seed);
	ifr_axes_print(options->layouts.axes, &words);
	for (unsigned i = 0; i < options->layouts.sweeps.count; i++) {
		ifr_buffer_puts(&words, " --sweep ");
		ifr_sweep_print(&options->layouts.sweeps.items[i], &words);
	}
	ifr_buffer_printf(&words, " -n %u", options->layouts.variants);
	int result = check_axes(options, options->layouts.axes, ifr_buffer_text(&words), err);
	ifr_buffer_release(&words);
	return result;
}

static int check_plan(const struct options *options, const struct ifr_plan *plan, const char *file,
                      struct ifr_error *err) {
	struct ifr_buffer words = {0};
	ifr_buffer_puts(&words, "--plan ");
	ifr_quote_shell(&words, file);
	int result = plan->place_count ? 0 : check_axes(options, ifr_plan_axes(plan), ifr_buffer_text(&words), err);
	ifr_buffer_release(&words);
	return result;
}

static int make_generated(const struct options *options, struct ifr_error *err) {
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	int result = check_generated(options, err);
	ifr_kit_init(&kit);
	if (!result)
		result = ifr_kit_of_program(options->program, &kit, err);
	if (!result)
		result = ifr_builder_open(&kit, &builder, err);
	if (!result)
		note_edit(options, &kit, builder);
	if (!result)
		result = announce_costs(builder, options->layouts.axes, options->layouts.variants, options, err);
	const struct ifr_layout_generator generator = layout_options_generator(&options->layouts);
	for (unsigned i = 1; i <= options->layouts.variants && !result && !ifr_launch_interrupted(); i++) {
		struct ifr_plan plan;
		ifr_layout_generator_plan(&generator, kit.key, i, &plan);
		result = make_variant(builder, &plan, options, err);
		ifr_plan_release(&plan);
	}
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	return result;
}

/* Names a plan without a name after its file. */
static int name_plan(struct ifr_plan *plan, const char *file, struct ifr_error *err) {
	if (*plan->name)
		return 0;
	const char *base = ifr_path_base(file);
	size_t length = strlen(base) - (ifr_ends_with(base, ".plan") ? strlen(".plan") : 0);
	if (!length || length >= sizeof plan->name)
		return ifr_fail(err, IFR_E_USAGE, "%s has no name of its own: write a line \"name NAME\" into it", file);
	memcpy(plan->name, base, length);
	plan->name[length] = '\0';
	return 0;
}

static int make_plan(const struct options *options, const char *file, struct ifr_error *err) {
	struct ifr_plan plan;
	struct ifr_kit kit;
	struct ifr_builder *builder = NULL;
	ifr_kit_init(&kit);
	int result = ifr_plan_read(file, &plan, err);
	if (!result)
		result = check_plan(options, &plan, file, err);
	if (!result)
		result = name_plan(&plan, file, err);
	if (!result && options->program)
		result = ifr_kit_of_program(options->program, &kit, err);
	else if (!result && *plan.kit)
		result = ifr_kit_load(plan.kit, &kit, err);
	else if (!result)
		result = ifr_fail(err, IFR_E_USAGE, "%s does not name its kit: give the program too", file);
	if (!result && *plan.kit && strcmp(plan.kit, kit.key))
		result = ifr_fail(err, IFR_E_USAGE, "%s is a plan for another program (kit %.12s…)", file, plan.kit);
	if (!result)
		result = ifr_builder_open(&kit, &builder, err);
	if (!result)
		result = announce_costs(builder, ifr_plan_axes(&plan), 1, options, err);
	if (!result) {
		strcpy(plan.kit, kit.key);
		result = make_variant(builder, &plan, options, err);
	}
	ifr_builder_close(builder);
	ifr_kit_release(&kit);
	ifr_plan_release(&plan);
	return result;
}

static int check_folder(const char *folder, struct ifr_error *err) {
	int result = ifr_dir_make(folder, err);
	if (!result && access(folder, W_OK))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write in %s: choose another -o", folder);
	return result;
}

int ifr_command_variants(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	layout_options_init(&options.layouts, 16);
	argp_parse(&ifr_variants_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	const bool existed = ifr_file_exists(options.folder);
	int result = check_folder(options.folder, &err);
	if (!result && !options.plans.count)
		result = make_generated(&options, &err);
	for (size_t i = 0; i < options.plans.count && !result && !ifr_launch_interrupted(); i++)
		result = make_plan(&options, options.plans.items[i], &err);
	/* Only an empty folder goes. */
	if (result && !existed)
		rmdir(options.folder);
	bool repeatable = !options.quiet && !options.plans.count;
	ifr_strings_release(&options.plans);
	ifr_plan_release(&options.layouts.parameters);
	if (ifr_launch_interrupted()) {
		ifr_command_note("interrupted; every variant in %s is whole", options.folder);
		return STOPPED_BY_INTERRUPT;
	}
	if (result)
		return ifr_command_failed(&err);
	if (repeatable)
		fprintf(stderr, "--seed %llu repeats these layouts\n", (unsigned long long)options.layouts.seed);
	return 0;
}
