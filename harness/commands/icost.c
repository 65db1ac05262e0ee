/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero icost: tells which causes cost the cycles of a run, and how they overlap. */
#include "harness/icost/icost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"

#include "harness/commands/commands.h"
#include "harness/commands/icost_across.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/progress.h"
#include "harness/commands/trace_input.h"
#include "harness/commands/trace_notes.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"
#include "harness/simulate/simulate.h"

#define MACHINE_USUAL "skylake"

enum {
	KEY_MACHINE = 256,
	KEY_CAUSES,
	KEY_FOCUS,
	KEY_ALL,
	KEY_CORE,
	KEY_ACROSS,
	KEY_CAUSE,
	KEY_LINES,
	KEY_WHAT_IF,
	KEY_PROFILE,
	KEY_SAMPLES,
	KEY_SAVE_SAMPLES,
	KEY_HTML = 'H'
};

/* --- options -------------------------------------------------------------------------------------------------- */

static int parse_focus(const char *name, struct icost_options *options, struct ifr_error *err) {
	options->focus = ifr_cause_find(name, strlen(name));
	return options->focus == IFR_CAUSES
	           ? ifr_fail(err, IFR_E_USAGE, "there is no cause \"%.40s\": interfero icost --help lists them", name)
	           : 0;
}

static int parse_core(const char *how, struct icost_options *options, struct ifr_error *err) {
	if (!ifr_core_use_find(how, &options->core, NULL) && options->core)
		return 0;
	return ifr_fail(err, IFR_E_USAGE, "--core is sampled or full, not \"%.40s\": causes are idealised in the core",
	                how);
}

static int parse_causes(const char *list, struct icost_options *options, struct ifr_error *err) {
	if (!*list)
		return ifr_fail(
			err, IFR_E_USAGE,
			"--causes names no cause: leave it out for all, or name some, as in --causes dl1,win,bmisp");
	return ifr_causes_parse(list, &options->causes, err);
}

/* Parses the options with a value. Returns 1 for another one. */
static int parse_value(int key, char *argument, struct icost_options *options, struct ifr_error *err) {
	switch (key) {
	case KEY_MACHINE:
		return machine_option(argument, &options->machine, err);
	case KEY_CAUSES:
		return parse_causes(argument, options, err);
	case KEY_FOCUS:
		return parse_focus(argument, options, err);
	case KEY_HTML:
		options->html = argument;
		return option_output("--html", argument, false, err);
	case KEY_CORE:
		return parse_core(argument, options, err);
	case KEY_SAMPLES:
		options->profiles = true;
		options->profile.samples = argument;
		return 0;
	case KEY_SAVE_SAMPLES:
		options->profiles = true;
		options->profile.save = argument;
		return option_output("--save-samples", argument, false, err);
	case KEY_CAUSE:
		ifr_strings_add(&options->sites, argument);
		return ifr_icost_site_check(argument, err);
	case 'p':
		ifr_strings_add(&options->plans, argument);
		return 0;
	default:
		return 1;
	}
}

static error_t choose_view(enum icost_view view, struct icost_options *options, struct argp_state *state) {
	if (options->view && options->view != view)
		argp_error(state, "one of --across, --lines and --what-if at a time");
	options->view = view;
	return 0;
}

