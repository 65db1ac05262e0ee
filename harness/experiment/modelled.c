/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's counters: each program is recorded once, and the recording is replayed under the plans of all its
 * variants. In the experiment their values are one run of each variant, in a pass behind those that are measured.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "harness/experiment/campaign_state.h"
#include "harness/model/layouts.h"
#include "harness/model/objects.h"
#include "harness/model/recording.h"
#include "harness/model/replaying.h"

static unsigned model_pass(const struct campaign_state *state) {
	return ifr_counters_passes(state->counters);
}

bool campaign_needs_model(const struct campaign_state *state, unsigned id) {
	return ifr_counters_modelled(state->counters) && campaign_has(state, id) &&
	       !ifr_experiment_has_run(state->experiment, id, 0, model_pass(state));
}

/* What the user has to know about the recording stays with the experiment. */
static int note_recording(struct campaign_state *state, const struct ifr_recorded *recorded,
                          struct ifr_error *err) {
	static const enum ring_note telling[] = {RING_NOTE_TSC,      RING_NOTE_FORK,   RING_NOTE_EXEC,
	                                         RING_NOTE_IDENTITY, RING_NOTE_SIGNAL, RING_NOTE_THREAD};
	struct ifr_recorded some = {.cuts = recorded->cuts};
	struct ifr_buffer text = {0};
	struct ifr_strings lines = {0};
	int result = 0;
	for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
		some.notes[telling[i]] = recorded->notes[telling[i]];
	ifr_recorded_print(&some, &text);
	ifr_strings_split(&lines, ifr_buffer_text(&text), "\n");
	for (size_t i = 0; i < lines.count && !result; i++) {
		char *line = ifr_format("The model's recording: %s.", lines.items[i] + strlen("note "));
		result = ifr_experiment_warn(state->experiment, line, err);
		free(line);
	}
	ifr_strings_release(&lines);
	ifr_buffer_release(&text);
	return result;
}

static int record(struct campaign_state *state, unsigned subject, const char *path, struct ifr_error *err) {
	const struct ifr_campaign *plan = state->plan;
	struct ifr_recorded recorded;
	struct ifr_recording_request request = {.program = state->subject[subject].program,
	                                        .argv = plan->argv,
	                                        .more_environment = &plan->environment,
	                                        .path = path,
	                                        .stdin_file = plan->stdin_file,
	                                        .silent = true,
	                                        .objects = plan->family.axes & ifr_object_axes()};
	if (plan->say)
		plan->say("recording the program for the model: some twenty times a run");
	int result = ifr_recording_make(&request, &recorded, err);
	if (!result && recorded.exit_status != plan->expected_exit)
		result =
			ifr_fail(err, IFR_E_PROGRAM,
		             "%s exits with status %d where it is recorded (under qemu-x86_64), not %d: look at it with "
		             "\"interfero record\"",
		             plan->argv[0], recorded.exit_status, plan->expected_exit);
	return result ? result : note_recording(state, &recorded, err);
}

static int add_run(struct campaign_state *state, unsigned id, const struct ifr_counts *counters,
                   struct ifr_error *err) {
	unsigned count = ifr_counters_count(state->counters);
	double *values = ifr_alloc(count * sizeof *values);
	for (unsigned i = 0; i < count; i++) {
		const struct ifr_counter *counter = ifr_counters_get(state->counters, i);
		values[i] = counter->pass == IFR_PASS_MODEL ? (double)counters->value[counter->event] : NAN;
	}
	struct ifr_experiment_run run = {.variant = id,
	                                 .pass = model_pass(state),
	                                 .exit_status = state->plan->expected_exit,
	                                 .values = values,
	                                 .value_count = count};
	int result = ifr_experiment_add_run(state->experiment, &run, err);
	free(values);
	return result;
}

/* Replays a program's recording under the plans of these ids. */
static int replay(struct campaign_state *state, struct ifr_replaying *replaying, const unsigned *ids, size_t count,
                  struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_plan *plans = ifr_alloc((count + 1) * sizeof *plans);
	struct ifr_counts *counters = ifr_alloc((count + 1) * sizeof *counters);
	for (size_t i = 0; i < count; i++)
		campaign_plan(state, ids[i], &plans[i]);
	int failed = ifr_replay_plans(replaying, plans, count, counters, err);
	for (size_t i = 0; i < count && !failed; i++) {
		failed = add_run(state, ids[i], &counters[i], err);
		result->runs++;
	}
	for (size_t i = 0; i < count; i++)
		ifr_plan_release(&plans[i]);
	free(plans);
	free(counters);
	return failed;
}

static size_t list_needed(const struct campaign_state *state, unsigned subject, unsigned *ids) {
	size_t count = 0;
	for (unsigned id = subject; id < state->ready; id += state->subjects)
		if (campaign_needs_model(state, id))
			ids[count++] = id;
	return count;
}

static int model_subject(struct campaign_state *state, unsigned subject, const struct ifr_machine *machine,
                         struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_replaying replaying = {.machine = machine};
	unsigned *ids = ifr_alloc((campaign_ids(state) + 1) * sizeof *ids);
	size_t count = list_needed(state, subject, ids);
	/* It stays beside the experiment: "interfero predict" replays it on other machines. */
	char *path = ifr_format("%s%s.trace", state->plan->file, subject ? ".2" : "");
	int failed = 0;
	if (count)
		failed = record(state, subject, path, err);
	if (count && !failed)
		failed = ifr_trace_open(path, &replaying.trace, err);
	if (count && !failed)
		failed = replay(state, &replaying, ids, count, result, err);
	if (count && !failed && !subject)
		failed = ifr_experiment_set(state->experiment, "recording", ifr_path_base(path), err);
	ifr_trace_free(replaying.trace);
	free(path);
	free(ids);
	return failed;
}

int campaign_check_model(const struct campaign_state *state, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	unsigned axes = state->plan->family.axes & ~ifr_layout_axes();
	if (!ifr_counters_modelled(state->counters))
		return 0;
	if (state->subject[0].files || state->plan->user)
		return ifr_fail(err, IFR_E_USAGE,
		                "the model needs programs with kits: it cannot lay out given files, nor shared libraries");
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (axes & 1u << i)
			return ifr_fail(
				err, IFR_E_USAGE,
				"the model cannot follow the axis %s, which changes what the program executes: leave it out of "
				"--axes, or the model out of --counters",
				ifr_axes[i].name);
	int result = ifr_machine_open(&machine, state->plan->machine, err);
	ifr_machine_free(machine);
	return result;
}

int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	if (!ifr_counters_modelled(state->counters))
		return 0;
	int failed = ifr_machine_open(&machine, state->plan->machine, err);
	for (unsigned i = 0; i < state->subjects && !failed; i++)
		failed = model_subject(state, i, machine, result, err);
	ifr_machine_free(machine);
	result->interrupted |= ifr_launch_interrupted();
	if (result->interrupted)
		failed = 0;
	result->complete &= !result->interrupted;
	return failed;
}
