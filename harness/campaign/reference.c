/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference: what each program does as it ships. Every run of every variant is compared with it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/figures.h"
#include "harness/campaign/missing_runs.h"
#include "harness/campaign/model_values.h"

enum { REFERENCE_RUNS = 2 };

/* The first line of what a program wrote, shortened, for messages. */
static const char *first_line(const struct ifr_buffer *text, char *line, size_t size) {
	const char *start = ifr_buffer_text(text);
	snprintf(line, size, "%.*s", (int)strcspn(start, "\n"), start);
	return line;
}

/* Until a run's duration is known, a budget limits it, too; but a few seconds are given to short budgets, for only a
 * whole run tells which budget is enough. */
static int64_t limit_run(const struct campaign_state *state) {
	static const int64_t hour_ns = INT64_C(3600000000000), least_ns = INT64_C(3000000000);
	const int64_t limit_ns = state->plan.timeout_ns ? state->plan.timeout_ns : hour_ns,
				  left_ns = state->plan.budget_ns ? state->deadline_ns - ifr_clock_ns() : INT64_MAX;
	const int64_t allowed_ns = left_ns > least_ns ? left_ns : least_ns;
	return allowed_ns < limit_ns ? allowed_ns : limit_ns;
}

/* Whether it was the budget that ended a run, and no --timeout. */
static bool is_bounded_by_budget(const struct campaign_state *state) {
	return state->plan.budget_ns && ifr_clock_ns() >= state->deadline_ns;
}

static int judge(const struct campaign_state *state, unsigned program, const struct ifr_outcome *outcome,
                 struct ifr_error *err) {
	char line[160];
	const char *name = program ? state->plan.programs[program].path : state->plan.argv[0];
	if (outcome->interrupted)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "interrupted before the first run was over; nothing was recorded");
	if (outcome->read_stdin)
		return ifr_fail(err, IFR_E_USAGE,
		                "%s reads its standard input: give it with --stdin FILE (--stdin /dev/null for nothing)",
		                name);
	if (outcome->timed_out && is_bounded_by_budget(state))
		return ifr_fail(
			err, IFR_E_PROGRAM,
			"%s did not end before the budget was over as it ships: give a longer --budget, or less to do", name);
	if (outcome->timed_out)
		return ifr_fail(err, IFR_E_PROGRAM,
		                "%s did not end in time as it ships: give a longer --timeout, or less to do", name);
	if (outcome->exit_status != state->plan.expected_exit)
		return ifr_fail(err, IFR_E_PROGRAM,
		                "%s %s %d as it ships, in a minimal environment%s%s: --env NAME passes a variable on, "
		                "--expect-exit N expects a status",
		                name, outcome->signal ? "ends by signal" : "exits with status",
		                outcome->signal ? outcome->signal : outcome->exit_status,
		                outcome->errors.length ? ", saying " : "",
		                first_line(&outcome->errors, line, sizeof line));
	return 0;
}

/* Without its regions every run would be refused. */
static int judge_regions(const struct campaign_state *state, const struct ifr_outcome *outcome,
                         struct ifr_error *err) {
	if (*outcome->refused)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "regions cannot be measured: %s", outcome->refused);
	return ifr_counters_check_regions(state->counters, &outcome->runtime, err);
}

/* Without figures every run would be refused. */
static int judge_figures(const struct ifr_outcome *outcome, struct ifr_error *err) {
	return outcome->figures.count ? 0 : ifr_fail(err, IFR_E_PROGRAM, "%s", outcome->refused);
}

enum { MANY = 2 }; /* threads that share a processor */

/* Sights of a reference while it runs. */
struct observation {
	struct ifr_patience *patience;
	unsigned threads; /* the most at a time */
};

static void watch_run(pid_t child, int64_t elapsed_ns, void *data) {
	struct observation *observation = data;
	const unsigned now = ifr_process_threads(child);
	observation->threads = now > observation->threads ? now : observation->threads;
	ifr_patience_watch(observation->patience, elapsed_ns);
}

