/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero layout: prints a program's layout as a plan that names each unit's place. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/commands.h"
#include "kit/kit.h"
#include "relinker/relinker.h"

struct options {
	const char *program, *plan;
	bool addresses, units;
};

enum { KEY_ADDRESSES = 256 };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case 'p':
		options->plan = argument;
		return 0;
	case 'a':
	case KEY_ADDRESSES:
		options->addresses = true;
		return 0;
	case 'u':
		options->units = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->program)
			argp_error(state, "one program at a time, not also \"%s\"", argument);
		options->program = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->program)
			argp_error(state, "name a program built with interfero-gcc");
		if (options->units && (options->plan || options->addresses))
			argp_error(state, "--units lists what ships: it goes without --plan and --addresses");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"plan", 'p', "FILE", 0, "Print the layout that this plan makes, instead of the shipped one", 0},
	{NULL, 'a', NULL, OPTION_HIDDEN, NULL, 0},
	{"addresses", KEY_ADDRESSES, NULL, 0,
     "Give each unit its address (at) instead of its position in the order (order)", 0},
	{"units", 'u', NULL, 0, "List the units with their addresses, sizes and alignments, and what pins them", 0},
	{0},
};
const struct argp ifr_layout_argp = {
	table,
	parse_option,
	"PROGRAM",
	"Print the layout of a program as a plan that pins each unit by name.\v"
	"A unit is an input section of the link, OBJECT:SECTION. With -ffunction-sections it is one function, "
	"otherwise the whole text of an object file; likewise for variables and constants. \"interfero variants "
	"--plan FILE\" makes the printed layout again, also for another build of the program, or after you edited "
	"the plan to move one function. Names that the program does not have are skipped and counted.",
	NULL,
	NULL,
	NULL};

/* Refuses axes of the compiler: they rebuild units, which other builds of the program cannot name. */
static int check_axes(const char *file, const struct ifr_plan *plan, struct ifr_error *err) {
	unsigned compiled = ifr_plan_axes(plan) & ifr_axes_of(IFR_OWNER_PLUGIN);
	return compiled ? ifr_fail(err, IFR_E_USAGE,
	                           "%s has axes of the compiler: only the relinker's axes make a layout that names "
	                           "its units",
	                           file)
	                : 0;
}

static int print_layout(const struct ifr_relinker *relinker, const struct options *options,
                        struct ifr_error *err) {
	struct ifr_plan plan, places;
	struct ifr_relinker_layout *layout = NULL;
	struct ifr_buffer text = {0};
	ifr_plan_init(&plan);
	ifr_plan_init(&places);
	int result = options->plan ? ifr_plan_read(options->plan, &plan, err) : 0;
	if (!result)
		result = check_axes(options->plan, &plan, err);
	if (!result)
		result = ifr_relinker_place(relinker, &plan, &layout, err);
	if (!result)
		result = ifr_relinker_layout_to_plan(layout, options->addresses, &places, err);
	if (!result) {
		/* A plan that names its units serves other builds, too: it names no kit. */
		places.kit[0] = '\0';
		ifr_plan_print(&places, &text);
		result = ifr_command_print(&text, err);
	}
	ifr_buffer_release(&text);
	ifr_relinker_layout_close(layout);
	ifr_plan_release(&places);
	ifr_plan_release(&plan);
	return result;
}

static int print_units(const struct ifr_relinker *relinker, struct ifr_error *err) {
	printf("%-18s %8s %5s  %s\n", "ADDRESS", "BYTES", "ALIGN", "UNIT");
	for (size_t i = 0; i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		printf("0x%016" PRIx64 " %8" PRIu64 " %5u  %s%s%s%s\n", unit.address, unit.bytes, unit.align, unit.name,
		       unit.pin ? " (pinned: " : "", unit.pin ? unit.pin : "", unit.pin ? ")" : "");
	}
	return fflush(stdout) ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output") : 0;
}

int ifr_command_layout(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	struct ifr_kit kit;
	struct ifr_relinker *relinker = NULL;
	argp_parse(&ifr_layout_argp, argc, argv, 0, NULL, &options);
	ifr_kit_init(&kit);
	int result = ifr_kit_of_program(options.program, &kit, &err);
	if (!result)
		result = ifr_relinker_open(&kit, &relinker, &err);
	if (!result)
		result = options.units ? print_units(relinker, &err) : print_layout(relinker, &options, &err);
	ifr_relinker_close(relinker);
	ifr_kit_release(&kit);
	return result ? ifr_command_failed(&err) : 0;
}
