/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero record: runs a program once and records its execution without addresses. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/progress.h"
#include "harness/exec/exec.h"
#include "harness/simulate/simulate.h"

enum {
	KEY_STDIN = 256,
	KEY_ENV,
	KEY_FROM,
	KEY_TO,
	KEY_EVERY,
	KEY_CHECK,
	KEY_ALL,
	KEY_TIMEOUT,
	KEY_REGION,
	KEY_OBJECTS,
	KEY_BUDGET,
	KEY_SIZE,
	KEY_ONCE,
	KEY_RECORDER
};

struct options {
	struct ifr_recording_request request;
	struct ifr_strings environment;
	const char *plan;
	int64_t budget_ns;
	bool check, quiet, once;
};

/* Parses the bounds of the recording. Returns 1 for another option. */
static int parse_bound(int key, const char *argument, struct options *options, struct ifr_error *err) {
	switch (key) {
	case KEY_FROM:
		return option_number("--from", argument, 0, INT64_MAX, &options->request.from, err);
	case KEY_TO:
		return option_number("--to", argument, 1, INT64_MAX, &options->request.to, err);
	case KEY_EVERY:
		return option_number("--every", argument, IFR_RECORDING_SAMPLE, INT64_MAX, &options->request.every, err);
	case KEY_TIMEOUT:
		return option_duration("--timeout", argument, &options->request.timeout_ns, err);
	case KEY_BUDGET:
		return option_duration("--budget", argument, &options->budget_ns, err);
	case KEY_SIZE:
		return option_size("--max-size", argument, &options->request.most_bytes, err);
	case KEY_ONCE:
		options->once = true;
		return 0;
	default:
		return 1;
	}
}

static void check_options(const struct options *options, struct argp_state *state) {
	if (!options->request.argv)
		argp_error(state, "which program? interfero record -- ./prog args");
	if (options->request.to && options->request.to <= options->request.from)
		argp_error(state, "--to must be more than --from");
	if (options->request.region && (!*options->request.region || strpbrk(options->request.region, ",")))
		argp_error(state, "a region without a name, or with a comma in it, cannot be recorded");
	if (options->check && (options->plan || options->request.from || options->request.to))
		argp_error(state, "--check records the whole program under layouts of its own: no --plan, --from, --to");
}

