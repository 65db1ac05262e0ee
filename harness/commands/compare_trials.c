/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/compare_trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "harness/commands/campaign_options.h"
#include "harness/commands/cluster_option.h"
#include "harness/commands/commands.h"
#include "harness/commands/compare_benchmarks.h"
#include "harness/commands/compare_budget.h"
#include "harness/commands/interrupts.h"
#include "harness/commands/progress.h"
#include "harness/store/store.h"
#include "harness/exec/exec.h"
#include "harness/statistics/statistics.h"

/* The comparisons of all trials. */
struct comparisons {
	struct ifr_comparison_entry *entries;
	size_t count;
	struct ifr_strings *names;          /* [trials] the benchmarks of each, which entries point to */
	struct ifr_strings texts;           /* names and failures of entries */
	struct ifr_comparison_kinds *kinds; /* [trials] of processors */
};

static char *join_words(const char *first, char *const *words) {
	struct ifr_buffer text = {0};
	ifr_buffer_puts(&text, first);
	for (; words && *words; words++)
		ifr_buffer_printf(&text, "%s%s", text.length ? " " : "", *words);
	return ifr_buffer_detach(&text);
}

/* "old-new-prog" of old/prog and new/prog: the folders where the paths differ last, and the name that both have. */
static char *join_same(const char *old, const char *new) {
	char *cwd = getcwd(NULL, 0), *a = ifr_path_normalise(cwd ? cwd : "/", old),
		 *b = ifr_path_normalise(cwd ? cwd : "/", new), *name = NULL, *x, *y;
	while (!name && (x = strrchr(a, '/')) && (y = strrchr(b, '/'))) {
		if (strcmp(x, y))
			name = ifr_format("%s-%s-%s", x + 1, y + 1, ifr_path_base(old));
		*x = *y = '\0';
	}
	free(cwd);
	free(a);
	free(b);
	return name ? name : ifr_format("%s-%s", ifr_path_base(old), ifr_path_base(new));
}

static char *join_names(const char *old, const char *new) {
	return strcmp(ifr_path_base(old), ifr_path_base(new))
	           ? ifr_format("%s-%s", ifr_path_base(old), ifr_path_base(new))
	           : join_same(old, new);
}

static char *choose_file(const struct compare_options *options, const char *name) {
	const char *given = options->campaign.file;
	if (given && !*name)
		return ifr_strdup(given);
	char *base = given ? ifr_strdup(given) : join_names(options->names[0], options->names[1]);
	char *file = ifr_format("%s%s%s.exp", base, *name ? "-" : "", name);
	free(base);
	return file;
}

/* Finds the driver, and the place where it looks for the programs; the caller frees both. */
static int find_driver(struct ifr_campaign *campaign, char **driver, char **place, struct ifr_error *err) {
	if (!campaign->argv || !campaign->argv[0])
		return ifr_fail(err, IFR_E_USAGE,
		                "--program: which driver? interfero compare --program ./prog OLD NEW -- ./driver");
	int result = campaign_options_find_program(campaign->driven, place, err);
	if (!result)
		result = campaign_options_find_program(campaign->argv[0], driver, err);
	campaign->driven = *place;
	campaign->user = *driver;
	return result;
}

static int find_user(char *const *argv, char **user, struct ifr_error *err) {
	return argv && *argv
	           ? campaign_options_find_program(*argv, user, err)
	           : ifr_fail(err, IFR_E_USAGE, "a command of the suite names no program: NAME: ./PROG ARGUMENTS");
}

static const char ended_words[] =
	"its part of the budget ended before two random layouts of each program were done; the same command continues";

/* In a suite, a line that its budget ended is as good as inconclusive. */
static void fail_trial(struct compare_trial *trial, const char *why, int status) {
	trial->failure = ifr_strdup(why);
	if (!trial->status && !(*trial->name && trial->time.ended))
		trial->status = status;
}

