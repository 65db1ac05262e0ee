/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/campaign_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/process.h"
#include "harness/commands/cluster_option.h"
#include "harness/commands/commands.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/machine_option.h"
#include "harness/commands/program_kits.h"
#include "harness/commands/progress.h"
#include "harness/exec/exec.h"
#include "harness/output/output.h"
#include "harness/store/store.h"

enum {
	KEY_BUDGET = 256,
	KEY_TIMEOUT,
	KEY_CPU,
	KEY_ASLR,
	KEY_STDIN,
	KEY_ENV,
	KEY_EXIT,
	KEY_OUTPUT,
	KEY_KEEP,
	KEY_ONE_FILE,
	KEY_MARKER,
	KEY_METRICS,
	KEY_PROGRAM,
	KEY_PREPARE,
	KEY_WARMUP,
	KEY_MACHINE,
	KEY_CORE,
	KEY_SIZE,
	KEY_FRESH,
	KEY_NO_PROFILE,
	KEY_ON,
	KEY_DRY_RUN
};

static int parse_cpu(const char *argument, int *cpu, struct ifr_error *err) {
	uint64_t number;
	if (!strcmp(argument, "none")) {
		*cpu = -2;
		return 0;
	}
	int result = option_number("--cpu", argument, 0, 1023, &number, err);
	*cpu = (int)number;
	return result;
}

/* A word that is wrong is refused before anything is made. */
static int parse_metrics(char *argument, struct ifr_campaign *campaign, struct ifr_error *err) {
	struct ifr_metrics *metrics = NULL;
	int result = ifr_metrics_open(argument, &metrics, err);
	ifr_metrics_close(metrics);
	campaign->metrics = argument;
	return result;
}

/* Refuses a machine that there is none, whether or not the model is asked for. */
static int check_machine(const char *specification, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	const int result = ifr_machine_open(&machine, specification, err);
	ifr_machine_free(machine);
	return result;
}

/* Refuses what pieces do not know. */
static int check_spread(const struct ifr_campaign *campaign, struct ifr_error *err) {
	return campaign->metrics || campaign->driven
	           ? ifr_fail(err, IFR_E_USAGE, "--on does not go together with --metrics and --program")
	           : 0;
}

/* Takes options that are kept as they are. Returns false for others. */
static bool keep_option(int key, char *argument, struct ifr_campaign *campaign) {
	switch (key) {
	case 'c':
		campaign->counters = argument;
		return true;
	case KEY_ASLR:
		campaign->keep_aslr = true;
		return true;
	case KEY_STDIN:
		campaign->stdin_file = argument;
		return true;
	case KEY_ENV:
		ifr_strings_add(&campaign->environment, argument);
		return true;
	case KEY_OUTPUT:
		campaign->ignore_output = true;
		return true;
	case KEY_MARKER:
		campaign->marker = argument;
		return true;
	case KEY_PROGRAM:
		campaign->driven = argument;
		return true;
	case KEY_PREPARE:
		campaign->prepare = argument;
		return true;
	case KEY_NO_PROFILE:
		campaign->no_profile = true;
		return true;
	case KEY_ONE_FILE:
		campaign->one_file = true;
		return true;
	case KEY_FRESH:
		campaign->fresh = true;
		return true;
	case KEY_KEEP:
		campaign->keep_variants = true;
		return true;
	default:
		return false;
	}
}

