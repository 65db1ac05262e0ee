/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interfero optimize: searches a fast layout, confirms it, and writes it for builds. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/build/build.h"
#include "harness/cluster/cluster.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/layout_options.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/progress.h"
#include "harness/commands/report_options.h"
#include "harness/commands/suite.h"
#include "harness/exec/exec.h"
#include "harness/optimize/optimize.h"

struct options {
	struct ifr_campaign campaign;
	struct layout_options layouts;
	struct printing_options printing;
	uint64_t candidates, rounds, each, contexts;
	struct ifr_strings held_out, machines;
	const char *suite;
	char *model; /* the machine to learn from; NULL: none */
	enum ifr_goal goal;
	bool upkeep; /* of a pinned layout, instead of a search */
	enum ifr_upkeep_kind upkeep_kind;
	const char *upkeep_plan; /* NULL: best.plan of the search, or the shipped layout for a stable one */
};

enum {
	KEY_CANDIDATES = 1536,
	KEY_ROUNDS,
	KEY_EACH,
	KEY_CONTEXTS,
	KEY_HELD_OUT,
	KEY_SUITE,
	KEY_FOR,
	KEY_ON,
	KEY_LEARN,
	KEY_CHECK_PIN,
	KEY_REFRESH,
	KEY_STABLE
};
enum { LAYOUTS = 24, CANDIDATES = 10000, ROUNDS = 2, EACH = 8, CONTEXTS = 12, NOT_BETTER = 1 };

static int find_goal(const char *name, enum ifr_goal *goal, struct ifr_error *err) {
	for (size_t i = 0; ifr_goal_names[i]; i++)
		if (!strcmp(name, ifr_goal_names[i])) {
			*goal = (enum ifr_goal)i;
			return 0;
		}
	return ifr_fail(err, IFR_E_USAGE, "--for is mean, worst or robust, not \"%.40s\"", name);
}

static void request_upkeep(struct options *options, int key, const char *plan, struct argp_state *state) {
	if (options->upkeep)
		argp_error(state, "--check-pin, --refresh and --stable go one at a time");
	options->upkeep = true;
	options->upkeep_kind = key == KEY_CHECK_PIN ? IFR_UPKEEP_CHECK
	                       : key == KEY_REFRESH ? IFR_UPKEEP_REFRESH
	                                            : IFR_UPKEEP_STABLE;
	options->upkeep_plan = plan;
}

/* Takes a machine that the gain is tried on, or the one whose cycles are a feature. */
static int add_machine(struct options *options, int key, char *argument, struct ifr_error *err) {
	const char *machine = NULL;
	const int result = machine_option(argument, &machine, err);
	if (result)
		return result;
	if (key == KEY_ON) {
		ifr_strings_add(&options->machines, machine);
		return 0;
	}
	free(options->model);
	options->model = ifr_strdup(machine);
	return 0;
}