/* Measures one command. A failure becomes the trial's: the suite goes on. */
static void measure_trial(struct compare_options *options, struct compare_inputs *inputs, const char *name,
                          char *const *words, struct ifr_stopping_rule *rule, struct compare_trial *trial) {
	struct ifr_campaign campaign = options->campaign;
	const int64_t begun_ns = ifr_clock_ns();
	struct ifr_campaign_result done = {0};
	struct ifr_strings argv = {0};
	struct ifr_error err = {0};
	/* The first word is a driver, or a library's user. */
	if (!campaign.driven && !options->libraries)
		ifr_strings_add(&argv, options->names[0]);
	for (; words && *words; words++)
		ifr_strings_add(&argv, *words);
	trial->file = choose_file(options, name);
	campaign.metric = options->printing.metric;
	campaign.file = trial->file;
	campaign.argv = argv.items;
	campaign.generator = layout_options_generator(&options->layouts);
	campaign.seed_given = options->layouts.seed_given;
	campaign.variants = options->layouts.variants;
	progress_follow(&campaign, options->printing.quiet);
	compare_inputs_enter(inputs, &campaign);
	char *driver = NULL, *place = NULL;
	int result = campaign.driven      ? find_driver(&campaign, &driver, &place, &err)
	             : options->libraries ? find_user(argv.items, &driver, &err)
	                                  : 0;
	if (options->libraries)
		campaign.user = driver;
	if (!result && campaign.fresh)
		result = ifr_campaign_set_aside(trial->file, &err);
	if (!result)
		result = ifr_campaign_run_until(&campaign, rule, &done, &err);
	if (campaign.progress)
		progress_clear();
	const bool dry = campaign.cluster && campaign.cluster->dry_run;
	if (!result && !dry && (!done.interrupted || ifr_file_exists(trial->file)))
		result = ifr_experiment_load(trial->file, &trial->dataset, &err);
	if (!result && done.interrupted && !trial->dataset.run_count)
		trial->failure = campaign_options_describe_interrupt(trial->file);
	if (done.interrupted || (result && ifr_launch_interrupted()))
		trial->status = STOPPED_BY_INTERRUPT;
	else if (done.refused_variants)
		trial->status = IFR_E_PROGRAM;
	if (done.refused_variants)
		ifr_command_note(
			"%s (%u in all): a layout must not change what a program does, so it depends on where its code lies",
			done.refusal, done.refused_variants);
	trial->time = (struct compare_time){.part_ns = campaign.budget_ns,
	                                    .used_ns = ifr_clock_ns() - begun_ns,
	                                    .least_ns = done.least_ns,
	                                    .enough_s = done.enough_s,
	                                    .ended = done.budget_ended};
	if (result)
		fail_trial(trial, *name && done.budget_ended ? ended_words : err.message, err.code);
	ifr_strings_release(&argv);
	free(driver);
	free(place);
}

/* Compares each counter that both sides have, for the table. */
static void compare_others(const struct ifr_comparison_side sides[2], const struct ifr_comparison_rules *rules,
                           struct ifr_comparison_entry *entry) {
	const struct ifr_dataset *new = sides[1].dataset;
	entry->others = ifr_alloc((new->counter_count + 1) * sizeof *entry->others);
	for (size_t i = 0; i < new->counter_count; i++)
		if (!ifr_comparison_make(&sides[0], &sides[1], new->counters[i].name, rules,
		                         &entry->others[entry->other_count], NULL))
			entry->other_count++;
}

static void compare_trial(const struct compare_options *options, struct compare_inputs *inputs,
                          struct compare_trial *trial, struct ifr_comparison_entry *entry, const char *processor,
                          size_t family) {
	struct ifr_comparison_side sides[2];
	struct ifr_error err = {0};
	compare_find_sides(inputs, trial, sides);
	sides[0].processor = sides[1].processor = processor;
	struct ifr_comparison_rules rules = compare_rules(options, inputs, sides);
	rules.family = family;
	int result = trial->failure ? -1
	                            : ifr_comparison_make(&sides[0], &sides[1], options->printing.metric, &rules,
	                                                  &entry->main, &err);
	if (result && !trial->failure)
		fail_trial(trial, err.message, err.code);
	if (!result)
		compare_others(sides, &rules, entry);
	entry->command = trial->command;
	entry->failure = trial->failure;
}

/* Stores the confidence in the experiment: reporting it again gives the same intervals. */
static void store_confidence(const struct compare_trial *trial, double confidence) {
	struct ifr_experiment *experiment;
	char *text = ifr_format("%.17g", confidence);
	if (!ifr_experiment_open(trial->file, &experiment, NULL)) {
		ifr_experiment_set(experiment, "confidence", text, NULL);
		ifr_experiment_close(experiment);
	}
	free(text);
}