static int parse_campaign(int key, char *argument, struct ifr_campaign *campaign, struct ifr_error *err) {
	uint64_t number = 0;
	int result = 0;
	switch (key) {
	case 'o':
		campaign->file = argument;
		return option_file("-o", argument, err);
	case 'r':
		result = option_number("--runs", argument, 1, 10000, &number, err);
		campaign->repetitions = (unsigned)number;
		return result;
	case KEY_BUDGET:
		return option_duration("--budget", argument, &campaign->budget_ns, err);
	case KEY_TIMEOUT:
		return option_duration("--timeout", argument, &campaign->timeout_ns, err);
	case KEY_SIZE:
		return option_size("--max-size", argument, &campaign->most_recording_bytes, err);
	case KEY_CPU:
		return parse_cpu(argument, &campaign->cpu, err);
	case KEY_EXIT:
		result = option_number("--expect-exit", argument, 0, 255, &number, err);
		campaign->expected_exit = (int)number;
		return result;
	case KEY_METRICS:
		return parse_metrics(argument, campaign, err);
	case KEY_WARMUP:
		result = option_number("--warmup", argument, 0, 10000, &number, err);
		campaign->warmups = (unsigned)number;
		return result;
	case KEY_MACHINE:
		result = machine_option(argument, &campaign->machine, err);
		return result ? result : check_machine(campaign->machine, err);
	case KEY_CORE:
		campaign->core = argument ? argument : "sampled";
		return ifr_core_use_find(campaign->core, &(enum ifr_core_use){0}, err);
	case KEY_ON:
		campaign->spread = ifr_cluster_run;
		campaign->spread_replays = ifr_cluster_replay;
		return cluster_option(argument, &campaign->cluster, err);
	case KEY_DRY_RUN:
		return cluster_option_dry_run(&campaign->cluster, err);
	case ARGP_KEY_END:
		result = cluster_option_check(campaign->cluster, campaign->spread, err);
		return result || !campaign->spread ? result : check_spread(campaign, err);
	default:
		return keep_option(key, argument, campaign) ? 0 : 1;
	}
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
	struct ifr_error err = {0};
	int result = parse_campaign(key, argument, state->input, &err);
	if (result < 0)
		option_refuse(state, &err);
	return result > 0 ? ARGP_ERR_UNKNOWN : 0;
}

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Measuring:", 2},
	{"output", 'o', "EXPERIMENT", 0,
     "The experiment file (PROG.exp, LIBRARY.exp; of a comparison OLD-NEW.exp), or the folder of an audit's or a "
     "search's experiments (PROG.audit, PROG.optimize); repeating an interrupted command continues it",
     2},
	{"fresh", KEY_FRESH, NULL, 0,
     "Replace an experiment that the file holds, such as one of the program's last build; that one becomes FILE~",
     2},
	{"runs", 'r', "N", 0, "Runs of each layout (5)", 2},
	{"counters", 'c', "LIST", 0,
     "auto, clock, perf, model, or a list such as clock,perf:page-faults,region:NAME,model (auto: perf where "
     "available, else clock; also model where it adds at most a fifth to the time)",
     2},
	{"machine", KEY_MACHINE, "MACHINE", 0,
     "The machine of the counter source model, as in \"interfero replay --machine\"; \"native\" is the "
     "nearest to this processor (skylake)",
     2},
	{"core", KEY_CORE, "HOW", OPTION_ARG_OPTIONAL,
     "The model's cycles: by the machine's core, over samples of the run (sampled) or over all of it (full), or the "
     "estimate of machines without a core, many times faster (none). Default: sampled where the machine has a core; "
     "with -c auto only where that fits into the fifth",
     2},
	{"metrics", KEY_METRICS, "FORMAT", 0,
     "Make a counter of each of the program's own benchmarks, whose figures are read from every run: google-benchmark, "
     "criterion, catch2, go, libtest, hyperfine or nanobench (each may name a file, as in go:FILE), json:PATH (such as "
     "json:.results[].mean), json:FILE:PATH, or regex:PATTERN, whose groups are by position the value; name and value; "
     "or name, value and unit: 'regex:^([a-z]+): ([0-9.]+) (ms|us|ns)'",
     2},
	{"program", KEY_PROGRAM, "PROG", 0,
     "The command is a driver, such as a script, that starts PROG by its path or its name; layouts take its place. The "
     "driver's run is measured, or its figures (--metrics)",
     2},
	{"prepare", KEY_PREPARE, "COMMAND", 0, "Run a shell command before each run, unmeasured", 2},
	{"warmup", KEY_WARMUP, "N", 0, "Make N unmeasured runs before each measured one, of the same file (0)", 2},
	{"repeat-marker", KEY_MARKER, "NAME", 0,
     "Also measure one execution of the statement in IFR_REPEAT(\"NAME\"), from runs with 101 and with 1", 2},
	{"no-profile", KEY_NO_PROFILE, NULL, 0,
     "Make no extra run that samples where the program spends its time (the kernel's cpu-clock)", 2},
	{"budget", KEY_BUDGET, "TIME", 0, "Stop within this time and report the partial results: 90s, 5m, 1h", 2},
	{"timeout", KEY_TIMEOUT, "TIME", 0, "Kill a run that takes longer (20 times the first run, at least 10s)", 2},
	{"max-size", KEY_SIZE, "SIZE", 0, "Limit the model's recording of a program: 200k, 20M, 1G (no limit)", 2},
	CLUSTER_OPTIONS(KEY_ON, KEY_DRY_RUN, 2),
	{NULL, 0, NULL, 0, "Conditions:", 3},
	{"cpu", KEY_CPU, "N", 0, "Pin to processor N, or \"none\" (the last one)", 3},
	{"keep-aslr", KEY_ASLR, NULL, 0, "Leave address-space randomization on", 3},
	{"stdin", KEY_STDIN, "FILE", 0, "The program's standard input (/dev/null)", 3},
	{"env", KEY_ENV, "NAME[=VALUE]", 0, "Add to the program's environment (PATH, HOME, LC_ALL=C)", 3},
	{"expect-exit", KEY_EXIT, "STATUS", 0, "The exit status of a correct run (0)", 3},
	{"ignore-output", KEY_OUTPUT, NULL, 0, "Do not compare what the layouts print", 3},
	{"one-file", KEY_ONE_FILE, NULL, 0,
     "Run one file of each layout in all repetitions, instead of a fresh copy in each. The effect of that file's "
     "place in memory then counts as layout effect",
     3},
	{"keep", KEY_KEEP, NULL, 0, "Keep the variants, in EXPERIMENT.variants", 3},
	{0},
};
const struct argp campaign_argp = {table, parse_option, NULL, NULL, NULL, NULL, NULL};