/* Several layouts belong to --across. */
static void check_layouts(const struct icost_options *options, struct argp_state *state) {
	const size_t plans = options->plans.count;
	const struct layout_options *layouts = &options->layouts;
	const char *random = layouts->number_given       ? "-n"
	                     : layouts->seed_given       ? "--seed"
	                     : layouts->axes_given       ? "--axes"
	                     : layouts->parameters_given ? "--set"
	                                                 : NULL;
	const bool across = options->view == VIEW_ACROSS;
	if (options->profiles && (options->view || options->sites.count))
		argp_error(state,
		           "--profile tells costs of the machine's causes: leave out --across, --lines, --what-if and "
		           "--cause");
	if (options->profile.samples && options->plans.count)
		argp_error(state, "the samples of --samples have a layout: leave out --plan");
	if (options->html && options->view)
		argp_error(state, "--html draws costs: leave out --across, --lines and --what-if");
	if (options->view > VIEW_ACROSS &&
	    (options->causes || options->all || options->sites.count || options->focus != IFR_CAUSE_LIMIT))
		argp_error(state,
		           "--lines and --what-if choose their causes: leave out --causes, --cause, --all and --focus");
	if (!across && (plans > 1 || random))
		argp_error(state,
		           "%s needs --across, which tells why layouts differ: else the costs of one layout are told",
		           random ? random : "a second --plan");
	if (across && (plans > 2 || (plans && random)))
		argp_error(state, "--across takes one --plan (against the shipped layout), two, or -n random layouts");
	if (across && layouts->axes_given && !layouts->axes)
		argp_error(state, "--axes names no axis, and no layouts differ: leave it out, or name one");
	if (across && random && options->layouts.variants < 2)
		argp_error(state, "a spread needs two layouts at least: -n 20");
	if (across && options->sites.count)
		argp_error(state, "--across tells the lines itself: leave out --cause");
	if (across && (options->all || options->focus != IFR_CAUSE_LIMIT))
		argp_error(state, "--across chooses the pairs itself: leave out --all and --focus");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct icost_options *options = state->input;
	struct ifr_error err = {0};
	const int value = parse_value(key, argument, options, &err);
	if (value < 0 || err.code)
		option_refuse(state, &err);
	if (value <= 0)
		return 0;
	switch (key) {
	case KEY_ALL:
		options->all = true;
		return 0;
	case KEY_PROFILE:
		options->profiles = true;
		return 0;
	case KEY_ACROSS:
		return choose_view(VIEW_ACROSS, options, state);
	case KEY_LINES:
		return choose_view(VIEW_LINES, options, state);
	case KEY_WHAT_IF:
		return choose_view(VIEW_WHAT_IF, options, state);
	case ARGP_KEY_END:
		check_layouts(options, state);
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->input;
		state->child_inputs[1] = &options->layouts;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"causes", KEY_CAUSES, "LIST", 0, "The causes to tell apart, as in dl1,win,bmisp (all that the machine has)",
     1},
	{"cause", KEY_CAUSE, "PLACE", 0,
     "Add a part of the program as a cause: load:FILE:LINE, branch:FILE:LINE, line:FILE:LINE or function:NAME; may be "
     "repeated",
     1},
	{"focus", KEY_FOCUS, "CAUSE", 0, "The cause whose interactions the table shows (the most expensive)", 1},
	{"lines", KEY_LINES, NULL, 0,
     "Tell which source lines bound the run: what each costs, and how many of its executions have no slack", 1},
	{"what-if", KEY_WHAT_IF, NULL, 0,
     "Tell how the run would do with other loads, mispredictions and windows, and the interactions that explain it",
     1},
	{"all", KEY_ALL, NULL, 0, "Take all sets of the causes, not only pairs: for up to 10 of --causes", 1},
	{"machine", KEY_MACHINE, "MACHINE", 0,
     "A machine with a core: a name, \"native\" or a file, and changes, as in skylake,pipeline.window=128; "
     "\"interfero replay --machine help\" lists all (skylake)",
     1},
	{"plan", 'p', "FILE", 0, "The layout of this plan, not the shipped one; given twice, the two to compare", 1},
	{"across", KEY_ACROSS, NULL, 0,
     "Tell which causes make layouts differ, and where: the one of a plan and the shipped one, those of two plans, or "
     "random ones (20)",
     1},
	{"core", KEY_CORE, "HOW", 0, "Over samples of the run (sampled), or over all of it (full) (sampled)", 1},
	{"profile", KEY_PROFILE, NULL, 0,
     "Tell the costs from samples, as a shotgun profiler takes them, and how well they cover the run", 1},
	{"save-samples", KEY_SAVE_SAMPLES, "FILE", 0, "Write the samples to a file (with --profile)", 1},
	{"samples", KEY_SAMPLES, "FILE", 0,
     "Take the samples of this file, of the same TRACE and layout: of --save-samples, or what \"perf script\" printed of "
     "precise samples with branch stacks",
     1},
	{"json", 'j', NULL, 0, "Print JSON: every set, with its cycles, cost, interaction and standard errors", 1},
	{"html", KEY_HTML, "FILE", 0, "Write one self-contained HTML page, with the parts as bars", 1},
	{"quiet", 'q', NULL, 0, "Say nothing but warnings and errors", 3},
	{0},
};
static const struct argp_child children[] = {
	{&trace_input_argp, 0, NULL, 2}, {&layout_argp, 0, "Random layouts of --across:", 3}, {0}};