/* Measures one command, with its interim analyses if any are planned. */
static void measure_planned(struct compare_options *options, struct compare_inputs *inputs, const char *name,
                            char *const *words, struct compare_trial *trial) {
	struct ifr_stopping_rule rule;
	bool planned = options->analyses > 1 && inputs->input[0].kind == INPUT_PROGRAM;
	if (planned) {
		ifr_stop_at_change(&rule, options->analyses, options->layouts.variants, &options->rules);
		rule.metric = options->printing.metric;
		rule.say = options->printing.quiet ? NULL : ifr_command_say;
		planned = rule.analyses > 1;
	}
	measure_trial(options, inputs, name, words, planned ? &rule : NULL, trial);
	if (planned) {
		options->rules.layouts = ifr_stopping_rule_layouts(&rule);
		options->rules.confidence = ifr_stopping_rule_confidence(&rule);
	}
	if (planned && !trial->failure)
		store_confidence(trial, options->rules.confidence);
}

/* Controls the false discovery rate over all commands of a suite (Benjamini and Hochberg 1995). */
static void adjust_for_suite(const struct compare_options *options, struct ifr_comparison_entry *entries,
                             size_t count) {
	double *p = ifr_alloc((count + 1) * sizeof *p);
	size_t used = 0;
	for (size_t i = 0; i < count; i++)
		if (!entries[i].failure)
			p[used++] = entries[i].main.p;
	ifr_p_adjust_fdr(p, used);
	used = 0;
	for (size_t i = 0; i < count; i++)
		if (!entries[i].failure)
			ifr_comparison_judge(&entries[i].main, &options->rules, p[used++]);
	free(p);
}

static int print_comparison(const struct compare_options *options, const struct ifr_comparison_entry *entries,
                            size_t count, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	int result = 0;
	if (options->junit) {
		ifr_comparison_junit(entries, count, &text);
		result = ifr_file_write(options->junit, text.data, text.length, 0644, err);
		ifr_buffer_clear(&text);
	}
	if (!result && options->html) {
		ifr_comparison_html(entries, count, &text);
		result = ifr_file_write(options->html, text.data, text.length, 0644, err);
		ifr_buffer_clear(&text);
	}
	if (options->printing.json)
		ifr_comparison_json(entries, count, &text);
	else if (options->markdown)
		ifr_comparison_markdown(entries, count, &text);
	else if (!options->printing.quiet)
		ifr_comparison_text(entries, count, isatty(1) && !getenv("NO_COLOR"), &text);
	if (text.length && (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout)))
		result = ifr_fail_errno(err, IFR_E_ENVIRONMENT, "cannot write the comparison to standard output");
	ifr_buffer_release(&text);
	return result;
}

/* The exit status: an interruption comes before a regression, a regression before a failed trial. */
static int choose_status(const struct compare_trial *trials, size_t trial_count, const struct comparisons *made) {
	int status = 0;
	for (size_t i = 0; i < trial_count; i++) {
		if (trials[i].status == STOPPED_BY_INTERRUPT)
			return STOPPED_BY_INTERRUPT;
		status = status ? status : trials[i].status;
	}
	for (size_t i = 0; i < made->count; i++)
		if (!made->entries[i].failure && made->entries[i].main.regressed)
			status = IFR_E_REGRESSION;
	return status;
}

/* Finds the kinds of processors that a trial ran on; a trial of one's own figures, or one that failed, has none. */
static void find_kinds(const struct compare_options *options, struct compare_trial *trial, bool has_figures,
                       struct ifr_comparison_kinds *kinds) {
	struct ifr_comparison_side sides[2];
	*kinds = (struct ifr_comparison_kinds){0};
	if (trial->failure || has_figures)
		return;
	compare_find_sides(trial->inputs, trial, sides);
	ifr_comparison_kinds_make(&sides[0], &sides[1], options->printing.metric, kinds);
}

/* An entry for each kind of processors: they are never pooled. */
static void compare_kinds(const struct compare_options *options, struct compare_trial *trial,
                          const struct ifr_comparison_kinds *kinds, size_t family, struct comparisons *made) {
	for (size_t i = 0; i < kinds->names.count; i++) {
		struct ifr_comparison_entry *entry = &made->entries[made->count++];
		ifr_strings_take(&made->texts,
		                 ifr_format("%s%s%s", trial->name, *trial->name ? ": " : "", kinds->names.items[i]));
		compare_trial(options, trial->inputs, trial, entry, kinds->names.items[i], family);
		entry->name = made->texts.items[made->texts.count - 1];
		entry->kinds = kinds;
	}
}