void campaign_options_init(struct ifr_campaign *campaign) {
	*campaign = (struct ifr_campaign){.repetitions = 5, .counters = "auto", .machine = "skylake", .cpu = -1};
}

/* The number of words that an option takes here, 0 for another word. text: one letter or a name, with a value. */
static int match_option(const char *word, bool last, const char *letter, const char *name, bool value) {
	const size_t length = strlen(name);
	if (!strcmp(word, letter) || (!strncmp(word, "--", 2) && !strcmp(word + 2, name)))
		return value && !last ? 2 : 1;
	const bool joined = value && letter[1] != '-' && !strncmp(word, letter, 2) && word[2];
	return joined ||
	       (value && !strncmp(word, "--", 2) && !strncmp(word + 2, name, length) && word[2 + length] == '=');
}

char *campaign_options_keep(char *const *words, int count) {
	static const struct {
		const char *letter, *name;
		bool value;
	} left_out[] = {{"-n", "number", true},      {"-r", "runs", true},
	                {"-o", "output", true},      {"-j", "json", false},
	                {"-q", "quiet", false},      {"--", "", false},
	                {"--fresh", "fresh", false}, {"--triggers", "triggers", true}};
	struct ifr_buffer text = {0};
	ifr_buffer_puts(&text, "");
	for (int i = 0; i < count;) {
		int taken = 0;
		for (size_t j = 0; j < sizeof left_out / sizeof *left_out && !taken; j++)
			taken =
				match_option(words[i], i + 1 == count, left_out[j].letter, left_out[j].name, left_out[j].value);
		if (!taken) {
			ifr_buffer_puts(&text, text.length ? " " : "");
			ifr_quote_shell(&text, words[i]);
		}
		i += taken ? taken : 1;
	}
	return ifr_buffer_detach(&text);
}

void campaign_options_release(struct ifr_campaign *campaign) {
	ifr_strings_release(&campaign->environment);
	cluster_option_release(&campaign->cluster);
}

int campaign_options_find_program(const char *name, char **program, struct ifr_error *err) {
	char *found = ifr_program_find(name, NULL), *cwd = getcwd(NULL, 0);
	int result = 0;
	if (found)
		*program = ifr_path_normalise(cwd ? cwd : "/", found);
	else if (strchr(name, '/') && ifr_file_exists(name))
		result = ifr_fail(err, IFR_E_USAGE, "%s is no program: it cannot be executed", name);
	else
		result = ifr_fail(
			err, IFR_E_USAGE, "there is no program %s%s", *name ? name : "\"\"",
			!strchr(name, '/') && ifr_file_exists(name) ? " in PATH: write it with a slash, as ./PROG" : "");
	if (!result && ifr_is_library(*program)) {
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s is a shared library, which cannot be started: give it with --library, and the program "
		             "that uses it behind --",
		             name);
		free(*program);
		*program = NULL;
	}
	free(found);
	free(cwd);
	return result;
}

int campaign_options_find_library(const char *name, char **path, struct ifr_error *err) {
	char *cwd = getcwd(NULL, 0);
	*path = ifr_path_normalise(cwd ? cwd : "/", name);
	free(cwd);
	return ifr_file_exists(*path) ? 0 : ifr_fail(err, IFR_E_USAGE, "there is no library %s", name);
}

char *campaign_options_describe_interrupt(const char *file) {
	struct ifr_dataset dataset;
	if (!ifr_file_exists(file) || ifr_experiment_load(file, &dataset, NULL))
		return ifr_strdup("interrupted before the first run; nothing was kept");
	const bool has_runs = dataset.run_count > 0;
	ifr_dataset_release(&dataset);
	return has_runs
	           ? ifr_format("interrupted; %s holds every run so far, and the same command continues it (with the "
	                        "layouts in %s.variants)",
	                        file, file)
	           : ifr_format(
					 "interrupted before the first result; the recording is kept, and the same command goes on "
					 "with it (%s)",
					 file);
}