static char *add_causes(int key, const char *text, void *input) {
	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	struct ifr_buffer list = {0};
	const char *end = strstr(text, "\n\n");
	ifr_buffer_printf(&list, "%.*s\n\nCauses:\n", (int)(end - text), text);
	ifr_icost_print_causes(&list);
	ifr_buffer_puts(&list, end);
	return ifr_buffer_detach(&list);
}

const struct argp ifr_icost_argp = {
	table,
	parse_option,
	"TRACE\n-- PROGRAM [ARGS...]",
	"Tell where the cycles of a run go: what each cause costs, which causes overlap, and what to do about it. The run is "
	"recorded once, and replayed on the core of a described machine with causes idealised.\v"
	"The cost of a cause is the cycles that the run takes less with the cause idealised. Two causes are parallel if more "
	"goes with both than with each: only improving both helps. They are serial if less goes: improving one leaves "
	"little for the other. Else they are independent. In the table, \"other\" are all interactions that it does not "
	"show, and \"rest\" the cycles with all causes idealised; all together are the cycles of the run. (Fields, Bodik, "
	"Hill and Newburn 2004.)\n"
	"\n"
	"With --across, a difference between layouts is the sum of the differences of all interaction costs and of the rest. "
	"Of two layouts it is their difference in cycles; of several their standard deviation, of which an interaction cost "
	"has the part by which it goes with the cycles (covariance). The five causes that make most of it are taken "
	"together in all sets; each interaction cost is shared alike by its causes (Shapley 1953). A part belongs to the "
	"lines whose instructions retire later.\n"
	"\n"
	"Exit status: 0 told, 2 usage or a trace, plan or file of samples that is not there or not one, 3 the program failed "
	"or the trace is cut (its whole part is told), 4 the machine, or a file that cannot be read or written, 130 "
	"interrupted.",
	children,
	add_causes,
	NULL};

/* --- the causes ----------------------------------------------------------------------------------------------- */

/* Settles the causes, and refuses those that the machine has not. */
static int choose_causes(struct icost_options *options, const struct ifr_machine *machine, struct ifr_error *err) {
	if (!ifr_machine_has_core(machine))
		return ifr_fail(
			err, IFR_E_USAGE,
			"%s has no core in its description, and so no causes: take one with a group \"pipeline\", as "
			"skylake",
			machine->name);
	for (unsigned i = 0; i < IFR_CAUSES; i++) {
		const char *why = ifr_cause_missing((enum ifr_cause)i, machine);
		if (why && (options->causes >> i & 1 || options->focus == i))
			return ifr_fail(err, IFR_E_USAGE, "%s has no cause %s: %s. Leave it out, or take another --machine",
			                machine->name, ifr_causes[i].name, why);
	}
	if (!options->causes)
		options->causes = ifr_causes_of_machine(machine);
	if (options->focus != IFR_CAUSE_LIMIT && !(options->causes >> options->focus & 1))
		return ifr_fail(err, IFR_E_USAGE, "--focus %s is not among --causes: add it there",
		                ifr_causes[options->focus].name);
	return 0;
}

static int check_sets(const struct icost_options *options, struct ifr_error *err) {
	if (options->all && __builtin_popcount(options->causes) > IFR_ICOST_CAUSES_MOST)
		return ifr_fail(err, IFR_E_USAGE,
		                "%d causes have %u sets: choose up to %d of them for --all, as in --causes "
		                "dl1,win,bw,bmisp,dmiss,shalu,lgalu,imiss",
		                __builtin_popcount(options->causes), 1u << __builtin_popcount(options->causes),
		                IFR_ICOST_CAUSES_MOST);
	return 0;
}

