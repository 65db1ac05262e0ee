/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero replay: counts the events of a recording in any layout, on any described machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/commands/alias_output.h"
#include "harness/commands/cluster_option.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/machine_output.h"
#include "harness/commands/progress.h"
#include "harness/commands/trace_notes.h"
#include "harness/design/design.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"
#include "harness/simulate/simulate.h"

enum {
	KEY_ENGINE = 256,
	KEY_DESCRIBE,
	KEY_MACHINE,
	KEY_ALIASES,
	KEY_CORE,
	KEY_ON,
	KEY_DRY_RUN,
	SCHEMA_VERSION = 1
};

struct options {
	struct layout_options layouts;
	const char *trace, *machine;
	struct ifr_strings plan_files;
	enum ifr_engine engine;
	enum ifr_core_use core;
	bool json, describe, spread;
	struct ifr_cluster *cluster;
	uint64_t aliases; /* pairs to name in each layout; 0: count events */
};

static int find_engine(const char *name, enum ifr_engine *engine, struct ifr_error *err) {
	for (unsigned i = 0; ifr_engine_names[i]; i++)
		if (!strcmp(name, ifr_engine_names[i])) {
			*engine = (enum ifr_engine)i;
			return 0;
		}
	return ifr_fail(err, IFR_E_USAGE, "--engine knows auto, scalar, avx2 and avx512, not \"%.40s\"", name);
}

