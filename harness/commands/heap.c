/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero heap: compares allocators in one program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/progress.h"
#include "harness/heap/heap.h"
#include "harness/exec/exec.h"

struct options {
	struct ifr_heap_plan plan;
	bool json;
};

enum { KEY_MARKER = 256, KEY_STDIN, KEY_ENV, KEY_TIMEOUT };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	uint64_t number = 0;
	switch (key) {
	case 'r':
		if (option_number("--runs", argument, 1, 1000, &number, &err))
			option_refuse(state, &err);
		options->plan.runs = (unsigned)number;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case KEY_MARKER:
		options->plan.marker = argument;
		return 0;
	case KEY_TIMEOUT:
		if (option_duration("--timeout", argument, &options->plan.timeout_ns, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_STDIN:
		options->plan.stdin_file = argument;
		return 0;
	case KEY_ENV:
		ifr_strings_add(&options->plan.environment, argument);
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->plan.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero heap -- ./prog args");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"runs", 'r', "N", 0, "Runs under each allocator (5)", 1},
	{"repeat-marker", KEY_MARKER, "NAME", 0,
     "Time one pass through IFR_REPEAT(\"NAME\") of interfero.h instead of the whole program", 1},
	{"timeout", KEY_TIMEOUT, "TIME", 0, "Kill a run that takes longer (20 times the first run, at least 10s)", 1},
	{"stdin", KEY_STDIN, "FILE", 0, "The program's standard input (/dev/null)", 1},
	{"env", KEY_ENV, "NAME[=VALUE]", 0, "Add to the program's environment (PATH, HOME, LC_ALL=C)", 1},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 1},
	{0},
};
const struct argp ifr_heap_argp = {
	table,
	parse_option,
	"-- PROGRAM [ARGS...]",
	"Run a program under each installed allocator and under interfero's own policies, and compare the page "
	"offsets of large blocks, the pairs of blocks that alias, time and memory.\v"
	"The program must be dynamically linked; it need not be built with interfero-gcc. Memory is the maximum "
	"resident set size, which includes interfero's own start of the process.\n"
	"\n"
	"Exit status: 0 measured, 2 usage, 3 the program failed, 4 the machine or a file.",
	NULL,
	NULL,
	NULL};

static int print_results(const struct options *options, const struct ifr_heap_row *rows, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = 0;
	if (options->json)
		ifr_heap_json(&options->plan, rows, &text);
	else
		ifr_heap_text(&options->plan, rows, &text);
	if (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the table to standard output");
	ifr_buffer_release(&text);
	return result;
}

static void note_left(const struct ifr_heap_row *rows) {
	unsigned left = 0;
	for (int a = 0; a < IFR_ALLOCATORS; a++)
		left += rows[a].left;
	if (left)
		ifr_command_note(
			"the program leaves processes running when it ends, such as daemons: they were ended with "
			"each run");
}

int ifr_command_heap(int argc, char **argv) {
	struct options options = {.plan = {.runs = 5, .cpu = -1}};
	struct ifr_heap_row rows[IFR_ALLOCATORS];
	struct ifr_error err = {0};
	argp_parse(&ifr_heap_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	const char *name = options.plan.argv[0];
	char *found = ifr_program_find(name, NULL);
	options.plan.program = found;
	catch_interrupts();
	const bool shown = progress_wanted(false);
	options.plan.say = shown ? progress_say_over : ifr_command_say;
	options.plan.waiting = shown ? progress_show_waiting : NULL;
	int result = found ? ifr_heap_compare(&options.plan, rows, &err)
	                   : ifr_fail(&err, IFR_E_USAGE, "there is no program %s", *name ? name : "\"\"");
	if (shown)
		progress_clear();
	if (!result && !ifr_launch_interrupted()) {
		result = print_results(&options, rows, &err);
		note_left(rows);
	}
	int status = STOPPED_BY_INTERRUPT;
	if (ifr_launch_interrupted())
		ifr_command_note("interrupted; nothing was measured");
	else
		status = result ? ifr_command_failed(&err) : 0;
	ifr_strings_release(&options.plan.environment);
	free(found);
	return status;
}