/* Adds the parts of the program to the causes. The first of them is the focus, if there is no other. */
static int take_sites(struct icost_options *options, const struct ifr_trace *trace,
                      const struct ifr_machine *machine, struct ifr_icost_sites *sites, struct ifr_error *err) {
	const int result = ifr_icost_sites_find(trace, machine, &options->sites, sites, err);
	if (result)
		return result;
	options->causes |= ifr_icost_sites_set(sites);
	if (sites->count && options->focus == IFR_CAUSE_LIMIT)
		options->focus = (enum ifr_cause)IFR_CAUSES;
	return check_sets(options, err);
}

static int replay_sets(const struct icost_options *options, struct ifr_trace *trace,
                       const struct ifr_machine *machine, const struct ifr_icost_sites *sites,
                       struct ifr_icost *icost, struct ifr_icost_run *run, struct ifr_shotgun_coverage *coverage,
                       struct ifr_error *err) {
	struct ifr_icost_subject subject;
	struct ifr_plan plan;
	int result = icost_begin_subject(options, trace, machine, &plan, &subject, err);
	const struct ifr_idealised_replay replay = {.trace = trace,
	                                            .plan = &plan,
	                                            .machine = machine,
	                                            .core = options->core,
	                                            .sets = icost->sets,
	                                            .sets_count = icost->count,
	                                            .marks = sites->count ? &sites->marks : NULL,
	                                            .progress = subject.progress};
	if (!result && options->profiles) {
		run->profile = coverage;
		result = ifr_icost_profile(&subject, &options->profile, icost, &run->instructions, coverage, err);
	} else if (!result) {
		result = ifr_replay_idealised(&replay, &icost->times, &run->instructions, err);
	}
	if (subject.progress)
		progress_clear();
	ifr_plan_release(&plan);
	return result;
}

static void put_option(struct ifr_buffer *out, const char *option, const char *value) {
	ifr_buffer_printf(out, " %s ", option);
	ifr_quote_shell(out, value);
}

/* The command and its options of one layout, to be pasted. */
static char *print_options(const struct icost_options *options) {
	struct ifr_buffer text = {0};
	ifr_buffer_puts(&text, "interfero icost");
	if (strcmp(options->machine, MACHINE_USUAL) != 0)
		put_option(&text, "--machine", options->machine);
	for (size_t i = 0; i < options->plans.count; i++)
		put_option(&text, "--plan", options->plans.items[i]);
	if (options->core != IFR_CORE_SAMPLED)
		put_option(&text, "--core", ifr_core_use_names[options->core]);
	return ifr_buffer_detach(&text);
}

/* The last words of the command: the trace, which the recording of a program is if it is kept, or the program. */
static char *print_input(const struct trace_input *input) {
	struct ifr_buffer text = {0};
	if (input->trace || input->kept) {
		ifr_buffer_puts(&text, " ");
		ifr_quote_shell(&text, input->trace ? input->trace : input->kept);
		return ifr_buffer_detach(&text);
	}
	const struct ifr_recording_request *recording = &input->recording;
	if (recording->every)
		ifr_buffer_printf(&text, " --every %" PRIu64, recording->every);
	if (recording->timeout_ns)
		ifr_buffer_printf(&text, " --timeout %" PRId64 "ms", recording->timeout_ns / 1000000);
	if (recording->stdin_file)
		put_option(&text, "--stdin", recording->stdin_file);
	for (size_t i = 0; i < input->environment.count; i++)
		put_option(&text, "--env", input->environment.items[i]);
	ifr_buffer_puts(&text, " --");
	for (char *const *word = recording->argv; word && *word; word++) {
		ifr_buffer_puts(&text, " ");
		ifr_quote_shell(&text, *word);
	}
	return ifr_buffer_detach(&text);
}

struct ifr_icost_run icost_words(const struct icost_options *options, const struct ifr_trace *trace) {
	struct ifr_buffer name = {0};
	if (options->input.trace)
		ifr_buffer_puts(&name, options->input.trace);
	for (char *const *word = options->input.recording.argv; word && *word && !options->input.trace; word++)
		ifr_buffer_printf(&name, "%s%s", name.length ? " " : "", *word);
	return (struct ifr_icost_run){.name = ifr_buffer_detach(&name),
	                              .command = print_options(options),
	                              .input = print_input(&options->input),
	                              .machine = options->machine,
	                              .damage = ifr_trace_damage(trace),
	                              .sampled = ifr_trace_fact(trace, "sampled"),
	                              .approximate = ifr_trace_fact(trace, IFR_RECORDING_APPROXIMATE)};
}