/* Compares the trials: an entry for each of the program's own benchmarks, or one for each trial. */
static void compare_trials(const struct compare_options *options, struct compare_trial *trials, size_t trial_count,
                           struct comparisons *made) {
	struct ifr_strings *names = ifr_alloc((trial_count + 1) * sizeof *names);
	size_t family = 0, benchmarks = 0, of_kinds = 0;
	made->kinds = ifr_alloc((trial_count + 1) * sizeof *made->kinds);
	for (size_t i = 0; i < trial_count; i++) {
		compare_list_benchmarks(options, trials[i].inputs, &trials[i], &names[i]);
		benchmarks += names[i].count;
		find_kinds(options, &trials[i], names[i].count, &made->kinds[i]);
		of_kinds += made->kinds[i].names.count > 1 ? made->kinds[i].names.count : 0;
		family += compare_count_benchmarks(trials[i].inputs, &trials[i], &names[i]);
	}
	made->entries = ifr_alloc((benchmarks + of_kinds + trial_count + 1) * sizeof *made->entries);
	for (size_t i = 0; i < trial_count; i++) {
		for (size_t j = 0; j < names[i].count; j++)
			compare_benchmark(options, trials[i].inputs, &trials[i], trials[i].name, names[i].items[j], family,
			                  &made->texts, &made->entries[made->count++]);
		if (names[i].count)
			continue;
		if (made->kinds[i].names.count > 1) {
			compare_kinds(options, &trials[i], &made->kinds[i], of_kinds, made);
			continue;
		}
		made->entries[made->count].name = trials[i].name;
		compare_trial(options, trials[i].inputs, &trials[i], &made->entries[made->count++], NULL, 0);
	}
	/* Benchmarks and kinds allow for each other already. */
	if (!benchmarks && !of_kinds)
		adjust_for_suite(options, made->entries, made->count);
	made->names = names;
}

static void release_comparisons(struct comparisons *made, size_t trial_count) {
	for (size_t i = 0; i < made->count; i++)
		free(made->entries[i].others);
	for (size_t i = 0; i < trial_count; i++) {
		ifr_strings_release(&made->names[i]);
		ifr_comparison_kinds_release(&made->kinds[i]);
	}
	free(made->kinds);
	free(made->names);
	free(made->entries);
	ifr_strings_release(&made->texts);
}

static void release_trial(struct compare_trial *trial) {
	ifr_dataset_release(&trial->dataset);
	free(trial->command);
	free(trial->file);
	free(trial->failure);
}

/* Compares, judges, prints and releases; returns the exit status. */
static int end_trials(const struct compare_options *options, struct compare_trial *trials, size_t count,
                      bool suite) {
	struct comparisons made = {0};
	struct ifr_error err = {0};
	compare_trials(options, trials, count, &made);
	int status = choose_status(trials, count, &made);
	if (!suite && trials[0].failure) {
		ifr_command_note("%s", trials[0].failure);
	} else if (print_comparison(options, made.entries, made.count, &err)) {
		status = ifr_command_failed(&err);
	}
	release_comparisons(&made, count);
	char *short_of = suite ? compare_budget_describe(trials, count) : NULL;
	if (short_of)
		ifr_command_note("%s", short_of);
	free(short_of);
	for (size_t i = 0; i < count; i++)
		release_trial(&trials[i]);
	free(trials);
	return status;
}

/* "fib" of "s.exp-fib.exp", of the suite s.exp. */
static char *name_command(const char *file, const char *suite) {
	const char *name = file + strlen(suite) + 1;
	return ifr_format("%.*s", (int)(strlen(name) - strlen(".exp")), name);
}

