/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero align: makes variants of two builds in which all functions that both have lie at equal addresses. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/commands/commands.h"
#include "harness/output/output.h"
#include "kit/kit.h"

struct options {
	const char *programs[2], *folder;
	bool quiet;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case 'o':
		options->folder = argument;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->programs[1])
			argp_error(state, "two builds at a time, not also \"%s\"", argument);
		options->programs[options->programs[0] != NULL] = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->programs[1])
			argp_error(state, "name two builds of a program: interfero align OLD NEW -o DIR");
		if (!options->folder)
			argp_error(state, "-o DIR is missing: where shall the variants go?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"output", 'o', "DIR", 0, "The folder of the variants and their plans, created if missing", 0},
	{"quiet", 'q', NULL, 0, "Print errors only", 0},
	{0},
};
const struct argp ifr_align_argp = {
	table,
	parse_option,
	"OLD NEW",
	"Give two builds of a program the same layout, so that whatever measures them measures the change and not its "
	"layout. Both were built with CC=interfero-gcc.\v"
	"DIR gets the variants \"old\" and \"new\", with their plans. All functions that both builds have lie at equal "
	"addresses, in the order of OLD: a function takes the room of the longer one, those that one build lacks come last, "
	"and the code begins where the later one does. Data are not moved. One layout is one layout: \"interfero compare\" "
	"tells a change from a layout effect by many.\n"
	"\n"
	"Exit status: 0 all functions that both have lie at equal addresses, 1 some do not, 2 usage, 4 the machine or a "
	"file.",
	NULL,
	NULL,
	NULL};

/* One build. */
struct side {
	struct ifr_kit kit;
	struct ifr_builder *builder;
	const struct ifr_relinker *relinker;
	uint64_t *addresses; /* in its variant, by unit of the relinker */
};

static int open_side(const char *name, struct side *side, struct ifr_error *err) {
	bool found = false;
	ifr_kit_init(&side->kit);
	int result = ifr_kit_find(name, &side->kit, &found, err);
	if (!result && !found)
		result = ifr_fail(err, IFR_E_USAGE, "%s has no kit: build it with CC=interfero-gcc", name);
	if (!result)
		result = ifr_builder_open(&side->kit, &side->builder, err);
	if (!result)
		side->relinker = ifr_builder_relinker(side->builder);
	return result;
}

static void close_side(struct side *side) {
	ifr_builder_close(side->builder);
	ifr_kit_release(&side->kit);
	free(side->addresses);
}

/* --- the plan ---------------------------------------------------------------------------------------------------- */

static bool is_code(const struct ifr_relinker_unit *unit) {
	return ifr_starts_with(unit->section, ".text");
}

/* Lists the code that both have; lone[s] receives the number of functions that only side s has. The caller frees. */
static struct ifr_unit_pair *find_common(const struct side sides[2], size_t *count, size_t lone[2]) {
	size_t all;
	struct ifr_unit_pair *pairs = ifr_unit_pairs_make(sides[0].relinker, sides[1].relinker, &all);
	*count = 0;
	for (size_t i = 0; i < all; i++) {
		const bool both = pairs[i].in[0] && pairs[i].in[1];
		if (!is_code(&pairs[i].unit[!pairs[i].in[0]]))
			continue;
		if (both)
			pairs[(*count)++] = pairs[i];
		else
			lone[pairs[i].in[1]]++;
	}
	return pairs;
}

static int by_old_address(const void *a, const void *b) {
	const struct ifr_unit_pair *x = a, *y = b;
	return (x->unit[0].address > y->unit[0].address) - (x->unit[0].address < y->unit[0].address);
}

/* The order of OLD for what both have, with what makes the layouts match. */
static void make_plan(const struct side sides[2], struct ifr_unit_pair *units, size_t count,
                      struct ifr_plan *plan) {
	ifr_plan_init(plan);
	qsort(units, count, sizeof *units, by_old_address);
	for (size_t i = 0; i < count; i++)
		ifr_plan_place(plan, units[i].unit[0].name);
	ifr_plan_match_programs(sides[0].relinker, sides[1].relinker, false, plan);
}

/* --- the variants ------------------------------------------------------------------------------------------------ */