void icost_words_release(struct ifr_icost_run *run) {
	free((char *)(uintptr_t)run->name);
	free((char *)(uintptr_t)run->command);
	free((char *)(uintptr_t)run->input);
	free((char *)(uintptr_t)run->sampled);
	free((char *)(uintptr_t)run->approximate);
}

static int tell(const struct icost_options *options, const struct ifr_icost *icost,
                const struct ifr_icost_run *run, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = 0;
	if (options->html) {
		struct ifr_buffer page = {0};
		ifr_icost_html(icost, run, options->focus, &page);
		result = ifr_file_write(options->html, page.data, page.length, 0644, err);
		ifr_buffer_release(&page);
	}
	if (options->json)
		ifr_icost_json(icost, run, options->focus, &text);
	else
		ifr_icost_text(icost, run, options->focus, &text);
	if (!result)
		result = ifr_command_print(&text, err);
	ifr_buffer_release(&text);
	return result;
}

static int tell_costs(struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                      struct ifr_error *err) {
	struct ifr_icost icost = {0};
	struct ifr_icost_sites sites = {0};
	struct ifr_icost_run run = icost_words(options, trace);
	struct ifr_shotgun_coverage coverage = {0};
	int result = take_sites(options, trace, machine, &sites, err);
	if (!result) {
		ifr_icost_init(&icost, options->causes, options->all);
		icost.sites = sites.about;
		result = replay_sets(options, trace, machine, &sites, &icost, &run, &coverage, err);
	}
	if (!result && !run.instructions)
		result = ifr_fail(err, ifr_trace_damage(trace) ? IFR_E_PROGRAM : IFR_E_USAGE,
		                  "the trace has no instructions%s%s: record the program again",
		                  ifr_trace_damage(trace) ? ", as it is damaged: " : "",
		                  ifr_trace_damage(trace) ? ifr_trace_damage(trace) : "");
	if (!result)
		result = tell(options, &icost, &run, err);
	icost_words_release(&run);
	ifr_icost_release(&icost);
	ifr_icost_sites_release(&sites);
	return result;
}

static int tell_view(struct icost_options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                     struct ifr_error *err) {
	switch (options->view) {
	case VIEW_ACROSS:
		return icost_across(options, trace, machine, err);
	case VIEW_LINES:
		return icost_lines(options, trace, machine, err);
	case VIEW_WHAT_IF:
		return icost_what_if(options, trace, machine, err);
	default:
		return tell_costs(options, trace, machine, err);
	}
}

static int find_costs(struct icost_options *options, bool *damaged, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	struct ifr_trace *trace = NULL;
	int status = 0;
	int result = ifr_machine_open(&machine, options->machine, err);
	if (!result)
		result = choose_causes(options, machine, err);
	if (!result)
		result = trace_input_open(&options->input, options->quiet, &trace, &status, err);
	if (!result)
		trace_notes_say_names(trace);
	if (!result)
		result = tell_view(options, trace, machine, err);
	*damaged = trace && ifr_trace_damage(trace);
	ifr_trace_free(trace);
	ifr_machine_free(machine);
	return result;
}

int ifr_command_icost(int argc, char **argv) {
	struct icost_options options = {.machine = MACHINE_USUAL, .focus = IFR_CAUSE_LIMIT, .core = IFR_CORE_SAMPLED};
	struct ifr_error err = {0};
	bool damaged = false;
	layout_options_init(&options.layouts, 20);
	argp_parse(&ifr_icost_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	catch_interrupts();
	const int result = find_costs(&options, &damaged, &err);
	trace_input_release(&options.input);
	ifr_strings_release(&options.plans);
	ifr_strings_release(&options.sites);
	ifr_plan_release(&options.layouts.parameters);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	if (result)
		return ifr_command_failed(&err);
	return damaged ? IFR_E_PROGRAM : 0;
}
