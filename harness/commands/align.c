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
	"and the code begins where the later one does. Data are not moved. A table tells what moved and why. One layout "
	"is one layout: \"interfero compare\" "
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

/* The code of both builds, by function. */
struct functions {
	struct ifr_unit_pair *all, *common; /* common: [common_count] that both have */
	size_t count, common_count, lone[2];
};

/* The caller frees both lists. */
static void find_functions(const struct side sides[2], struct functions *f) {
	size_t pairs;
	f->all = ifr_unit_pairs_make(sides[0].relinker, sides[1].relinker, &pairs);
	f->common = ifr_alloc((pairs + 1) * sizeof *f->common);
	for (size_t i = 0; i < pairs; i++) {
		const struct ifr_unit_pair *pair = &f->all[i];
		if (!is_code(&pair->unit[!pair->in[0]]))
			continue;
		if (pair->in[0] && pair->in[1])
			f->common[f->common_count++] = *pair;
		else
			f->lone[pair->in[1]]++;
		f->all[f->count++] = *pair;
	}
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

enum { LISTED_MOST = 20 };

static void print_different(const struct ifr_unit_pair *unit, const struct side sides[2]) {
	struct ifr_buffer name = {0};
	const char *pin = unit->unit[0].pin ? unit->unit[0].pin : unit->unit[1].pin;
	ifr_escape_plain(&name, unit->unit[0].name);
	printf("  0x%-10" PRIx64 " 0x%-10" PRIx64 " %s%s%s\n", sides[0].addresses[unit->index[0]],
	       sides[1].addresses[unit->index[1]], ifr_buffer_text(&name), pin ? ": pinned, " : "", pin ? pin : "");
	ifr_buffer_release(&name);
}

static void describe_cause(const struct ifr_moved_units *run, unsigned side, struct ifr_buffer *out) {
	static const char *const names[2] = {"OLD", "NEW"};
	struct ifr_buffer name = {0};
	if (run->unit)
		ifr_escape_plain(&name, run->unit);
	const char *unit = ifr_buffer_text(&name), *other = names[!side];
	if (run->cause == IFR_MOVE_LONGER)
		ifr_buffer_printf(out, "%s has %" PRIu64 " bytes more in %s", unit, run->more, other);
	else if (run->cause == IFR_MOVE_LONE && run->more > 1)
		ifr_buffer_printf(out, "%s and %" PRIu64 " more, which %s lacks, come last", unit, run->more - 1, other);
	else if (run->cause == IFR_MOVE_LONE)
		ifr_buffer_printf(out, "%s, which %s lacks, comes last", unit, other);
	else
		ifr_buffer_puts(out, run->cause == IFR_MOVE_START   ? "the code begins later in the other build"
		                     : run->cause == IFR_MOVE_ORDER ? "the order of OLD holds"
		                                                    : "alignment");
	ifr_buffer_release(&name);
}

/* Prints what moves from where it shipped in a build, and why. */
static void print_moved(unsigned side, const struct side *of_side, struct functions *f) {
	static const char *const names[2] = {"OLD", "NEW"};
	struct ifr_moved_units *moved = ifr_alloc((f->count + 1) * sizeof *moved);
	const size_t runs = ifr_moved_units_list(f->all, f->count, side, of_side->addresses, moved);
	if (runs)
		printf("\n  Moved in %s:\n  %-12s %9s %9s  from                      because\n", names[side], "as shipped",
		       "bytes", "functions");
	for (size_t i = 0; i < runs && i < LISTED_MOST; i++) {
		const struct ifr_relinker_unit *first = &f->all[moved[i].first].unit[side];
		struct ifr_buffer name = {0}, cause = {0};
		ifr_escape_plain(&name, first->name);
		describe_cause(&moved[i], side, &cause);
		printf("  0x%-10" PRIx64 " %+9" PRId64 " %9zu  %-25s %s\n", first->address, moved[i].bytes, moved[i].count,
		       ifr_buffer_text(&name), ifr_buffer_text(&cause));
		ifr_buffer_release(&name);
		ifr_buffer_release(&cause);
	}
	if (runs > LISTED_MOST)
		printf("  and %zu more\n", runs - LISTED_MOST);
	free(moved);
}

/* Prints the functions at different addresses. */
static void print_all_different(const struct side sides[2], const struct functions *f, size_t different) {
	if (different)
		printf("\n  OLD          NEW          at different addresses\n");
	for (size_t i = 0, listed = 0; i < f->common_count && listed < LISTED_MOST; i++)
		if (sides[0].addresses[f->common[i].index[0]] != sides[1].addresses[f->common[i].index[1]]) {
			print_different(&f->common[i], sides);
			listed++;
		}
	if (different > LISTED_MOST)
		printf("  and %zu more\n", different - LISTED_MOST);
}

/* Prints what lies where. Returns the number of functions at different addresses. */
static size_t print_outcome(const struct options *options, const struct side sides[2], struct functions *f) {
	size_t different = 0, shipped = 0, longer = 0;
	for (size_t i = 0; i < f->common_count; i++) {
		const struct ifr_unit_pair *pair = &f->common[i];
		different += sides[0].addresses[pair->index[0]] != sides[1].addresses[pair->index[1]];
		shipped += pair->unit[0].address == pair->unit[1].address;
		longer += pair->unit[0].bytes != pair->unit[1].bytes;
	}
	if (options->quiet)
		return different;
	printf("%zu of %zu functions that both have lie at equal addresses; as shipped %zu do.\n",
	       f->common_count - different, f->common_count, shipped);
	printf("%zu differ in size; %zu only OLD has, and %zu only NEW: these come last.\n", longer, f->lone[0],
	       f->lone[1]);
	print_all_different(sides, f, different);
	for (unsigned side = 0; side < 2; side++)
		print_moved(side, &sides[side], f);
	printf("\n%s/old\n%s/new\n", options->folder, options->folder);
	return different;
}

static int align_builds(const struct options *options, struct side sides[2], bool *equal, struct ifr_error *err) {
	static const char *const names[2] = {"old", "new"};
	struct functions f = {0};
	struct ifr_plan plan;
	int result = ifr_dir_make(options->folder, err);
	ifr_plan_init(&plan);
	for (int s = 0; s < 2 && !result; s++)
		result = open_side(options->programs[s], &sides[s], err);
	if (!result) {
		find_functions(sides, &f);
		make_plan(sides, f.common, f.common_count, &plan);
	}
	if (!result && !f.common_count)
		result = ifr_fail(err, IFR_E_USAGE, "%s and %s have no function in common", options->programs[0],
		                  options->programs[1]);
	for (int s = 0; s < 2 && !result; s++)
		result = make_variant(&sides[s], &plan, names[s], options->folder, err);
	if (!result)
		*equal = !print_outcome(options, sides, &f);
	if (!result && (fflush(stdout) || ferror(stdout)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
	ifr_plan_release(&plan);
	free(f.all);
	free(f.common);
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
