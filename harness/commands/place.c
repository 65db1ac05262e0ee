/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero place: moves single functions whose hot branches share entries, or whose hot blocks lie across windows. */
#include "harness/optimize/optimize.h"

#include <stdio.h>
#include <unistd.h>

#include "common/file.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/progress.h"
#include "harness/commands/trace_input.h"
#include "harness/commands/trace_notes.h"
#include "harness/exec/exec.h"

struct options {
	struct trace_input input;
	const char *machine, *output, *code;
	unsigned functions;
	bool json, quiet;
};

enum { KEY_MACHINE = 256, KEY_FUNCTIONS, KEY_CODE };

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	uint64_t number;
	int rc = 0;
	switch (key) {
	case KEY_MACHINE:
		rc = machine_option(argument, &options->machine, &err);
		break;
	case KEY_FUNCTIONS:
		rc = option_number("--functions", argument, 1, 64, &number, &err);
		options->functions = (unsigned)number;
		break;
	case 'o':
		options->output = argument;
		rc = option_output("-o", argument, false, &err);
		break;
	case KEY_CODE:
		options->code = argument;
		rc = option_output("--code", argument, false, &err);
		break;
	case 'j':
		options->json = true;
		break;
	case 'q':
		options->quiet = true;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->input;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option table[] = {
	{"machine", KEY_MACHINE, "MACHINE", 0, "The machine, NAME or FILE, with changes (skylake)", 1},
	{"functions", KEY_FUNCTIONS, "N", 0, "Functions to try, those most in their own way (8)", 1},
	{"output", 'o', "FILE", 0, "Write a plan with the places that gain something", 2},
	{"code", KEY_CODE, "FILE", 0, "Write a plan with the nops or the copies of code that save something", 2},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 2},
	{"quiet", 'q', NULL, 0, "No progress", 2},
	{0},
};
static const struct argp_child children[] = {{&trace_input_argp, 0, NULL, 3}, {0}};
const struct argp ifr_place_argp = {
	table,
	parse_option,
	"TRACE | -- PROGRAM [ARGS...]",
	"Find functions that are in their own way on a described machine, and better places for them: hot branches that "
	"share a set of the BTB with more branches than it has ways, or an entry of the outcome predictor, and hot blocks "
	"that enter more windows of the op cache than they need.\v"
	"Each function is tried at 7 places, 16 bytes apart modulo a page, behind all others, so that nothing else changes; "
	"its gain is that of the model's cycles. The program needs a kit. With templates in it, nops in front of one of "
	"two branches that share an entry are tried, too. Loops of a constant number of trips and joins of paths whose "
	"branch the predictor mispredicts are proposed for copies, with the mispredictions before and after, as if copies "
	"shared no entry; with sources in the kit, --code writes the plan. A modelled gain is a proposal. The clock "
	"confirms or refutes it on fresh runs:\n"
	"  interfero cure --plan FILE --axes stack,load -- PROGRAM [ARGS...]\n"
	"\n"
	"Exit status: 0 done, 2 usage, 3 the program failed, 4 the machine or a file, 130 interrupted.",
	children,
	NULL,
	NULL};

static int write_plan(const char *path, const struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	if (!path || (!plan->place_count && !ifr_plan_axes(plan)))
		return 0;
	ifr_plan_print(plan, &text);
	const int rc = ifr_file_write(path, text.data, text.length, 0666, err);
	ifr_buffer_release(&text);
	return rc;
}

static void say_confirmation(const char *path, const struct ifr_plan *plan, struct ifr_buffer *text) {
	if (path && (plan->place_count || ifr_plan_axes(plan)))
		ifr_buffer_printf(
			text, "confirm %s by the clock:\n  interfero cure --plan %s --axes stack,load -- PROGRAM [ARGS...]\n",
			path, path);
}

static int find_places(const struct options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                       struct ifr_error *err) {
	const bool shown = progress_wanted(options->quiet);
	const struct ifr_place_request request = {.trace = trace,
	                                          .machine = machine,
	                                          .machine_name = options->machine,
	                                          .functions = options->functions,
	                                          .progress = shown ? progress_show_replay : NULL};
	struct ifr_place_result result = {0};
	struct ifr_plan shipped;
	struct ifr_buffer text = {0};
	ifr_plan_init(&shipped);
	int rc = trace_notes_check_plans(trace, &shipped, 1, err);
	if (!rc)
		rc = ifr_place_find(&request, &result, err);
	if (shown)
		progress_clear();
	if (!rc)
		rc = write_plan(options->output, &result.plan, err);
	if (!rc)
		rc = write_plan(options->code, &result.code, err);
	if (!rc) {
		if (options->json) {
			ifr_place_json(&result, &text);
		} else {
			ifr_place_text(&result, &text);
			say_confirmation(options->output, &result.plan, &text);
			say_confirmation(options->code, &result.code, &text);
		}
		rc = ifr_command_print(&text, err);
	}
	ifr_buffer_release(&text);
	ifr_place_release(&result);
	return rc;
}

int ifr_command_place(int argc, char **argv) {
	struct options options = {.machine = "skylake", .functions = 8};
	struct ifr_machine *machine = NULL;
	struct ifr_trace *trace = NULL;
	struct ifr_error err = {0};
	int status = 0;
	argp_parse(&ifr_place_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	int rc = ifr_machine_open(&machine, options.machine, &err);
	if (!rc)
		rc = trace_input_open(&options.input, options.quiet, &trace, &status, &err);
	if (!rc)
		rc = find_places(&options, trace, machine, &err);
	ifr_trace_free(trace);
	ifr_machine_free(machine);
	trace_input_release(&options.input);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	return rc ? ifr_command_failed(&err) : status ? IFR_E_PROGRAM : 0;
}
