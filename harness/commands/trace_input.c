/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/trace_input.h"

#include <stdlib.h>

#include "common/file.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/commands.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/progress.h"

enum { KEY_STDIN = 4096, KEY_ENV, KEY_TIMEOUT, KEY_EVERY, KEY_OUTPUT = 'o' };

/* A word behind "--" begins the program; another is the trace. */
static void parse_word(char *word, struct trace_input *input, struct argp_state *state) {
	if (state->quoted && state->next - 1 >= state->quoted) {
		input->recording.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return;
	}
	if (input->trace)
		argp_error(state, "one trace at a time, not also \"%s\"; a program stands behind --", word);
	input->trace = word;
}

static void check_input(const struct trace_input *input, struct argp_state *state) {
	const struct ifr_recording_request *recording = &input->recording;
	if (!input->trace && !recording->argv)
		argp_error(state, "which program or trace? %s -- ./prog args", state->name);
	if (input->trace && recording->argv)
		argp_error(state, "a trace, or a program behind --, not both");
	if (input->trace && (input->kept || recording->stdin_file || recording->objects || recording->timeout_ns ||
	                     recording->every || input->environment.count))
		argp_error(
			state,
			"--stdin, --env and other options of a recording are for a program: leave them out with a trace");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct trace_input *input = state->input;
	struct ifr_error err = {0};
	int result = 0;
	switch (key) {
	case KEY_OUTPUT:
		input->kept = argument;
		result = option_file("-o", argument, &err);
		break;
	case KEY_TIMEOUT:
		result = option_duration("--timeout", argument, &input->recording.timeout_ns, &err);
		break;
	case KEY_EVERY:
		result =
			option_number("--every", argument, IFR_RECORDING_SAMPLE, INT64_MAX, &input->recording.every, &err);
		break;
	case KEY_STDIN:
		input->recording.stdin_file = argument;
		return 0;
	case KEY_ENV:
		ifr_strings_add(&input->environment, argument);
		return 0;
	case ARGP_KEY_ARG:
		parse_word(argument, input, state);
		return 0;
	case ARGP_KEY_END:
		check_input(input, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (result)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option table[] = {
	{"output", KEY_OUTPUT, "TRACE", 0, "Keep the recording of the program in this file", 1},
	{"every", KEY_EVERY, "N", 0,
     "Record a sample of two million instructions of each N alone, for long runs (all)", 1},
	{"stdin", KEY_STDIN, "FILE", 0, "The program's standard input (/dev/null)", 1},
	{"env", KEY_ENV, "NAME[=VALUE]", 0, "Add to the program's environment (PATH, HOME, LC_ALL=C)", 1},
	{"timeout", KEY_TIMEOUT, "TIME", 0, "End the recorded run after this time: 90s, 5m (never)", 1},
	{0},
};
const struct argp trace_input_argp = {table, parse_option, NULL, NULL, NULL, NULL, NULL};

static int record_program(struct trace_input *input, const char *path, bool quiet, int *status,
                          struct ifr_error *err) {
	struct ifr_recording_request *request = &input->recording;
	struct ifr_recorded recorded = {0};
	char *program = NULL;
	int result = campaign_options_find_program(request->argv[0], &program, err);
	request->program = program;
	request->more_environment = &input->environment;
	request->path = path;
	request->silent = true;
	request->progress = progress_wanted(quiet) ? progress_show_recording : NULL;
	if (!result)
		result = ifr_recording_make(request, &recorded, err);
	if (request->progress)
		progress_clear();
	*status = recorded.exit_status;
	if (!result && *status)
		ifr_command_note("the program ended with status %d", *status);
	free(program);
	return result;
}

/* A temporary recording is removed at once: readers are opened from the trace, not by its name. */
int trace_input_open(struct trace_input *input, bool quiet, struct ifr_trace **trace, int *status,
                     struct ifr_error *err) {
	char *folder = NULL;
	*status = 0;
	if (input->trace)
		return ifr_trace_open(input->trace, trace, err);
	int result = input->kept ? 0 : ifr_temporary_dir(&folder, err);
	if (result)
		return result;
	char *path = input->kept ? ifr_strdup(input->kept) : ifr_format("%s/program.trace", folder);
	result = record_program(input, path, quiet, status, err);
	if (!result)
		result = ifr_trace_open(path, trace, err);
	if (folder)
		ifr_tree_remove(folder, NULL);
	free(folder);
	free(path);
	return result;
}

void trace_input_release(struct trace_input *input) {
	ifr_strings_release(&input->environment);
}