static void parse_recorder(const char *name, struct options *options, struct argp_state *state) {
	options->request.recorder = ifr_recorder_named(name);
	if (options->request.recorder == IFR_RECORDERS)
		argp_error(state, "--recorder is auto, valgrind or qemu, not \"%s\"", name);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	const int bound = parse_bound(key, argument, options, &err);
	if (bound < 0)
		option_refuse(state, &err);
	if (bound <= 0)
		return 0;
	switch (key) {
	case 'o':
		options->request.path = argument;
		if (option_file("-o", argument, &err))
			option_refuse(state, &err);
		return 0;
	case 'p':
		options->plan = argument;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case KEY_CHECK:
		options->check = true;
		return 0;
	case KEY_ALL:
		options->request.everything = true;
		return 0;
	case KEY_OBJECTS:
		options->request.objects = true;
		return 0;
	case KEY_RECORDER:
		parse_recorder(argument, options, state);
		return 0;
	case KEY_REGION:
		options->request.region = argument;
		return 0;
	case KEY_STDIN:
		options->request.stdin_file = argument;
		return 0;
	case KEY_ENV:
		ifr_strings_add(&options->environment, argument);
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->request.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check_options(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"output", 'o', "TRACE", 0, "The trace's file (PROG.trace)", 1},
	{"check", KEY_CHECK, NULL, 0,
     "Record again in another layout and compare: does the program's behaviour depend on addresses?", 1},
	{"from", KEY_FROM, "N", 0, "Record from the Nth instruction, in whole blocks (0)", 1},
	{"to", KEY_TO, "N", 0, "Record up to the Nth instruction (the end)", 1},
	{"every", KEY_EVERY, "N", 0, "Record a sample of two million instructions of each N, at a random place (all)",
     1},
	{"region", KEY_REGION, "NAME", 0, "Record the code between IFR_BEGIN(\"NAME\") and IFR_END of interfero.h", 1},
	{"objects", KEY_OBJECTS, NULL, 0,
     "Record the heap's objects, which the axes heap and blocks need. The allocator's own instructions are left "
     "out",
     1},
	{"plan", 'p', "FILE", 0, "Record the variant that this plan makes, not the program itself", 1},
	{"budget", KEY_BUDGET, "TIME", 0,
     "End within this time, with the plain run and the check: 90s, 5m, 1h (no limit)", 1},
	{"timeout", KEY_TIMEOUT, "TIME", 0,
     "Stop a run after this time: a failure, unless the part to record is complete (never)", 1},
	{"max-size", KEY_SIZE, "SIZE", 0, "Stop where the trace becomes larger: 200k, 20M, 1G (no limit)", 1},
	{"once", KEY_ONCE, NULL, 0,
     "Run the program under the recorder alone, not once without it before. Without that run, the time left is not "
     "known, nor whether the program ever ends where it chooses its iterations by the clock",
     1},
	{"recorder", KEY_RECORDER, "NAME", 0,
     "valgrind, qemu, or auto: valgrind, which is faster (INTERFERO_RECORDER, else auto). Both record the same, but for "
     "the library routines that a program chooses by its processor",
     1},
	{"stdin", KEY_STDIN, "FILE", 0, "The program's standard input (/dev/null)", 1},
	{"env", KEY_ENV, "NAME[=VALUE]", 0, "Add to the program's environment (PATH, HOME, LC_ALL=C)", 1},
	{"all-accesses", KEY_ALL, NULL, 0,
     "Also record addresses that follow from others: slower, for tests of the recorder", 1},
	{"quiet", 'q', NULL, 0, "Say nothing but warnings and errors", 1},
	{0},
};
const struct argp ifr_record_argp = {
	table,
	parse_option,
	"-- PROGRAM [ARGS...]",
	"Run a program once under a recorder and write down its blocks and data accesses without addresses. \"interfero "
	"replay\" then counts events in any layout, on any described machine.\v"
	"Any 64-bit program can be recorded; replaying other layouts of its code needs a build with interfero-gcc. "
	"The recorder answers clocks and random numbers, so that two recordings of a command with one thread are the "
	"same bytes. The program runs plainly first: recording takes some ten times as long. A benchmark that repeats "
	"its work until enough time has passed would never end here; it is recognised, and ended. Threads run one at a "
	"time while they are recorded, and their order may differ between "
	"recordings. Child processes are not recorded.\n"
	"\n"
	"Exit status: 0 recorded, 1 --check found that the behaviour depends on addresses, 2 usage, 3 the program "
	"failed (the trace is written all the same), 4 the machine or a file, 130 interrupted.",
	NULL,
	NULL,
	NULL};

static void print_notes(const struct ifr_recorded *recorded) {
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	/* Every program of a recent C library asks for some, for malloc: the trace has the note. */
	struct ifr_recorded shown = *recorded;
	shown.notes[IFR_RECORDING_NOTE_RANDOM] = 0;
	ifr_recorded_print_notes(&shown, &text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < lines.count; i++)
		ifr_command_note("%s", lines.items[i] + strlen("note "));
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
}

static void print_recorded(const char *path, const struct ifr_recorded *recorded) {
	struct stat file;
	double bytes = stat(path, &file) ? 0 : (double)file.st_size;
	fprintf(stderr,
	        "%s: %.4f bytes an instruction\n"
	        "  %" PRIu64 " instructions, %" PRIu64 " blocks run, %" PRIu64 " accesses\n",
	        path, recorded->totals.instructions ? bytes / (double)recorded->totals.instructions : 0.0,
	        recorded->totals.instructions, recorded->totals.executions, recorded->totals.accesses);
}

/* The plain run, where it tells anything: a window ends by its instructions. */
static int time_plain(struct options *options, struct ifr_error *err) {
	return options->once || options->request.to ? 0 : ifr_recording_time_plain(&options->request, err);
}

static int record_program(struct options *options, struct ifr_recorded *recorded, struct ifr_error *err) {
	struct ifr_plan plan;
	struct ifr_recording_request *request = &options->request;
	ifr_plan_init(&plan);
	int result = options->plan ? ifr_plan_read(options->plan, &plan, err) : 0;
	request->plan = options->plan ? &plan : NULL;
	if (!result)
		result = time_plain(options, err);
	if (!result)
		result = ifr_recording_make(request, recorded, err);
	if (request->progress)
		progress_clear();
	request->plan = NULL;
	ifr_plan_release(&plan);
	if (result)
		return result;
	if (request->region && !recorded->notes[IFR_RECORDING_NOTE_BEGIN])
		ifr_command_note("the program never entered the region \"%s\": the trace is empty", request->region);
	if (recorded->end == IFR_RECORDING_CUT)
		ifr_command_note("the part to record is complete; the program was ended there");
	print_notes(recorded);
	if (!options->quiet)
		print_recorded(request->path, recorded);
	return 0;
}

static int check_recording(const struct options *options, bool *same, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = ifr_recording_check(&options->request, same, &text, err);
	if (options->request.progress)
		progress_clear();
	if (!result)
		fputs(ifr_buffer_text(&text), stdout);
	ifr_buffer_release(&text);
	return result;
}

int ifr_command_record(int argc, char **argv) {
	struct options options = {0};
	struct ifr_recorded recorded = {0};
	struct ifr_patience patience;
	struct ifr_error err = {0};
	char *program = NULL, *path = NULL;
	bool same = true, written = false;
	argp_parse(&ifr_record_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	catch_interrupts();
	int result = campaign_options_find_program(options.request.argv[0], &program, &err);
	if (!result) {
		path = ifr_format("%s.trace", ifr_path_base(program));
		options.request.program = program;
		options.request.more_environment = &options.environment;
		options.request.deadline_ns = options.budget_ns ? ifr_clock_ns() + options.budget_ns : 0;
		options.request.progress = progress_wanted(options.quiet) ? progress_show_recording : NULL;
		if (!options.request.path)
			options.request.path = path;
		const bool shown = progress_wanted(options.quiet);
		patience = (struct ifr_patience){.program = options.request.argv[0],
		                                 .limit_ns = ifr_recording_time_left(&options.request),
		                                 .options = "--timeout or --budget",
		                                 .say = options.quiet ? NULL
		                                        : shown       ? progress_say_over
		                                                      : ifr_command_say,
		                                 .progress = shown ? progress_show_waiting : NULL};
		options.request.patience = &patience;
		result = record_program(&options, &recorded, &err);
		written = !result;
	}
	if (!result && options.check)
		result = check_recording(&options, &same, &err);
	free(program);
	free(path);
	ifr_strings_release(&options.environment);
	if (ifr_launch_interrupted()) {
		if (written)
			ifr_command_note("interrupted; %s was written, and is not checked", options.request.path);
		else
			ifr_command_note("interrupted; no trace was written");
		return STOPPED_BY_INTERRUPT;
	}
	if (result && written)
		ifr_command_note("%s was written, and is not checked", options.request.path);
	if (result)
		return ifr_command_failed(&err);
	if (recorded.exit_status)
		ifr_command_note("the program ended with status %d", recorded.exit_status);
	return recorded.exit_status ? IFR_E_PROGRAM : same ? 0 : IFR_E_REGRESSION;
}