/* Threads that share one processor take turns, which the program's own users need not see. */
static int note_threads(struct campaign_state *state, unsigned threads, struct ifr_error *err) {
	if (threads < MANY || state->cpu < 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return 0;
	return campaign_warn_as(
		state, "threads",
		"The program runs several threads, and they all shared one processor: --cpu none lets them "
		"run on all.",
		err);
}

int campaign_note_left(struct campaign_state *state, const struct ifr_outcome *outcome, struct ifr_error *err) {
	return !outcome->left
	           ? 0
	           : campaign_warn_as(state, "left processes",
	                              "The program leaves processes running when it ends, such as daemons: they "
	                              "were ended with each run, so that they disturb no other.",
	                              err);
}

/* A run that tells whether the auditor of the loader reaches the library: it makes a file as soon as it does. */
struct library_watch {
	struct ifr_context context;
	char *seen; /* NULL: no auditor */
};

static void watch_library(const struct campaign_state *state, struct ifr_launch *launch,
                          struct library_watch *watch) {
	*watch = (struct library_watch){0};
	if (!state->plan.user || state->library.way != IFR_LIBRARY_BY_AUDIT)
		return;
	watch->seen = ifr_format("%s/seen", state->folder);
	unlink(watch->seen);
	ifr_context_copy(&watch->context, launch->context);
	ifr_strings_take(&watch->context.environment, ifr_format(IFR_LIBRARY_SEEN "=%s", watch->seen));
	launch->context = &watch->context;
}

static int end_watch(const struct campaign_state *state, struct library_watch *watch, struct ifr_error *err) {
	int result = 0;
	if (!watch->seen)
		return 0;
	if (!ifr_file_exists(watch->seen))
		result =
			ifr_fail(err, IFR_E_USAGE,
		             "%s cannot be led to variants of %s: its first run neither was linked with that library nor "
		             "opened it, by LD_LIBRARY_PATH, LD_PRELOAD or LD_AUDIT",
		             state->plan.argv[0], state->library.soname);
	unlink(watch->seen);
	ifr_context_release(&watch->context);
	free(watch->seen);
	return result;
}

int campaign_observe_run(struct campaign_state *state, unsigned program, bool watch_stdin,
                         struct ifr_outcome *outcome, struct ifr_error *err) {
	struct ifr_launch launch;
	struct library_watch library;
	struct observation observation = {&state->patience, 0};
	unsigned id = campaign_first_variant(state, program);
	char *path = campaign_variant_path(state, id);
	ifr_outcome_init(outcome);
	campaign_describe_launch(state, id, path, 0, &launch);
	launch.counters = NULL;
	launch.watch_stdin = watch_stdin;
	launch.watch = watch_run;
	launch.watch_data = &observation;
	launch.threads = ifr_profile_new(0);
	launch.timeout_ns = limit_run(state);
	state->patience.program = state->plan.argv[0];
	state->patience.limit_ns = launch.timeout_ns;
	state->patience.options = "--timeout or --budget";
	state->patience.say = state->plan.say;
	state->patience.progress = state->plan.waiting;
	watch_library(state, &launch, &library);
	int result = campaign_prepare_run(state, &launch, path, 0, err);
	int watch = state->plan.driven ? ifr_stand_in_watch(path) : -1;
	if (!result)
		result = ifr_launch_run(&launch, outcome, err);
	bool opened = ifr_stand_in_was_opened(watch);
	if (!result && !outcome->exit_status)
		result = campaign_judge_driver(state, opened, err);
	/* A program that failed may have done so before it came to the library. */
	const bool failed = result || outcome->interrupted || outcome->exit_status != state->plan.expected_exit;
	const int reached = end_watch(state, &library, failed ? NULL : err);
	if (!failed)
		result = reached;
	/* The kernel's count knows the shortest ones; where it is not allowed, some may be met. */
	if (!result)
		result = note_threads(state, ifr_profile_threads(launch.threads) ? MANY : observation.threads, err);
	if (!result)
		result = campaign_note_left(state, outcome, err);
	ifr_profile_close(launch.threads);
	free(path);
	return result;
}

static int save_processor_time(struct campaign_state *state, unsigned program, int64_t ns, struct ifr_error *err) {
	char *name = ifr_program_fact_name("reference processor time_ns", program), *time = ifr_format("%" PRId64, ns);
	int result = ifr_experiment_set(state->experiment, name, time, err);
	free(time);
	free(name);
	return result;
}

static int run_reference(struct campaign_state *state, unsigned program, bool watch_stdin,
                         struct ifr_outcome *outcome, struct ifr_error *err) {
	int result = campaign_observe_run(state, program, watch_stdin, outcome, err);
	if (!result)
		result = judge(state, program, outcome, err);
	if (!result && ifr_counters_has_regions(state->counters))
		result = judge_regions(state, outcome, err);
	if (!result && state->metrics)
		result = judge_figures(outcome, err);
	return result;
}

static bool repeats_output(const struct ifr_outcome runs[REFERENCE_RUNS], char digest[IFR_SHA256_HEX]) {
	char other[IFR_SHA256_HEX];
	ifr_sha256(ifr_buffer_text(&runs[0].output), runs[0].output.length, digest);
	ifr_sha256(ifr_buffer_text(&runs[1].output), runs[1].output.length, other);
	return !strcmp(digest, other);
}

/* Stores the output's digest and the duration of a run. */
static int save_reference(struct campaign_state *state, unsigned program,
                          const struct ifr_outcome runs[REFERENCE_RUNS], struct ifr_error *err) {
	char digest[IFR_SHA256_HEX];
	const bool printed = state->metrics && ifr_metrics_are_printed(state->metrics);
	const bool repeats = repeats_output(runs, digest),
			   compared = repeats && !printed && !state->plan.ignore_output;
	int result = 0;
	if (!repeats && !printed && !state->plan.ignore_output)
		result =
			ifr_experiment_warn(state->experiment,
		                        "The program prints something else in every run, so that only its exit status was "
		                        "compared.",
		                        err);
	char *time = ifr_format("%" PRId64, runs[REFERENCE_RUNS - 1].times.wall_ns);
	char *time_name = ifr_program_fact_name("reference time_ns", program);
	char *output_name = ifr_program_fact_name("reference output", program);
	if (!result)
		result = ifr_experiment_set(state->experiment, output_name, compared ? digest : "not compared", err);
	if (!result)
		result = ifr_experiment_set(state->experiment, time_name, time, err);
	if (!result)
		result = save_processor_time(state, program, ifr_run_processor_ns(&runs[REFERENCE_RUNS - 1].times), err);
	free(output_name);
	free(time_name);
	free(time);
	return result;
}

static int64_t load_processor_time(struct campaign_state *state, unsigned program) {
	char *name = ifr_program_fact_name("reference processor time_ns", program),
		 *time = ifr_experiment_get(state->experiment, name);
	const int64_t ns = time ? strtoll(time, NULL, 10) : 0;
	free(time);
	free(name);
	return ns;
}

/* A first run is cold, and another program may disturb the second. */
static void note_fastest(struct campaign_state *state, const struct ifr_outcome runs[REFERENCE_RUNS]) {
	int64_t fastest_ns = runs[0].times.wall_ns;
	for (int i = 1; i < REFERENCE_RUNS; i++)
		fastest_ns = runs[i].times.wall_ns < fastest_ns ? runs[i].times.wall_ns : fastest_ns;
	state->fastest_ns = fastest_ns > state->fastest_ns ? fastest_ns : state->fastest_ns;
}

static int observe(struct campaign_state *state, unsigned program, struct ifr_error *err) {
	struct ifr_outcome runs[REFERENCE_RUNS];
	int result = 0;
	for (int i = 0; i < REFERENCE_RUNS; i++)
		ifr_outcome_init(&runs[i]);
	for (int i = 0; i < REFERENCE_RUNS && !result; i++)
		result = run_reference(state, program, i == 0, &runs[i], err);
	if (!result && state->metrics) {
		state->chooses_iterations |= !campaign_same_iterations(&runs[0].figures, &runs[1].figures);
		result = campaign_take_benchmarks(state, program, &runs[0].figures, err);
	}
	if (!result)
		result = campaign_note_adaptation(state, &runs[0], &runs[1], err);
	if (!result)
		result = save_reference(state, program, runs, err);
	if (!result)
		note_fastest(state, runs);
	for (int i = 0; i < REFERENCE_RUNS; i++)
		ifr_outcome_release(&runs[i]);
	return result;
}

/* Takes a program's reference from the experiment, and observes it first where the experiment has none. */
static int load_reference(struct campaign_state *state, unsigned program, struct ifr_error *err) {
	char *time_name = ifr_program_fact_name("reference time_ns", program);
	char *output_name = ifr_program_fact_name("reference output", program);
	char *time = ifr_experiment_get(state->experiment, time_name), *digest = NULL;
	int result = time ? 0 : observe(state, program, err);
	if (!result) {
		free(time);
		time = ifr_experiment_get(state->experiment, time_name);
		digest = ifr_experiment_get(state->experiment, output_name);
		int64_t known_ns = time ? strtoll(time, NULL, 10) : 0;
		state->reference_ns = known_ns > state->reference_ns ? known_ns : state->reference_ns;
		state->programs[program].processor_ns = load_processor_time(state, program);
		if (digest && strlen(digest) == IFR_SHA256_HEX - 1)
			strcpy(state->programs[program].reference_digest, digest);
	}
	free(digest);
	free(time);
	free(output_name);
	free(time_name);
	return result;
}

/* Settles what depends on the benchmarks of all programs: their iterations, and the list of counters. */
static int settle_figures(struct campaign_state *state, struct ifr_error *err) {
	int result = campaign_fix_iterations(state, state->chooses_iterations, err);
	if (!result && !campaign_auto_is_open(state))
		result = campaign_record_counters(state, err);
	return result ? result : campaign_save_counters(state, err);
}

int campaign_run_references(struct campaign_state *state, struct ifr_error *err) {
	int result = 0;
	for (unsigned i = 0; i < state->plan.program_count && !result; i++)
		result = load_reference(state, i, err);
	if (!result)
		result = campaign_raise_runs(state, err);
	if (!result && state->metrics)
		result = settle_figures(state, err);
	int64_t generous_ns = 20 * state->reference_ns;
	state->timeout_ns = state->plan.timeout_ns               ? state->plan.timeout_ns
	                    : generous_ns > INT64_C(10000000000) ? generous_ns
	                                                         : INT64_C(10000000000);
	return result;
}