static int make_variant(struct side *side, const struct ifr_plan *plan, const char *name, const char *folder,
                        struct ifr_error *err) {
	struct ifr_plan own;
	struct ifr_variant variant = {0};
	struct ifr_relinker_layout *layout = NULL;
	ifr_plan_copy(&own, plan);
	strcpy(own.kit, side->kit.key);
	snprintf(own.name, sizeof own.name, "%s", name);
	side->addresses = ifr_alloc((ifr_relinker_unit_count(side->relinker) + 1) * sizeof *side->addresses);
	int result = ifr_relinker_place(side->relinker, &own, &layout, err);
	if (!result)
		result = ifr_relinker_layout_addresses(layout, side->addresses, err);
	if (!result)
		result = ifr_builder_write(side->builder, &own, folder, true, &variant, err);
	ifr_relinker_layout_close(layout);
	ifr_buffer_release(&variant.facts);
	ifr_plan_release(&own);
	return result;
}

/* --- the outcome ------------------------------------------------------------------------------------------------- */

static void print_different(const struct ifr_unit_pair *unit, const struct side sides[2]) {
	struct ifr_buffer name = {0};
	const char *pin = unit->unit[0].pin ? unit->unit[0].pin : unit->unit[1].pin;
	ifr_escape_plain(&name, unit->unit[0].name);
	printf("  0x%-10" PRIx64 " 0x%-10" PRIx64 " %s%s%s\n", sides[0].addresses[unit->index[0]],
	       sides[1].addresses[unit->index[1]], ifr_buffer_text(&name), pin ? ": pinned, " : "", pin ? pin : "");
	ifr_buffer_release(&name);
}

/* Prints what lies where. Returns the number of functions at different addresses. */
static size_t print_outcome(const struct options *options, const struct side sides[2],
                            const struct ifr_unit_pair *units, size_t count, const size_t lone[2]) {
	enum { LISTED_MOST = 20 };
	size_t different = 0, shipped = 0, longer = 0;
	for (size_t i = 0; i < count; i++) {
		different += sides[0].addresses[units[i].index[0]] != sides[1].addresses[units[i].index[1]];
		shipped += units[i].unit[0].address == units[i].unit[1].address;
		longer += units[i].unit[0].bytes != units[i].unit[1].bytes;
	}
	if (options->quiet)
		return different;
	printf("%zu of %zu functions that both have lie at equal addresses; as shipped %zu do.\n", count - different,
	       count, shipped);
	printf("%zu differ in size; %zu only OLD has, and %zu only NEW: these come last.\n", longer, lone[0], lone[1]);
	if (different)
		printf("\n  OLD          NEW          at different addresses\n");
	for (size_t i = 0, listed = 0; i < count && listed < LISTED_MOST; i++)
		if (sides[0].addresses[units[i].index[0]] != sides[1].addresses[units[i].index[1]]) {
			print_different(&units[i], sides);
			listed++;
		}
	if (different > LISTED_MOST)
		printf("  and %zu more\n", different - LISTED_MOST);
	printf("\n%s/old\n%s/new\n", options->folder, options->folder);
	return different;
}

static int align_builds(const struct options *options, struct side sides[2], bool *equal, struct ifr_error *err) {
	static const char *const names[2] = {"old", "new"};
	size_t count = 0, lone[2] = {0};
	struct ifr_unit_pair *units = NULL;
	struct ifr_plan plan;
	int result = ifr_dir_make(options->folder, err);
	ifr_plan_init(&plan);
	for (int s = 0; s < 2 && !result; s++)
		result = open_side(options->programs[s], &sides[s], err);
	if (!result) {
		units = find_common(sides, &count, lone);
		make_plan(sides, units, count, &plan);
	}
	if (!result && !count)
		result = ifr_fail(err, IFR_E_USAGE, "%s and %s have no function in common", options->programs[0],
		                  options->programs[1]);
	for (int s = 0; s < 2 && !result; s++)
		result = make_variant(&sides[s], &plan, names[s], options->folder, err);
	if (!result)
		*equal = !print_outcome(options, sides, units, count, lone);
	if (!result && (fflush(stdout) || ferror(stdout)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
	ifr_plan_release(&plan);
	free(units);
	return result;
}

int ifr_command_align(int argc, char **argv) {
	enum { NOT_EQUAL = 1 };
	struct options options = {.folder = NULL};
	struct ifr_error err = {0};
	struct side sides[2] = {{.builder = NULL}};
	bool equal = false;
	argp_parse(&ifr_align_argp, argc, argv, 0, NULL, &options);
	int result = align_builds(&options, sides, &equal, &err);
	close_side(&sides[0]);
	close_side(&sides[1]);
	return result ? ifr_command_failed(&err) : equal ? 0 : NOT_EQUAL;
}