int compare_results(struct compare_options *options, const char *suite, const struct ifr_strings *files) {
	struct compare_trial *trials = ifr_alloc(files->count * sizeof *trials);
	struct compare_inputs *inputs = ifr_alloc(files->count * sizeof *inputs);
	struct ifr_strings names = {0};
	for (size_t i = 0; i < files->count; i++) {
		struct ifr_error err = {0};
		ifr_strings_take(&names, name_command(files->items[i], suite));
		if (compare_inputs_find(&files->items[i], 1, false, &inputs[i], &err)) {
			trials[i].failure = ifr_strdup(err.message);
			trials[i].status = err.code;
		}
		const char *recorded = ifr_dataset_fact(&inputs[i].input[0].dataset, "command");
		trials[i].command = ifr_strdup(recorded ? recorded : files->items[i]);
		trials[i].inputs = &inputs[i];
	}
	for (size_t i = 0; i < files->count; i++)
		trials[i].name = names.items[i];
	int status = end_trials(options, trials, files->count, true);
	for (size_t i = 0; i < files->count; i++)
		compare_inputs_release(&inputs[i]);
	free(inputs);
	ifr_strings_release(&names);
	return status;
}

static void announce_line(const struct compare_options *options, const struct suite *suite, size_t line) {
	const int64_t budget_ns = options->campaign.budget_ns;
	if (options->printing.quiet)
		return;
	char *part = budget_ns ? ifr_format(", with %.0f s of the budget", (double)budget_ns / 1e9) : ifr_strdup("");
	ifr_command_note("line %zu of %zu: %s%s", line + 1, suite->count, suite->commands[line].name, part);
	free(part);
}

/* Gives the time that is left to lines whose part ended before there was anything to compare. */
static void measure_again(struct compare_options *options, struct compare_inputs *inputs,
                          const struct suite *suite, int64_t deadline_ns, struct compare_trial *trials,
                          size_t count) {
	for (size_t round = 0; round < count && !ifr_launch_interrupted(); round++) {
		const int64_t left_ns = deadline_ns - ifr_clock_ns();
		const size_t line = compare_budget_choose(trials, count, left_ns);
		if (line == count)
			return;
		struct compare_trial *trial = &trials[line], again = {.name = trial->name, .inputs = inputs};
		again.command = trial->command;
		trial->command = NULL;
		release_trial(trial);
		*trial = again;
		options->campaign.budget_ns = left_ns;
		announce_line(options, suite, line);
		measure_planned(options, inputs, trial->name, suite->commands[line].words.items, trial);
		trial->time.again = true;
	}
}

/* Prints what would be submitted for all trials. */
static int end_dry_run(const struct compare_options *options, struct compare_trial *trials, size_t count) {
	struct ifr_error err = {0};
	int status = 0;
	for (size_t i = 0; i < count; i++) {
		status = trials[i].status ? trials[i].status : status;
		if (trials[i].failure)
			ifr_command_note("%s", trials[i].failure);
		release_trial(&trials[i]);
	}
	free(trials);
	return cluster_option_print(options->campaign.cluster, &err) ? ifr_command_failed(&err) : status;
}

int compare_all(struct compare_options *options, struct compare_inputs *inputs, const struct suite *suite) {
	size_t count = suite->count ? suite->count : 1, done = 0;
	const int64_t budget_ns = options->campaign.budget_ns, deadline_ns = ifr_clock_ns() + budget_ns;
	struct compare_trial *trials = ifr_alloc(count * sizeof *trials);
	for (; done < count && (!done || !ifr_launch_interrupted()); done++) {
		struct compare_trial *trial = &trials[done];
		char *const *words = suite->count ? suite->commands[done].words.items : options->arguments;
		const char *recorded = ifr_dataset_fact(&inputs->input[0].dataset, "command");
		trial->name = suite->count ? suite->commands[done].name : "";
		trial->inputs = inputs;
		trial->command = recorded                                ? ifr_strdup(recorded)
		                 : options->campaign.driven              ? join_words("", words)
		                 : options->libraries && words && *words ? join_words(*words, words + 1)
		                                                         : join_words(options->names[0], words);
		options->campaign.budget_ns = budget_ns ? compare_budget_divide(deadline_ns, count - done) : 0;
		if (suite->count)
			announce_line(options, suite, done);
		if (inputs->input[0].kind != INPUT_EXPERIMENT)
			measure_planned(options, inputs, trial->name, words, trial);
	}
	if (options->campaign.cluster && options->campaign.cluster->dry_run)
		return end_dry_run(options, trials, done);
	if (suite->count && budget_ns)
		measure_again(options, inputs, suite, deadline_ns, trials, done);
	return end_trials(options, trials, done, suite->count);
}