/* Refuses options that do not go together. */
static void check_options(const struct options *options, struct argp_state *state) {
	if (options->campaign.cluster && options->campaign.cluster->dry_run)
		argp_error(state, "a search decides as it goes what it submits: bench --dry-run tells what layouts cost");
	if (options->campaign.driven)
		argp_error(state, "a search runs the program itself: leave out --program");
	if (options->suite && options->campaign.argv && options->campaign.argv[1])
		argp_error(state, "with --suite the arguments stand in the file, not also behind the program");
	if (options->layouts.variants < 6)
		argp_error(state, "a search learns from 6 random layouts or more: give -n");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct options *options = state->input;
	struct ifr_error err = {0};
	int result = 0;
	switch (key) {
	case KEY_CANDIDATES:
		result = option_number("--candidates", argument, 0, 90000, &options->candidates, &err);
		break;
	case KEY_ROUNDS:
		result = option_number("--rounds", argument, 0, 99, &options->rounds, &err);
		break;
	case KEY_EACH:
		result = option_number("--each", argument, 1, 1000, &options->each, &err);
		break;
	case KEY_CONTEXTS:
		result = option_number("--contexts", argument, 2, 1000, &options->contexts, &err);
		break;
	case KEY_FOR:
		result = find_goal(argument, &options->goal, &err);
		break;
	case KEY_ON:
	case KEY_LEARN:
		result = add_machine(options, key, argument, &err);
		break;
	case KEY_SUITE:
		options->suite = argument;
		break;
	case KEY_HELD_OUT:
		ifr_strings_add(&options->held_out, argument);
		break;
	case KEY_CHECK_PIN:
	case KEY_REFRESH:
	case KEY_STABLE:
		request_upkeep(options, key, argument, state);
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->layouts;
		state->child_inputs[1] = &options->campaign;
		state->child_inputs[2] = &options->printing;
		return 0;
	case ARGP_KEY_ARG:
		/* From the first word that is no option, everything is the program's. */
		options->campaign.argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program? interfero optimize -- ./prog args");
		return 0;
	case ARGP_KEY_END:
		check_options(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (result)
		option_refuse(state, &err);
	return 0;
}

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Search:", 1},
	{"candidates", KEY_CANDIDATES, "N", 0, "Random layouts to predict, without running them (10000)", 1},
	{"rounds", KEY_ROUNDS, "N", 0, "Rounds that measure the promising ones and learn from them (2)", 1},
	{"each", KEY_EACH, "N", 0, "Layouts to measure in each round (8)", 1},
	{"suite", KEY_SUITE, "FILE", 0,
     "Search for several workloads of PROG, one a line: NAME: ARGUMENTS, or with a weight NAME*3: ARGUMENTS. The layout "
     "is fast in their weighted mean",
     1},
	{"held-out", KEY_HELD_OUT, "ARGS", 0,
     "Confirm the best one with these arguments of PROG, too, of which the search knows nothing (may be repeated)",
     1},
	{"on-machine", KEY_ON, "MACHINE", 0,
     "Replay the best one on this described machine, too, and say what of the gain it has (may be repeated)", 1},
	{"learn-from", KEY_LEARN, "MACHINE", 0,
     "Replay measured and promising layouts on this described machine, too, such as native: its modelled cycles are a "
     "feature like the others. Takes as long as the replays do",
     1},
	{"contexts", KEY_CONTEXTS, "N", 0,
     "Contexts in which the best one is confirmed: stack positions, and heap placements with --for worst and robust (12)",
     1},
	{"for", KEY_FOR, "GOAL", 0,
     "mean: the least time on average; worst: the least time in the worst of the contexts and workloads; "
     "robust: a gain that other contexts, a small edit, held-out arguments and machines leave (mean)",
     1},
	{NULL, 0, NULL, 0, "A pinned layout, instead of a search:", 1},
	{"check-pin", KEY_CHECK_PIN, "PLAN", 0,
     "Measure PLAN against the plain layout: exit status 1 if it is not faster any more", 1},
	{"refresh", KEY_REFRESH, "PLAN", OPTION_ARG_OPTIONAL,
     "Repair PLAN (best.plan of the search) after edits: what is gone leaves it, new hot functions get places", 1},
	{"stable", KEY_STABLE, "PLAN", OPTION_ARG_OPTIONAL,
     "Make a layout that edits disturb least, in the order of PLAN (of the shipped layout), and measure its price",
     1},
	{0},
};
static const struct argp_child children[] = {
	{&layout_argp, 0, "Layouts:", 2}, {&campaign_argp, 0, NULL, 3}, {&printing_argp, 0, NULL, 5}, {0}};
const struct argp ifr_optimize_argp = {
	table,
	parse_option,
	"-- ./PROG [ARGS...]\n"
	"--suite FILE ./PROG",
	"Search a fast layout of a program, and confirm it. PROG is recorded once, so that exact features of any layout are "
	"known without running it: windows of 16, 32 and 64 bytes entered, branches at their ends and with like addresses, "
	"lines and pages of hot code, offsets of hot functions. Random layouts tell by the clock which of "
	"them matter on this machine; the layouts that these predict to be "
	"fast are measured. On the best of them other axes are tried, as far as the kit has them: data, and with templates "
	"or sources those of the compiler. --axes restricts all.\v"
	"The best one is compared with the shipped layout in runs of their own, on fresh copies of the files and in "
	"other stack positions: the gain and its interval come from these alone. The report also has it shrunk by the gains "
	"of random layouts (empirical Bayes; Efron and Morris 1975, Efron 2011). It says what of the gain survives "
	"the worst context, a small edit of a cold function, other arguments and other machines. A layout that is "
	"confirmed is written as "
	"best.plan and other forms into the folder of --output (PROG.optimize), where each stage is an experiment that "
	"\"interfero report\" reads. Repeating an interrupted search continues it.\n"
	"\n"
	"--refresh rewrites PLAN if the repaired layout is confirmed to be faster. --stable writes stable.plan: every "
	"function begins a line of cache and may grow by some bytes before another moves.\n"
	"\n"
	"Exit status: 0 a layout that is better by the goal is confirmed (--stable: it is not slower), 1 none is, 2 usage, 3 "
	"the program or a layout of it failed, 4 the machine or a file, 130 interrupted.",
	children,
	NULL,
	NULL};

static void announce(const char *step) {
	progress_clear();
	ifr_command_note("%s", step);
}

static int print_optimum(const struct options *options, const struct ifr_optimum *optimum, struct ifr_error *err) {
	struct ifr_buffer out = {0};
	if (options->printing.json)
		ifr_optimum_json(optimum, options->campaign.argv[0], &out);
	else if (!options->printing.quiet)
		ifr_optimum_text(optimum, options->campaign.argv[0], &out);
	const int result = ifr_command_print(&out, err);
	ifr_buffer_release(&out);
	return result;
}

static int is_stage(const struct dirent *entry) {
	return ifr_ends_with(entry->d_name, ".exp");
}

/* Sets the experiments of all stages aside. */
static int set_aside(const char *folder, struct ifr_error *err) {
	struct dirent **entries;
	const int count = scandir(folder, &entries, is_stage, alphasort);
	int result = 0;
	if (count < 0)
		return 0;
	for (int i = 0; i < count; i++) {
		char *file = ifr_format("%s/%s", folder, entries[i]->d_name);
		if (!result)
			result = ifr_campaign_set_aside(file, err);
		free(file);
		free(entries[i]);
	}
	free(entries);
	return result;
}

/* The workloads of a search, and the words of their runs. */
struct workloads {
	struct suite suite;
	struct ifr_strings *words; /* [count] */
	struct ifr_optimization_workload *items;
	size_t count;
};

/* Reads the suite, or takes the command line as the only workload. The caller releases the workloads, after an error
 * too. */
static int read_workloads(const struct options *options, struct workloads *w, struct ifr_error *err) {
	double sum = 0;
	int result = options->suite ? suite_read(options->suite, &w->suite, err) : 0;
	w->count = options->suite ? w->suite.count : 1;
	w->items = ifr_alloc((w->count + 1) * sizeof *w->items);
	w->words = ifr_alloc((w->count + 1) * sizeof *w->words);
	*w->items = (struct ifr_optimization_workload){NULL, 1, options->campaign.argv};
	for (size_t i = 0; i < w->suite.count; i++)
		sum += w->suite.commands[i].weight;
	for (size_t i = 0; i < w->suite.count && !result; i++) {
		const struct suite_command *command = &w->suite.commands[i];
		ifr_strings_add(&w->words[i], options->campaign.argv[0]);
		ifr_strings_add_all(&w->words[i], &command->words);
		w->items[i] = (struct ifr_optimization_workload){command->name, command->weight / sum, w->words[i].items};
	}
	return result;
}

static void release_workloads(struct workloads *w) {
	for (size_t i = 0; i < w->count; i++)
		ifr_strings_release(&w->words[i]);
	free(w->words);
	free(w->items);
	suite_release(&w->suite);
}

/* Searches; returns the exit status. */
static int search(struct options *options, const struct ifr_optimization *request, struct ifr_error *err) {
	const struct ifr_campaign *campaign = &options->campaign;
	struct ifr_optimum optimum = {0};
	int result = campaign->fresh ? set_aside(campaign->file, err) : 0;
	if (!result)
		result = ifr_optimize(request, &optimum, err);
	if (campaign->progress)
		progress_clear();
	if (!result)
		result = print_optimum(options, &optimum, err);
	const bool found = optimum.found, interrupted = optimum.interrupted;
	ifr_optimum_release(&optimum);
	if (ifr_launch_interrupted() || interrupted)
		return STOPPED_BY_INTERRUPT;
	return result ? ifr_command_failed(err) : found ? 0 : NOT_BETTER;
}

static int print_upkeep(const struct options *options, const struct ifr_upkeep *upkeep, struct ifr_error *err) {
	struct ifr_buffer out = {0};
	if (options->printing.json)
		ifr_upkeep_json(upkeep, options->campaign.argv[0], &out);
	else if (!options->printing.quiet)
		ifr_upkeep_text(upkeep, options->campaign.argv[0], &out);
	const int result = ifr_command_print(&out, err);
	ifr_buffer_release(&out);
	return result;
}

/* The upkeep in a folder of its own, whose earlier experiments are set aside. */
static int run_upkeep(const struct options *options, const struct ifr_optimization *request,
                      struct ifr_upkeep *upkeep, struct ifr_error *err) {
	const enum ifr_upkeep_kind kind = options->upkeep_kind;
	char *best = ifr_format("%s/best.plan", options->campaign.file),
		 *folder = ifr_format("%s/%s", options->campaign.file, ifr_upkeep_names[kind]),
		 *stable = ifr_format("%s.plan", folder);
	const char *plan = options->upkeep_plan ? options->upkeep_plan : kind == IFR_UPKEEP_REFRESH ? best : NULL;
	struct ifr_optimization search = *request;
	search.campaign.file = folder;
	const struct ifr_upkeep_request what = {.kind = kind,
	                                        .search = &search,
	                                        .plan_file = plan,
	                                        .output = kind == IFR_UPKEEP_STABLE    ? stable
	                                                  : kind == IFR_UPKEEP_REFRESH ? plan
	                                                                               : NULL};
	int result = ifr_dir_make(options->campaign.file, err);
	if (!result)
		result = set_aside(folder, err);
	if (!result)
		result = ifr_upkeep_run(&what, upkeep, err);
	free(stable);
	free(folder);
	free(best);
	return result;
}

/* Checks, refreshes or makes a pinned layout; returns the exit status. */
static int keep_up(struct options *options, const struct ifr_optimization *request, bool pinned,
                   struct ifr_error *err) {
	struct ifr_upkeep upkeep = {0};
	int result = run_upkeep(options, request, &upkeep, err);
	upkeep.pinned = pinned;
	if (options->campaign.progress)
		progress_clear();
	if (!result)
		result = print_upkeep(options, &upkeep, err);
	const bool holds = ifr_upkeep_holds(&upkeep), interrupted = upkeep.optimum.interrupted;
	ifr_upkeep_release(&upkeep);
	if (ifr_launch_interrupted() || interrupted)
		return STOPPED_BY_INTERRUPT;
	return result ? ifr_command_failed(err) : holds ? 0 : NOT_BETTER;
}

/* Makes the plain layout of a pinned program in the folder of the search; it stands for the program from now on. */
static int use_plain(const char *folder, struct ifr_campaign_program *program, char **plain,
                     struct ifr_error *err) {
	*plain = ifr_format("%s/plain", folder);
	int result = ifr_dir_make(folder, err);
	if (!result)
		result = ifr_program_make_plain(program->kit, *plain, err);
	program->path = *plain;
	return result;
}

/* Opens the machine to learn from, if there is one. */
static int open_model(const struct options *options, struct ifr_machine **machine, struct ifr_error *err) {
	*machine = NULL;
	return options->model ? ifr_machine_open(machine, options->model, err) : 0;
}

/* Divides the axes of the command line: random layouts vary those that move code, the best layout tries the others.
 * Without --axes, and with all, it tries what the kit allows. */
static unsigned divide_axes(const struct layout_options *layouts, struct ifr_layout_generator *generator) {
	const unsigned others = 1u << IFR_AXIS_DATA | ifr_axes_of(IFR_OWNER_PLUGIN);
	if (!layouts->axes_given || layouts->all) {
		generator->axes = 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING | 1u << IFR_AXIS_BASE;
		return others;
	}
	generator->axes = layouts->axes & ~others;
	return layouts->axes & others;
}

static int run_search(struct options *options, struct ifr_campaign_program *program,
                      const struct workloads *workloads, const struct ifr_machine *model, struct ifr_error *err) {
	struct ifr_campaign *campaign = &options->campaign;
	char *file = ifr_format("%s.optimize", ifr_path_base(program->path)), *plain = NULL;
	campaign->programs = program;
	campaign->program_count = 1;
	campaign->file = campaign->file ? campaign->file : file;
	if (program->kit && ifr_kit_is_pinned(program->path, program->kit) &&
	    use_plain(campaign->file, program, &plain, err)) {
		free(plain);
		free(file);
		return ifr_command_failed(err);
	}
	campaign->generator = layout_options_generator(&options->layouts);
	const unsigned axes = divide_axes(&options->layouts, &campaign->generator);
	campaign->seed_given = options->layouts.seed_given;
	campaign->variants = options->layouts.variants;
	progress_follow(campaign, options->printing.quiet);
	catch_interrupts();
	const struct ifr_optimization request = {.campaign = *campaign,
	                                         .workloads = workloads->items,
	                                         .workload_count = workloads->count,
	                                         .axes = axes,
	                                         .candidates = (unsigned)options->candidates,
	                                         .rounds = (unsigned)options->rounds,
	                                         .each = (unsigned)options->each,
	                                         .goal = options->goal,
	                                         .contexts = (unsigned)options->contexts,
	                                         .held_out = &options->held_out,
	                                         .machines = &options->machines,
	                                         .model = model,
	                                         .announce = campaign->progress ? announce : NULL};
	const int status =
		options->upkeep ? keep_up(options, &request, plain != NULL, err) : search(options, &request, err);
	free(plain);
	free(file);
	return status;
}

int ifr_command_optimize(int argc, char **argv) {
	struct options options = {.candidates = CANDIDATES, .rounds = ROUNDS, .each = EACH, .contexts = CONTEXTS};
	struct ifr_error error = {0}, *err = &error;
	struct workloads workloads = {0};
	struct ifr_machine *model = NULL;
	struct ifr_kit kit;
	bool has_kit = false;
	char *program = NULL;
	campaign_options_init(&options.campaign);
	layout_options_init(&options.layouts, LAYOUTS);
	options.campaign.counters = "clock";
	argp_parse(&ifr_optimize_argp, argc, argv, ARGP_IN_ORDER, NULL, &options);
	options.campaign.metric = options.printing.metric;
	ifr_kit_init(&kit);
	int result = campaign_options_find_program(options.campaign.argv[0], &program, err);
	if (!result)
		result = ifr_kit_find(program, &kit, &has_kit, err);
	struct ifr_campaign_program under_test = {
		.path = program, .kit = has_kit ? &kit : NULL, .name = options.campaign.argv[0]};
	if (!result)
		result = read_workloads(&options, &workloads, err);
	if (!result)
		result = open_model(&options, &model, err);
	int status = result ? ifr_command_failed(err) : run_search(&options, &under_test, &workloads, model, err);
	ifr_machine_free(model);
	release_workloads(&workloads);
	ifr_kit_release(&kit);
	ifr_strings_release(&options.held_out);
	ifr_strings_release(&options.machines);
	free(options.model);
	campaign_options_release(&options.campaign);
	free(program);
	return status;
}