static int report_end(const struct ifr_campaign *campaign, const struct ifr_campaign_result *done,
                      campaign_report *report, void *context, struct ifr_error *err) {
	const char *file = campaign->file;
	int result = 0;
	if (done->interrupted) {
		char *text = campaign_options_describe_interrupt(file);
		ifr_command_say(text);
		free(text);
	}
	if (done->runs || done->complete)
		result = report(file, context, err);
	if (done->interrupted) {
		if (result)
			ifr_command_failed(err);
		return STOPPED_BY_INTERRUPT;
	}
	if (result)
		return ifr_command_failed(err);
	if (done->refused_variants) {
		ifr_command_note(
			"%s (%u in all): a layout must not change what a program does, so it depends on where its code lies; "
			"interfero variants --seed %llu … makes them for a debugger",
			done->refusal, done->refused_variants, (unsigned long long)campaign->generator.seed);
		return IFR_E_PROGRAM;
	}
	return 0;
}

/* The files that a command line names. */
struct named_files {
	char *program, *driver, *library; /* paths; NULL: not named */
	char *experiment;                 /* the usual one */
	struct ifr_kit kit;
	bool has_kit;
	struct ifr_campaign_program measured;
};

/* Finds the files; the caller releases them, after an error too. */
static int find_files(const struct ifr_campaign *campaign, struct layout_options *layouts, bool quiet,
                      const char *ending, struct named_files *files, struct ifr_error *err) {
	int result = campaign_options_find_program(campaign->driven ? campaign->driven : campaign->argv[0],
	                                           &files->program, err);
	if (!result && campaign->driven && campaign->library)
		result = ifr_fail(err, IFR_E_USAGE, "--program and --library each name what varies: choose one of them");
	if (!result && campaign->driven)
		result = campaign_options_find_program(campaign->argv[0], &files->driver, err);
	if (!result && campaign->library)
		result = campaign_options_find_library(campaign->library, &files->library, err);
	if (result)
		return result;
	const char *path = files->library ? files->library : files->program;
	struct program_kit under_test = {.path = path, .kit = &files->kit};
	result = program_kits_find(&under_test, 1, layouts, ifr_loads_libraries(files->program), quiet, err);
	files->has_kit = under_test.found;
	files->experiment = ifr_format("%s.%s", ifr_path_base(path), ending);
	files->measured = (struct ifr_campaign_program){.path = path,
	                                                .kit = files->has_kit ? &files->kit : NULL,
	                                                .name = campaign->library  ? campaign->library
	                                                        : campaign->driven ? campaign->driven
	                                                                           : campaign->argv[0]};
	return result;
}

static void release_files(struct named_files *files) {
	ifr_kit_release(&files->kit);
	free(files->experiment);
	free(files->driver);
	free(files->library);
	free(files->program);
}

static int measure(struct ifr_campaign *campaign, const struct layout_options *layouts, bool quiet,
                   const struct named_files *files, struct ifr_stopping_rule *rule,
                   struct ifr_campaign_result *done, struct ifr_error *err) {
	campaign->programs = &files->measured;
	campaign->program_count = 1;
	campaign->user = files->library ? files->program : files->driver;
	campaign->driven = files->driver ? files->program : NULL;
	campaign->generator = layout_options_generator(layouts);
	campaign->seed_given = layouts->seed_given;
	campaign->variants = layouts->variants;
	campaign->file = campaign->file ? campaign->file : files->experiment;
	progress_follow(campaign, quiet);
	catch_interrupts();
	int result = campaign->fresh ? ifr_campaign_set_aside(campaign->file, err) : 0;
	if (result)
		return result;
	result = ifr_campaign_run_until(campaign, campaign->spread ? NULL : rule, done, err);
	campaign->generator.seed = done->seed;
	campaign->programs = NULL;
	if (campaign->progress)
		progress_clear();
	return result ? result : cluster_option_print(campaign->cluster, err);
}

int campaign_options_run(struct ifr_campaign *campaign, struct layout_options *layouts, bool quiet,
                         const char *ending, struct ifr_stopping_rule *rule, campaign_report *report,
                         void *context) {
	struct ifr_campaign_result done = {0};
	struct ifr_error error = {0}, *err = &error;
	struct named_files files = {0};
	ifr_kit_init(&files.kit);
	int result = find_files(campaign, layouts, quiet, ending, &files, err);
	if (!result)
		result = measure(campaign, layouts, quiet, &files, rule, &done, err);
	int status = result ? ifr_command_failed(err) : report_end(campaign, &done, report, context, err);
	if (result && ifr_launch_interrupted())
		status = STOPPED_BY_INTERRUPT;
	release_files(&files);
	campaign_options_release(campaign);
	ifr_plan_release(&layouts->parameters);
	return status;
}
