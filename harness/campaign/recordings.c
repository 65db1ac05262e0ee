/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings that the model replays, and the decision of "auto" on the model, from costs estimated by the duration
 * of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/parallel.h"
#include "harness/campaign/budget.h"
#include "harness/campaign/cycles.h"
#include "harness/campaign/figures.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"

/* The model's costs, in runs of the program: recording it, reading the trace once, and replaying each layout. Measured
 * with lua and bzip2: 63, 240 to 280 and 3 to 5 for runs of 0.03 s, and half of that for runs of 1 s. Besides, a core
 * takes one layout after another, on each processor: 20 runs of dash, 140 where it takes all instructions; samples of a
 * longer run cost no more. */
enum { RECORDING_RUNS = 60, REPLAY_RUNS = 250, LAYOUT_RUNS = 5, CORE_LAYOUT_RUNS = 30, CORE_FULL_RUNS = 150 };
static const double core_most_ns = 6e8;
/* The time that "auto" may spend on the model: a fifth of the budget; without a budget a fifth of the measuring time,
 * and at least auto_least_ns. */
enum { AUTO_PART = 5 };
static const int64_t auto_least_ns = INT64_C(10000000000);

/* Stores the recording's notes for the user as warnings of the experiment. */
static int note_recording(struct campaign_state *state, const struct ifr_recorded *recorded,
                          struct ifr_error *err) {
	static const enum ifr_recording_note telling[] = {IFR_RECORDING_NOTE_TSC,    IFR_RECORDING_NOTE_FORK,
	                                                  IFR_RECORDING_NOTE_EXEC,   IFR_RECORDING_NOTE_IDENTITY,
	                                                  IFR_RECORDING_NOTE_SIGNAL, IFR_RECORDING_NOTE_THREAD};
	struct ifr_recorded some = {.cuts = recorded->cuts};
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	int result = 0;
	for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
		some.notes[telling[i]] = recorded->notes[telling[i]];
	ifr_recorded_print_notes(&some, &text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < lines.count && !result; i++) {
		char *line = ifr_format(CAMPAIGN_RECORDING_WARNING "%s.", lines.items[i] + strlen("note "));
		result = ifr_experiment_warn(state->experiment, line, err);
		free(line);
	}
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
	return result;
}

static int record_program(struct campaign_state *state, unsigned program, const char *path, int64_t deadline_ns,
                          bool *too_slow, struct ifr_error *err) {
	const struct ifr_campaign *plan = &state->plan;
	struct ifr_recorded recorded = {0};
	/* A library is recorded in its user, which is led to the variant that ships. */
	const bool library = plan->user && !plan->driven;
	const unsigned id = campaign_first_variant(state, program);
	char *shipped = campaign_variant_path(state, id);
	struct ifr_recording_request request = {.program = library ? plan->user : plan->programs[program].path,
	                                        .argv = state->argv.items,
	                                        .more_environment =
	                                            library ? &state->contexts[id].environment : &plan->environment,
	                                        .library = library ? plan->programs[program].path : NULL,
	                                        .library_file = shipped,
	                                        .path = path,
	                                        .stdin_file = plan->stdin_file,
	                                        .silent = true,
	                                        .objects = plan->generator.axes & ifr_object_axes(),
	                                        .deadline_ns = deadline_ns == INT64_MAX ? 0 : deadline_ns,
	                                        .most_bytes = plan->most_recording_bytes,
	                                        .plain_ns = state->programs[program].processor_ns,
	                                        .progress = plan->recording_progress};
	int result = library ? ifr_library_name(&state->library, shipped, err) : 0;
	if (!result)
		result = ifr_recording_make(&request, &recorded, err);
	free(shipped);
	*too_slow = recorded.end == IFR_RECORDING_TIME;
	if (*too_slow)
		result = ifr_fail(err, IFR_E_USAGE, "to record the program takes longer than the budget allows");
	if (!result && recorded.exit_status != plan->expected_exit) {
		unlink(path);
		result = ifr_fail(err, IFR_E_PROGRAM,
		                  "%s exits with status %d where it is recorded, not %d: look at it with "
		                  "\"interfero record\"",
		                  plan->argv[0], recorded.exit_status, plan->expected_exit);
	}
	return result ? result : note_recording(state, &recorded, err);
}

