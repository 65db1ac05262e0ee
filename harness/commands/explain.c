/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero explain: what the notes in an object, archive or program say (compiletime/note.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/buffer.h"
#include "common/strings.h"
#include "harness/commands/commands.h"
#include "kit/kit.h"
#include "compiletime/compiletime.h"

struct options {
	struct ifr_strings files;
	bool quiet;
};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	switch (key) {
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		ifr_strings_add(&options->files, argument);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name an object, an archive or a program");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"quiet", 'q', NULL, 0, "Leave out the single functions and variables", 0},
	{0},
};
const struct argp ifr_explain_argp = {
	table,
	parse_option,
	"FILE...",
	"Say what the compiler's axes did to each unit of an object, an archive or a program.\v"
	"For each changed function and variable, explain prints its position in the unit, its raised alignment in "
	"bytes, the number of its loops with raised alignment, the number and bytes of its nops, and the bytes added "
	"to its frame. Units compiled without a plan and without INTERFERO_TEMPLATES=1 have no notes to print.",
	NULL,
	NULL,
	NULL};

static void print_plan(const struct ifr_plan *plan) {
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	ifr_plan_print(plan, &text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 1; i < lines.count; i++)
		printf("    %s\n", lines.items[i]);
	if (lines.count < 2)
		printf("    no axis was on\n");
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
}

/* The width of a fact's column. */
static int column_width(int fact) {
	const int width = (int)strlen(ifr_note_facts[fact]) + 2;
	return width > 8 ? width : 8;
}

static void print_entry(const struct ifr_note_entry *entry) {
	for (int i = 0; i < IFR_NOTE_FACTS; i++)
		if (entry->fact[i])
			printf("%*" PRIu64, column_width(i), entry->fact[i]);
		else
			printf("%*s", column_width(i), "-");
	printf("  %s%s\n", entry->name, entry->variable ? " (variable)" : "");
}

static void print_entries(const struct ifr_note *note) {
	if (!note->entry_count)
		return;
	for (int i = 0; i < IFR_NOTE_FACTS; i++)
		printf("%*s", column_width(i), ifr_note_facts[i]);
	printf("\n");
	for (size_t i = 0; i < note->entry_count; i++)
		print_entry(&note->entries[i]);
}

static void print_note(const struct ifr_note *note, bool quiet) {
	const struct ifr_note_counts *did = &note->did;
	printf("%s  interfero %s, GCC %s%s%.12s\n", note->unit, note->plugin, note->compiler,
	       *note->template_key ? ", template " : "", note->template_key);
	print_plan(&note->plan);
	if (!quiet)
		print_entries(note);
	if (ifr_plan_axes(&note->plan))
		printf("    in all: nops at %" PRIu64 " places; ordered %" PRIu64 " functions, aligned %" PRIu64 "\n"
		       "            and %" PRIu64 " loops; frames widened %" PRIu64 ", variables moved %" PRIu64
		       "; loops in two versions %" PRIu64 "\n",
		       did->nops, did->ordered, did->functions, did->loops, did->frames, did->variables, did->checks);
	if (did->prefetches)
		printf("    advised loads with a prefetch: %" PRIu64 "\n", did->prefetches);
	if (did->split || did->copies)
		printf("    loops in successive parts %" PRIu64 ", copies of joins %" PRIu64 "\n", did->split,
		       did->copies);
}

/* The state of reading one file. */
struct reading {
	const struct options *options;
	size_t notes;
};

static int print_section(const char *member, const void *bytes, size_t length, void *data, struct ifr_error *err) {
	struct reading *reading = data;
	struct ifr_note note;
	size_t offset = 0;
	int got;
	while ((got = ifr_note_next(bytes, length, &offset, &note, err)) > 0) {
		if (*member)
			printf("%s: ", member);
		print_note(&note, reading->options->quiet);
		ifr_note_release(&note);
		reading->notes++;
	}
	return got;
}

static int explain_file(const struct options *options, const char *file, struct ifr_error *err) {
	struct reading reading = {.options = options};
	struct ifr_error inner = {0};
	int result = ifr_sections_visit(file, IFR_NOTE_SECTION, print_section, &reading, &inner);
	if (result)
		return ifr_fail(err, inner.code, "%s%s%s", strstr(inner.message, file) ? "" : file,
		                strstr(inner.message, file) ? "" : ": ", inner.message);
	if (!reading.notes)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s holds no note: its units were compiled without a plan and without "
		                "INTERFERO_TEMPLATES=1, or the notes were stripped",
		                file);
	return 0;
}

int ifr_command_explain(int argc, char **argv) {
	struct options options = {0};
	struct ifr_error err = {0};
	int result = 0;
	argp_parse(&ifr_explain_argp, argc, argv, 0, NULL, &options);
	for (size_t i = 0; i < options.files.count && !result; i++) {
		if (options.files.count > 1)
			printf("%s%s:\n", i ? "\n" : "", options.files.items[i]);
		result = explain_file(&options, options.files.items[i], &err);
	}
	ifr_strings_release(&options.files);
	return result ? ifr_command_failed(&err) : 0;
}
