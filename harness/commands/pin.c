/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero pin: gives a linked program the layout of a plan, in its place. The linker of interfero-gcc runs it where
 * a build asks for a layout (wrapper/capture/pinned.c). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/commands/commands.h"
#include "kit/kit.h"

struct options {
	const char *program, *plan;
	bool quiet;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case 'p':
		options->plan = argument;
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
		if (!options->program)
			argp_error(state, "name a program built with interfero-gcc");
		if (!options->plan)
			argp_error(state, "--plan FILE is missing: which layout?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"plan", 'p', "FILE", 0, "The layout", 0},
	{"quiet", 'q', NULL, 0, "Do not tell what the program lacks", 0},
	{0},
};
const struct argp ifr_pin_argp = {
	table,
	parse_option,
	"PROGRAM",
	"Give a program that has a kit (built with CC=interfero-gcc) the layout of a plan, in place.\v"
	"Builds do so by themselves with INTERFERO_LAYOUT=FILE in the environment, or with -finterfero-layout=FILE for "
	"interfero-gcc. The plan holds for what did not change since it was made: units are found by name, and one line "
	"tells which are gone. Axes of the compiler are applied when the program is compiled; axes of a process are no "
	"property of a file. PROGRAM stays as it is if the plan cannot be applied. Its kit stays the plain link's, so that "
	"variants and comparisons begin there. A program whose kit is of its relocations (interfero kit make) is linked "
	"anew and has no debug information afterwards; keep a copy.\n"
	"\n"
	"Exit status: 0 the program has the layout, 2 usage, or the plan does not fit, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

/* Leaves the relinker's axes. */
static void keep_relinker_axes(struct ifr_plan *plan) {
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (ifr_axes[i].owner != IFR_OWNER_RELINKER)
			plan->axis[i].on = false;
}

/* The link of a kit from relocations has other tables than the program: only the digest tells that nobody edited it. */
static int check_unlinked(const char *program, const struct ifr_kit *kit, struct ifr_error *err) {
	char digest[IFR_SHA256_HEX];
	int result = ifr_sha256_file(program, digest, NULL, err);
	if (!result && strcmp(digest, kit->sha256))
		result = ifr_fail(err, IFR_E_USAGE,
		                  "%s is not the file that its kit was made of (stripped or edited since): pin that file, "
		                  "and then strip or edit it again",
		                  program);
	return result;
}

/* Refuses programs that a variant of their kit cannot stand for. */
static int check_program(const char *program, const struct ifr_kit *kit, const struct ifr_relinker *relinker,
                         struct ifr_error *err) {
	struct ifr_relinker_info info;
	ifr_relinker_describe(relinker, &info);
	if (ifr_kit_is_pinned(program, kit))
		return 0;
	if (ifr_kit_is_unlinked(kit))
		return check_unlinked(program, kit, err);
	if (!info.reproduces)
		return ifr_fail(err, IFR_E_USAGE, "%s cannot be pinned: %s%s", program, info.reason,
		                strcmp(kit->linker, "ld.bfd") ? "; link it with -fuse-ld=bfd" : "");
	char *edit = ifr_program_find_edit(program, kit, relinker);
	const int result = edit ? ifr_fail(err, IFR_E_USAGE, "%s", edit) : 0;
	free(edit);
	return result;
}

/* Makes the variant beside the file and renames it; a symbolic link stays one. */
static int replace_file(const struct ifr_relinker *relinker, const struct ifr_plan *plan, const char *program,
                        struct ifr_error *err) {
	struct ifr_variant variant = {0};
	struct stat status;
	char path[PATH_MAX];
	if (!realpath(program, path) || stat(path, &status))
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot find %s", program);
	char *made = ifr_format("%s.pin-%ld", path, (long)getpid());
	int result = ifr_relinker_make(relinker, plan, made, &variant, err);
	if (!result && (chmod(made, status.st_mode & 07777) || rename(made, path)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot replace %s", path);
	if (result)
		unlink(made);
	ifr_buffer_release(&variant.facts);
	free(made);
	return result;
}

/* Says in one line which units of the plan the program lacks. */
static void print_missing(const struct options *options, const struct ifr_strings *missing, size_t named) {
	char *text = ifr_missing_units_describe(missing, named);
	if (text && !options->quiet)
		printf("%s: of the layout in %s, %s\n", options->program, options->plan, text);
	free(text);
}

static int pin(const struct options *options, const struct ifr_kit *kit, struct ifr_error *err) {
	struct ifr_relinker *relinker = NULL;
	struct ifr_plan plan;
	struct ifr_strings missing = {0};
	size_t named = 0;
	ifr_plan_init(&plan);
	int result = ifr_plan_read(options->plan, &plan, err);
	if (!result)
		result = ifr_relinker_open(kit, &relinker, err);
	if (!result)
		result = check_program(options->program, kit, relinker, err);
	if (!result && !ifr_plan_concerns(&plan, relinker))
		result = ifr_fail(err, IFR_E_USAGE, "%s has none of the units of %s", options->program, options->plan);
	if (!result) {
		named = ifr_plan_list_missing(&plan, relinker, &missing);
		ifr_plan_drop_units(&plan, &missing);
		keep_relinker_axes(&plan);
	}
	if (!result)
		result = replace_file(relinker, &plan, options->program, err);
	if (!result)
		result = ifr_kit_note_pinned(options->program, kit, err);
	if (!result)
		print_missing(options, &missing, named);
	if (!result && ifr_kit_is_unlinked(kit) && !options->quiet)
		printf("%s: linked anew from its relocations, without debug information\n", options->program);
	ifr_strings_release(&missing);
	ifr_plan_release(&plan);
	ifr_relinker_close(relinker);
	return result;
}

int ifr_command_pin(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	struct ifr_kit kit;
	argp_parse(&ifr_pin_argp, argc, argv, 0, NULL, &options);
	ifr_kit_init(&kit);
	int result = ifr_kit_of_program(options.program, &kit, &err);
	if (!result)
		result = pin(&options, &kit, &err);
	ifr_kit_release(&kit);
	return result ? ifr_command_failed(&err) : 0;
}