/* Whether the experiment's recording of a program is there, from an earlier call. */
static bool is_recorded(const struct campaign_state *state, unsigned program, const char *path) {
	struct ifr_trace *trace = NULL;
	struct ifr_error ignored = {0};
	char *name = ifr_program_fact_name("recording", program), *known = ifr_experiment_get(state->experiment, name);
	bool there = known && !ifr_trace_open(path, &trace, &ignored);
	ifr_trace_free(trace);
	free(known);
	free(name);
	return there;
}

bool campaign_has_recording(const struct campaign_state *state, unsigned program) {
	char *path = campaign_recording_path(state, program);
	const bool has = is_recorded(state, program, path);
	free(path);
	return has;
}

/* Checks, before anything is measured, that replays can follow the axes heap and blocks. */
static int check_objects(const struct campaign_state *state, const char *path, struct ifr_error *err) {
	struct ifr_trace *trace = NULL;
	if (!(state->plan.generator.axes & ifr_object_axes()))
		return 0;
	int result = ifr_trace_open(path, &trace, err);
	if (!result)
		result = ifr_objects_check(trace, err);
	ifr_trace_free(trace);
	return result;
}

int campaign_read_executed(struct campaign_state *state, unsigned program, struct ifr_buffer *classes,
                           struct ifr_error *err) {
	struct campaign_program *of = &state->programs[program];
	struct ifr_trace *trace = NULL;
	char *path = campaign_recording_path(state, program);
	int result = ifr_trace_open(path, &trace, err);
	ifr_executed_code_release(&of->executed);
	if (!result)
		result = ifr_executed_code_read(trace, &of->executed, err);
	if (!result && classes)
		ifr_instruction_classes_count(trace, &of->executed, classes);
	ifr_trace_free(trace);
	free(path);
	return result;
}

/* Stores the executed instructions by class, by which a comparison tells a change from a layout effect. */
static int note_classes(struct campaign_state *state, unsigned program, struct ifr_error *err) {
	struct ifr_buffer text = {0};
	char *name = ifr_program_fact_name(IFR_FACT_CLASSES, program);
	int result = campaign_read_executed(state, program, &text, err);
	if (!result)
		result = ifr_experiment_set(state->experiment, name, ifr_buffer_text(&text), err);
	ifr_buffer_release(&text);
	free(name);
	return result;
}

/* Makes a program's recording if it is missing. The file stays beside the experiment, for "interfero predict". */
static int ensure_recording(struct campaign_state *state, unsigned program, int64_t deadline_ns, bool *too_slow,
                            struct ifr_error *err) {
	char *path = campaign_recording_path(state, program), *name = ifr_program_fact_name("recording", program);
	int result = 0;
	if (!is_recorded(state, program, path) && campaign_reuse_recording(state, program)) {
		result = ifr_experiment_set(state->experiment, name, ifr_path_base(path), err);
		if (!result)
			result = note_classes(state, program, err);
	} else if (!is_recorded(state, program, path)) {
		result = record_program(state, program, path, deadline_ns, too_slow, err);
		if (!result && (result = check_objects(state, path, err)))
			unlink(path);
		state->programs[program].recorded = !result;
		if (!result)
			result = ifr_experiment_set(state->experiment, name, ifr_path_base(path), err);
		if (!result)
			result = note_classes(state, program, err);
	}
	free(name);
	free(path);
	return result;
}

/* --- auto -----------------------------------------------------------------------------------------------------
 */

struct cost {
	int64_t recording_ns, replay_ns, allowed_ns;
};

/* The cost of replaying one program's layouts. */
static double estimate_replay_ns(unsigned layouts, enum ifr_core_use core, double run_ns) {
	const double processors = (double)ifr_parallel_processors();
	const double side_by_side = layouts < processors ? layouts : processors;
	const double core_ns = core == IFR_CORE_NONE   ? 0
	                       : core == IFR_CORE_FULL ? CORE_FULL_RUNS * run_ns
	                                               : fmin(CORE_LAYOUT_RUNS * run_ns, core_most_ns);
	return (REPLAY_RUNS + (double)layouts * LAYOUT_RUNS) * run_ns + layouts * core_ns / side_by_side;
}