/* Refuses what does not go together. */
static void check_options(const struct options *options, struct argp_state *state) {
	struct ifr_error err = {0};
	if (!options->trace && !options->describe && strcmp(options->machine, "help"))
		argp_error(state, "which trace? \"interfero record -- ./prog args\" makes one");
	if (options->plan_files.count && options->layouts.variants)
		argp_error(state, "-n makes plans of its own: it goes without --plan");
	if (options->aliases && options->json)
		argp_error(state, "--aliases prints text: it goes without --json");
	if (cluster_option_check(options->cluster, options->spread, &err))
		option_refuse(state, &err);
	if (options->aliases && options->spread)
		argp_error(state, "--aliases replays here: it goes without --on");
	if (options->aliases && options->core)
		argp_error(state, "--aliases counts no cycles: it goes without --core");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->layouts;
		return 0;
	case 'p':
		ifr_strings_add(&options->plan_files, argument);
		return 0;
	case 'm':
		ifr_command_note("-m is the metric in other commands: write --machine %s", argument);
		/* fall through */
	case KEY_MACHINE:
		if (machine_option(argument, &options->machine, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_ENGINE:
		if (find_engine(argument, &options->engine, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_ALIASES:
		if (option_number("--aliases", argument ? argument : "16", 1, 100000, &options->aliases, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_CORE:
		if (ifr_core_use_find(argument ? argument : "sampled", &options->core, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_ON:
		options->spread = true;
		if (cluster_option(argument, &options->cluster, &err))
			option_refuse(state, &err);
		return 0;
	case KEY_DRY_RUN:
		return cluster_option_dry_run(&options->cluster, &err);
	case 'j':
		options->json = true;
		return 0;
	case KEY_DESCRIBE:
		options->describe = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->trace)
			argp_error(state, "one trace at a time, not also \"%s\"", argument);
		options->trace = argument;
		return 0;
	case ARGP_KEY_END:
		check_options(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{"plan", 'p', "FILE", 0, "Replay the layout of this plan (may be repeated: one row each)", 0},
	{"machine", KEY_MACHINE, "MACHINE", 0,
     "A name, \"native\" (the nearest to this processor) or a file, and changes, as in "
     "skylake,predictor=gshare-16k,l1d.ways=4; \"help\" lists all that there is (skylake)",
     0},
	{NULL, 'm', "MACHINE", OPTION_HIDDEN, NULL, 0},
	{"describe-machine", KEY_DESCRIBE, NULL, 0, "Print the machine's values, with the source of each", 0},
	{"engine", KEY_ENGINE, "NAME", 0, "auto, scalar, avx2 or avx512; all give the same counts (auto)", 0},
	{"aliases", KEY_ALIASES, "N", OPTION_ARG_OPTIONAL,
     "Name the N (16) pairs of a load and a store whose addresses agree modulo 4096 most often, in each layout: "
     "variable, function, source line",
     0},
	{"core", KEY_CORE, "HOW", OPTION_ARG_OPTIONAL,
     "Compute cycles by the machine's core, over samples of the run (sampled) or over all of it (full), with the events "
     "of front end and back end; \"none\", without --core: an estimate (sampled)",
     0},
	{"json", 'j', NULL, 0, "Print JSON instead of the table", 0},
	CLUSTER_OPTIONS(KEY_ON, KEY_DRY_RUN, 0),
	{0},
};
static const struct argp_child children[] = {{&layout_argp, 0, "Layouts besides the shipped one:", 1},
                                             {&sweep_argp, 0, "Or the layouts of a sweep:", 2},
                                             {0}};

static char *add_machines(int key, const char *text, void *input) {
	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	struct ifr_buffer list = {0};
	ifr_buffer_printf(&list, "%s\nMachines: ", text);
	ifr_machine_print_names(&list);
	ifr_buffer_puts(&list, ".\nPredictors: ");
	ifr_predictor_print_names(&list);
	ifr_buffer_puts(&list, ".");
	return ifr_buffer_detach(&list);
}

const struct argp ifr_replay_argp = {
	table,
	parse_option,
	"TRACE",
	"Count the events of a recorded run in the caches, TLBs and branch predictors of a described machine, in the "
	"shipped layout and in others, without running the program again.\v"
	"Without --plan and -n, the layout is that of the recorded program. The counts of a layout are exactly those "
	"of a recording of that variant, unless the program's behaviour depends on addresses (\"interfero record "
	"--check\" tells). A repeated string instruction counts as one instruction and no branch; cachegrind counts "
	"each repetition as both. Without --core, cycles is an estimate: instructions over the machine's width, plus a "
	"penalty for each miss.\n"
	"\n"
	"Exit status: 0 replayed, 2 usage, 3 the trace is cut or damaged (its whole part is counted), 4 the machine "
	"or a file, 130 interrupted.",
	children,
	add_machines,
	NULL};

/* --- output --- */

/* A remark on the cycles: how they came about. The caller frees it. */
static char *describe_cycles(const struct options *options, double cycles_error) {
	if (!options->core)
		return ifr_strdup(" (an estimate)");
	return cycles_error > 0 ? ifr_format(" (sampled, +- %.0f)", 2 * cycles_error) : ifr_strdup(" (by the core)");
}

static void print_list(const struct options *options, const struct ifr_counts *counters, double cycles_error) {
	char *cycles = describe_cycles(options, cycles_error);
	for (int i = 0; i < IFR_EVENT_COUNT; i++)
		if (options->core || !ifr_event_needs_core((enum ifr_event)i))
			printf("%16" PRIu64 "  %s%s\n", counters->value[i], ifr_event_name((enum ifr_event)i),
			       i == IFR_EVENT_CYCLES ? cycles : "");
	free(cycles);
}

static void print_table(const struct options *options, const struct ifr_plan *plans,
                        const struct ifr_counts *counters, size_t count) {
	static const struct {
		enum ifr_event event;
		const char *title;
	} columns[] = {
		{IFR_EVENT_CYCLES, "cycles"},
		{IFR_EVENT_BRANCH_MISSES, "mispred."},
		{IFR_EVENT_BTB_MISSES, "btb-miss"},
		{IFR_EVENT_L1I_MISSES, "L1I-miss"},
		{IFR_EVENT_L1D_LOAD_MISSES, "L1D-miss"},
		{IFR_EVENT_ITLB_MISSES, "iTLB"},
		{IFR_EVENT_DTLB_LOAD_MISSES, "dTLB"},
	};
	enum { COLUMNS = sizeof columns / sizeof *columns };
	printf("%-7s", "layout");
	for (int i = 0; i < COLUMNS; i++)
		printf(" %*s", i ? 9 : 12, columns[i].title);
	puts("");
	for (size_t row = 0; row < count; row++) {
		printf("%-7.7s", *plans[row].name ? plans[row].name : "shipped");
		for (int i = 0; i < COLUMNS; i++)
			printf(" %*" PRIu64, i ? 9 : 12, counters[row].value[columns[i].event]);
		puts("");
	}
	printf("cycles are %s; --json has all counters\n", options->core ? "those of the core" : "an estimate");
}

static json_t *json_layout(const struct options *options, const struct ifr_plan *plan,
                           const struct ifr_counts *counters, const struct ifr_count_errors *errors) {
	json_t *layout = json_object(), *values = json_object(), *uncertain = json_object();
	struct ifr_buffer text = {0};
	ifr_plan_print(plan, &text);
	for (int i = 0; i < IFR_EVENT_COUNT; i++)
		if (options->core || !ifr_event_needs_core((enum ifr_event)i))
			ifr_json_set(values, ifr_event_name((enum ifr_event)i), ifr_json_count(counters->value[i]));
	ifr_json_set(layout, "name", ifr_json_text(*plan->name ? plan->name : "shipped"));
	ifr_json_set(layout, "plan", ifr_json_text(ifr_buffer_text(&text)));
	ifr_json_set(layout, "counters", values);
	for (int i = 0; i < IFR_EVENT_COUNT && options->core; i++)
		if (errors->value[i] > 0)
			ifr_json_set(uncertain, ifr_event_name((enum ifr_event)i), ifr_json_number(errors->value[i]));
	if (options->core)
		ifr_json_set(layout, "cycles_standard_error", ifr_json_number(errors->value[IFR_EVENT_CYCLES]));
	ifr_json_set(layout, "standard_errors", uncertain);
	ifr_buffer_release(&text);
	return layout;
}

static int print_json(const struct options *options, const struct ifr_plan_replay *replay,
                      const struct ifr_plan *plans, const struct ifr_counts *counters, size_t count,
                      struct ifr_error *err) {
	json_t *root = ifr_json_document(SCHEMA_VERSION, NULL, NULL), *layouts = json_array();
	struct ifr_buffer text = {0};
	for (size_t row = 0; row < count; row++)
		json_array_append_new(layouts, json_layout(options, &plans[row], &counters[row], &replay->errors[row]));
	ifr_json_set(root, "trace", ifr_json_text(options->trace));
	ifr_json_set(root, "recording", ifr_json_text(ifr_trace_text(replay->trace)));
	ifr_json_set(root, "damage", ifr_json_text(ifr_trace_damage(replay->trace)));
	ifr_json_set(root, "machine", ifr_json_text(options->machine));
	ifr_json_set(root, "engine", ifr_json_text(ifr_engine_names[options->engine]));
	ifr_json_set(root, "seed", json_integer((json_int_t)options->layouts.seed));
	ifr_json_set(root, "layouts", layouts);
	ifr_json_print(root, &text);
	int result = fwrite(text.data, 1, text.length, stdout) == text.length
	                 ? 0
	                 : ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output");
	ifr_buffer_release(&text);
	return result;
}

/* --- the layouts to replay --- */

/* Reads the plans of --plan, or derives those of -n; without either, the one plan is the shipped layout. */
static int make_plans(const struct options *options, struct ifr_plan **plans, size_t *count,
                      struct ifr_error *err) {
	size_t files = options->plan_files.count, random = options->layouts.variants;
	int result = 0;
	*count = files ? files : random + 1;
	*plans = ifr_alloc(*count * sizeof **plans);
	for (size_t i = 0; i < *count; i++)
		ifr_plan_init(&(*plans)[i]);
	for (size_t i = 0; i < files && !result; i++) {
		result = ifr_plan_read(options->plan_files.items[i], &(*plans)[i], err);
		if (!*(*plans)[i].name)
			snprintf((*plans)[i].name, sizeof(*plans)[i].name, "%.60s",
			         ifr_path_base(options->plan_files.items[i]));
	}
	const struct ifr_layout_generator generator = layout_options_generator(&options->layouts);
	for (size_t i = 1; i <= random && !files; i++)
		ifr_layout_generator_plan(&generator, NULL, (unsigned)i, &(*plans)[i]);
	return result;
}

static int end_output(struct ifr_error *err) {
	const bool failed = fflush(stdout) || ferror(stdout);
	return failed ? ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write to standard output") : 0;
}

static int print_counters(const struct options *options, const struct ifr_plan_replay *replaying,
                          const struct ifr_plan *plans, const struct ifr_counts *counters, size_t count,
                          struct ifr_error *err) {
	if (options->json)
		return print_json(options, replaying, plans, counters, count, err);
	if (count == 1)
		print_list(options, counters, replaying->errors[0].value[IFR_EVENT_CYCLES]);
	else
		print_table(options, plans, counters, count);
	return end_output(err);
}

/* The layouts one after the other; a machine without a store buffer has no pairs. */
static int print_aliases(const struct options *options, struct ifr_trace *trace, const struct ifr_machine *machine,
                         const struct ifr_plan *plans, size_t count, struct ifr_error *err) {
	int result = machine->values[IFR_STORE_BUFFER_ENTRIES]
	                 ? 0
	                 : ifr_fail(err, IFR_E_USAGE, "the machine %s has no store buffer: choose another --machine",
	                            options->machine);
	for (size_t i = 0; i < count && !result && !ifr_launch_interrupted(); i++) {
		struct ifr_named_aliases named;
		struct ifr_buffer text = {0};
		result = ifr_aliases_name(trace, &plans[i], machine, options->aliases, &named, err);
		if (!result)
			alias_output_print(&named, &text);
		if (!result)
			printf("%s: %" PRIu64 " %s, of %zu pairs\n%s", *plans[i].name ? plans[i].name : "shipped",
			       named.events, ifr_event_name(IFR_EVENT_ADDRESS_ALIAS), named.all, ifr_buffer_text(&text));
		ifr_buffer_release(&text);
		ifr_named_aliases_release(&named);
	}
	return result ? result : end_output(err);
}

static int replay_trace(const struct options *options, const struct ifr_machine *machine, bool *damaged,
                        struct ifr_error *err) {
	struct ifr_plan_replay replaying = {
		.machines = &machine,
		.machine_count = 1,
		.engine = options->engine,
		.core = options->core,
		.spread = options->spread ? ifr_cluster_replay : NULL,
		.cluster = options->cluster,
		.trace_file = options->trace,
		.machine_specs = &options->machine,
		.progress = options->spread && progress_wanted(false) ? progress_show_replay : NULL};
	const bool dry = options->cluster && options->cluster->dry_run;
	struct ifr_plan *plans = NULL;
	struct ifr_counts *counters = NULL;
	size_t count = 0;
	int result = ifr_trace_open(options->trace, &replaying.trace, err);
	if (!result)
		result = make_plans(options, &plans, &count, err);
	if (!result)
		result = trace_notes_check_plans(replaying.trace, plans, count, err);
	counters = ifr_alloc((count + 1) * sizeof *counters);
	replaying.errors = ifr_alloc((count + 1) * sizeof *replaying.errors);
	if (!result && options->aliases)
		result = print_aliases(options, replaying.trace, machine, plans, count, err);
	else if (!result)
		result = ifr_replay_plans(&replaying, plans, count, counters, err);
	if (replaying.progress)
		progress_clear();
	if (!result && dry) {
		result = cluster_option_print(options->cluster, err);
	} else if (!result && !options->aliases) {
		trace_notes_say(replaying.trace, options->trace, "counted");
		result = print_counters(options, &replaying, plans, counters, count, err);
		*damaged = ifr_trace_damage(replaying.trace);
	}
	for (size_t i = 0; i < count; i++)
		ifr_plan_release(&plans[i]);
	free(plans);
	free(counters);
	free(replaying.errors);
	ifr_trace_free(replaying.trace);
	return result;
}

int ifr_command_replay(int argc, char **argv) {
	struct options options = {.machine = "skylake"};
	struct ifr_error err = {0};
	struct ifr_machine *machine = NULL;
	bool damaged = false;
	layout_options_init(&options.layouts, 0);
	argp_parse(&ifr_replay_argp, argc, argv, 0, NULL, &options);
	catch_interrupts();
	const bool help = !strcmp(options.machine, "help");
	int result = help ? machine_output_list(&err) : ifr_machine_open(&machine, options.machine, &err);
	if (!result && help)
		goto out;
	if (!result && options.describe)
		result = machine_output_describe(machine, &err);
	if (!result && options.trace)
		result = replay_trace(&options, machine, &damaged, &err);
out:
	ifr_machine_free(machine);
	ifr_strings_release(&options.plan_files);
	ifr_plan_release(&options.layouts.parameters);
	cluster_option_release(&options.cluster);
	if (ifr_launch_interrupted())
		return STOPPED_BY_INTERRUPT;
	if (result)
		return ifr_command_failed(&err);
	return damaged ? IFR_E_PROGRAM : 0;
}