static struct cost estimate(const struct campaign_state *state) {
	const struct ifr_campaign *plan = &state->plan;
	const int64_t run_ns = state->reference_ns;
	const unsigned layouts = plan->variants + 1; /* the one that ships, too */
	const int64_t measuring_ns = run_ns * campaign_variant_count(state) * plan->repetitions;
	const int64_t share_ns = (plan->budget_ns ? plan->budget_ns : measuring_ns) / AUTO_PART;
	unsigned recordings = 0;
	for (unsigned i = 0; i < plan->program_count; i++)
		recordings += !campaign_has_recording(state, i);
	return (struct cost){
		.recording_ns = run_ns * recordings * RECORDING_RUNS,
		.replay_ns = (int64_t)(plan->program_count * estimate_replay_ns(layouts, state->core, (double)run_ns)),
		.allowed_ns = plan->budget_ns || share_ns > auto_least_ns ? share_ns : auto_least_ns};
}

/* Settles the question for this experiment; why is a sentence for the user, taken over. */
static int decide(struct campaign_state *state, char *why, struct ifr_error *err) {
	int result = ifr_experiment_warn(state->experiment, why, err);
	free(why);
	if (!result)
		result = campaign_record_counters(state, err);
	return result ? result : campaign_save_counters(state, err);
}

static int leave_out(struct campaign_state *state, const char *reason, struct ifr_error *err) {
	return decide(
		state,
		ifr_format("counters: the clock alone, without the model: %s; \"--counters clock,model\" asks for it, "
	               "\"--counters clock\" goes without",
	               reason),
		err);
}

static int take_model(struct campaign_state *state, const struct cost *cost, struct ifr_error *err) {
	ifr_counters_add_model(state->counters, state->core);
	return decide(
		state,
		ifr_format("counters: the model's events (of %s%s) beside the clock's "
	               "time, at about %.1f s of the %.1f s that they may take; \"--counters clock\" goes without",
	               state->plan.machine, state->core ? ", cycles by its core" : ", cycles an estimate",
	               (double)(cost->recording_ns + cost->replay_ns) / 1e9, (double)cost->allowed_ns / 1e9),
		err);
}

static int check_cost(const struct campaign_state *state, const struct cost *cost, struct ifr_error *err) {
	const int64_t all_ns = cost->recording_ns + cost->replay_ns;
	if (all_ns <= cost->allowed_ns)
		return 0;
	return ifr_fail(err, IFR_E_USAGE,
	                "to record the program and replay its layouts takes about %.0f s, more than %.1f s (%s)",
	                (double)all_ns / 1e9, (double)cost->allowed_ns / 1e9,
	                state->plan.budget_ns ? "a fifth of the budget" : "a fifth of the measuring, or 10 s");
}

/* The core is left out where it costs too much, unless it was asked for. */
static int fit_core(struct campaign_state *state, struct cost *cost, struct ifr_error *err) {
	*cost = estimate(state);
	if (state->core && !state->plan.core && check_cost(state, cost, err)) {
		state->core = IFR_CORE_NONE;
		*cost = estimate(state);
	}
	return check_cost(state, cost, err);
}

/* Recorded before anything is measured: what cannot be recorded is measured by the clock alone. */
static int try_model(struct campaign_state *state, struct ifr_error *err) {
	struct cost cost = {0};
	struct ifr_error reason = {0};
	bool too_slow;
	int failed = state->metrics       ? ifr_fail(&reason, IFR_E_USAGE, "the program's own figures are measured")
	             : state->plan.driven ? ifr_fail(&reason, IFR_E_USAGE, "a driver starts the program")
	                                  : campaign_check_model(state, &reason);
	if (!failed)
		failed = campaign_check_iterations(state, &reason);
	if (!failed)
		failed = fit_core(state, &cost, &reason);
	const int64_t deadline_ns = ifr_clock_ns() + cost.allowed_ns - cost.replay_ns;
	for (unsigned i = 0; i < state->plan.program_count && !failed; i++)
		failed = ensure_recording(state, i, deadline_ns, &too_slow, &reason);
	if (ifr_launch_interrupted())
		return 0;
	return failed ? leave_out(state, reason.message, err) : take_model(state, &cost, err);
}

int campaign_adopt_model(struct campaign_state *state, struct ifr_error *err) {
	char *settled = ifr_experiment_get(state->experiment, "counters");
	bool taken = settled && strstr(settled, "model:") && ifr_counters_may_add_model(state->counters);
	free(settled);
	if (!taken)
		return 0;
	ifr_counters_add_model(state->counters, state->core);
	return campaign_check_model(state, err);
}

/* --- the campaign's ------------------------------------------------------------------------------------------
 */

int campaign_check_model_axes(unsigned axes, struct ifr_error *err) {
	const unsigned others = axes & ~ifr_layout_axes();
	if (axes == 1u << IFR_AXIS_COPIES)
		return ifr_fail(
			err, IFR_E_USAGE,
			"the model knows no physical addresses, so that copies of a file are all alike in it: vary "
			"another axis, or measure with --counters clock");
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (others & 1u << i)
			return ifr_fail(
				err, IFR_E_USAGE,
				"the model cannot follow the axis %s, which changes what the program executes: leave it out of "
				"--axes, or the model out of --counters",
				ifr_axes[i].name);
	return 0;
}

int campaign_check_model(const struct campaign_state *state, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	if (state->plan.driven)
		return ifr_fail(
			err, IFR_E_USAGE,
			"the model records programs itself: it cannot follow a driver that starts them (--program)");
	if (state->plan.programs[0].files)
		return ifr_fail(err, IFR_E_USAGE, "the model needs programs with kits: it cannot lay out given files");
	int result = campaign_check_model_axes(state->plan.generator.axes, err);
	if (!result)
		result = ifr_machine_open(&machine, state->plan.machine, err);
	ifr_machine_free(machine);
	return result ? result : campaign_check_core(state, err);
}

/* Records one program within the model's part of the budget. too_slow: it is not long enough for that. */
static int record_in_time(struct campaign_state *state, unsigned program, int64_t *expected_ns, bool *too_slow,
                          struct ifr_error *err) {
	*expected_ns = ifr_recording_estimate_ns(state->programs[program].processor_ns);
	const double seconds = (double)*expected_ns / 1e9;
	const int adaptive = campaign_check_iterations(state, err);
	*too_slow = false;
	if (adaptive)
		return adaptive;
	if (campaign_reuses_recording(state, program))
		return ensure_recording(state, program, state->model_deadline_ns, too_slow, err);
	*too_slow = !budget_allows_recording(ifr_clock_ns(), state->model_deadline_ns, *expected_ns);
	if (*too_slow)
		return ifr_fail(err, IFR_E_USAGE, "to record the program takes about %.0f s", seconds);
	char *text = ifr_format("recording %s for the model: about %.0f s",
	                        ifr_path_base(state->plan.programs[program].path), seconds);
	campaign_say(state, text);
	free(text);
	return ensure_recording(state, program, state->model_deadline_ns, too_slow, err);
}

int campaign_record_programs(struct campaign_state *state, struct ifr_campaign_result *result,
                             struct ifr_error *err) {
	bool too_slow = false;
	int64_t expected_ns = 0;
	int failed = 0;
	state->model_deadline_ns =
		budget_model_deadline(ifr_clock_ns(), state->deadline_ns, ifr_counters_passes(state->counters) > 0);
	if ((state->plan.program_count == 1 || state->plan.siblings) &&
	    (ifr_counters_has_model(state->counters) || campaign_auto_is_open(state)) &&
	    !campaign_has_recording(state, 0))
		failed = campaign_share_recording(state, err);
	if (failed)
		return failed;
	if (campaign_auto_is_open(state))
		return try_model(state, err);
	for (unsigned i = 0; i < state->plan.program_count && !failed; i++)
		if (campaign_program_needs_model(state, i) && !campaign_has_recording(state, i))
			failed = record_in_time(state, i, &expected_ns, &too_slow, err);
	if (ifr_launch_interrupted() || !too_slow)
		return ifr_launch_interrupted() ? 0 : failed;
	/* Without time for it, and only then, the campaign goes on without the model. */
	campaign_leave_model_out(state, expected_ns, err->message, result);
	return 0;
}
