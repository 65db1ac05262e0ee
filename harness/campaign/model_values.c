/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's values: each program's recording (recordings.c) is replayed under the plans of its variants. */
#include <stdio.h>
#include <stdlib.h>

#include "common/clock.h"
#include "harness/campaign/budget.h"
#include "harness/campaign/cycles.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"

struct model_run {
	struct campaign_state *state;
	struct ifr_campaign_result *result;
	const struct ifr_model_executor *model;
	struct ifr_plan plan; /* of the job that was described last */
	char *recording;
	unsigned programs; /* to replay */
	bool told;         /* how long it takes */
};

static enum ifr_job_decision decide_job(void *data, const struct ifr_job *job) {
	const struct model_run *run = data;
	return campaign_needs_model(run->state, job->variant) ? IFR_JOB_DO : IFR_JOB_SKIP;
}

static int describe_job(void *data, const struct ifr_job *job, struct ifr_job_request *request,
                        struct ifr_error *err) {
	struct model_run *run = data;
	(void)err;
	ifr_plan_release(&run->plan);
	free(run->recording);
	campaign_variant_plan(run->state, job->variant, &run->plan);
	run->recording = campaign_recording_path(run->state, campaign_program_of(run->state, job->variant));
	*request = (struct ifr_job_request){.plan = &run->plan, .recording = run->recording};
	request->launch.counters = run->state->counters;
	return 0;
}

static int store_counts(void *data, const struct ifr_job *job, int64_t started_ns,
                        const struct ifr_outcome *outcome, struct ifr_error *err) {
	struct model_run *run = data;
	(void)started_ns;
	run->result->runs++;
	int result = run->state->core == IFR_CORE_SAMPLED
	                 ? campaign_save_sampling_errors(run->state, campaign_program_of(run->state, job->variant),
	                                                 outcome->values, run->model->errors, err)
	                 : 0;
	if (result)
		return result;
	return ifr_experiment_add_simulated(run->state->experiment, job->variant, outcome->values,
	                                    ifr_counters_count(run->state->counters), err);
}

/* Lists the jobs of the first layouts program by program: each recording is read once. */
static size_t list_jobs(const struct campaign_state *state, unsigned layouts, struct ifr_job *jobs) {
	size_t count = 0;
	for (unsigned program = 0; program < state->plan.program_count; program++)
		for (unsigned id = program; id < state->ready; id += state->plan.program_count)
			if (campaign_layout_of(state, id) < layouts)
				jobs[count++] = (struct ifr_job){.variant = id};
	return count;
}

/* Whether a value of the model is missing, of the layout in any program. */
static bool needs_layout(const struct campaign_state *state, unsigned layout) {
	for (unsigned program = 0; program < state->plan.program_count; program++) {
		const unsigned id = campaign_variant_id(state, program, layout);
		if (id < state->ready && campaign_needs_model(state, id))
			return true;
	}
	return false;
}

bool campaign_program_needs_model(const struct campaign_state *state, unsigned program) {
	for (unsigned id = program; id < state->ready; id += state->plan.program_count)
		if (campaign_needs_model(state, id))
			return true;
	return false;
}

static unsigned count_programs(const struct campaign_state *state) {
	unsigned count = 0;
	for (unsigned program = 0; program < state->plan.program_count; program++)
		count += campaign_program_needs_model(state, program);
	return count;
}

/* Says how long a long replay takes, and the faster one beside it. */
static void say_duration(void *data, size_t layouts, int64_t expected_ns) {
	enum { LONG_S = 10 };
	struct model_run *run = data;
	const struct campaign_state *state = run->state;
	const double seconds = (double)expected_ns * run->programs / 1e9;
	if (run->told || seconds < LONG_S)
		return;
	run->told = true;
	char *text = ifr_format("replaying %zu layouts%s takes about %.0f s%s", layouts,
	                        state->plan.program_count > 1 ? " of each program" : "", seconds,
	                        state->core ? "; --core=none is faster, with an estimate of cycles" : "");
	campaign_say(state, text);
	free(text);
}

/* The time of a replay of so many layouts of one program, spent or foreseen. */
struct pace {
	int64_t spent_ns;
	size_t layouts;
	bool foreseen; /* from the first share of it: half of what it allows is tried first */
};

/* The layouts up to which a replay ends in time; 0 for fewer than two beside the shipped one, and for no further one.
 * Where runs are measured as well, these need the same layouts. */
static unsigned count_layouts_in_time(const struct model_run *run, const struct pace *pace) {
	enum { LEAST = 3 };
	const struct campaign_state *state = run->state;
	unsigned allowed = budget_layouts_to_replay(state->model_deadline_ns - ifr_clock_ns(), pace->spent_ns,
	                                            pace->layouts, count_programs(state));
	if (pace->foreseen && allowed >= LEAST)
		allowed = allowed / 2 > LEAST ? allowed / 2 : LEAST;
	unsigned layouts = 0, replayed = 0;
	for (; layouts <= state->plan.variants && (!needs_layout(state, layouts) || replayed < allowed); layouts++)
		replayed += needs_layout(state, layouts);
	return ifr_counters_passes(state->counters) || !replayed || layouts < LEAST ? 0 : layouts;
}

/* Replays the missing values of the first layouts, and tells the pace. */
static int replay_part(struct model_run *run, struct ifr_model_executor *model, unsigned layouts,
                       struct pace *pace, struct ifr_error *err) {
	const struct ifr_job_owner owner = {run, decide_job, describe_job, store_counts};
	struct ifr_job *jobs = ifr_alloc((run->state->ready + 1) * sizeof *jobs);
	const size_t count = list_jobs(run->state, layouts, jobs);
	const int64_t begun_ns = ifr_clock_ns();
	const unsigned before = run->result->runs;
	run->programs = count_programs(run->state);
	int failed = model->executor.carry_out(&model->executor, jobs, count, &owner, err);
	*pace = failed ? (struct pace){model->expected_ns, model->expected_layouts, true}
	               : (struct pace){ifr_clock_ns() - begun_ns, run->result->runs - before, false};
	free(jobs);
	return failed;
}

static void say_partial(const struct campaign_state *state, unsigned layouts) {
	char *text = ifr_format("the budget had time to replay %u of %u layouts; the same command continues", layouts,
	                        state->plan.variants + 1);
	campaign_say(state, text);
	free(text);
}

void campaign_leave_model_out(const struct campaign_state *state, int64_t expected_ns, const char *why,
                              struct ifr_campaign_result *result) {
	const bool measures = ifr_counters_passes(state->counters) > 0;
	char *text = budget_explain_model(why, measures,
	                                  budget_enough_for_model(ifr_clock_ns(), state->model_deadline_ns,
	                                                          expected_ns, state->plan.budget_ns, measures));
	snprintf(result->model_left_out, sizeof result->model_left_out, "%.500s", text);
	free(text);
}

/* Tells the time for two random layouts and the shipped one, and a budget that has time for all layouts. */
static void tell_missing_time(const struct campaign_state *state, const struct pace *pace,
                              struct ifr_campaign_result *result) {
	enum { LEAST = 3 };
	static const double careful = 1.25;
	if (!pace->layouts || !state->plan.budget_ns)
		return;
	const double each_ns = (double)pace->spent_ns / (double)pace->layouts * state->plan.program_count,
				 all_ns = each_ns * (state->plan.variants + 1);
	result->least_ns = (int64_t)(careful * LEAST * each_ns);
	result->enough_s = budget_enough_for_model(ifr_clock_ns(), state->model_deadline_ns, (int64_t)all_ns,
	                                           state->plan.budget_ns, ifr_counters_passes(state->counters) > 0);
}

/* Replays the missing jobs. Where the budget has no time for all, parts of them follow each other, each of the layouts
 * that the pace of the last one allows. Where there is no time for any, the campaign goes on without them. */
static int replay_jobs(struct model_run *run, struct ifr_model_executor *model, struct ifr_error *err) {
	enum { PARTS = 8 };
	const unsigned all = run->state->plan.variants + 1;
	struct ifr_campaign_result *result = run->result;
	struct ifr_error inner = {0};
	unsigned layouts = all, replayed = 0;
	struct pace pace = {0};
	int failed = 0;
	for (int i = 0; i < PARTS && layouts && replayed < all; i++) {
		failed = replay_part(run, model, layouts, &pace, &inner);
		if (failed && !model->expected_ns) {
			*err = inner;
			return failed;
		}
		replayed = failed ? replayed : layouts;
		layouts = replayed < all ? count_layouts_in_time(run, &pace) : 0;
	}
	result->model_is_partial = replayed < all;
	if (result->model_is_partial)
		tell_missing_time(run->state, &pace, result);
	if (failed && !replayed)
		campaign_leave_model_out(run->state, model->expected_ns * run->programs, inner.message, result);
	else if (replayed < all)
		say_partial(run->state, replayed);
	return 0;
}

/* Replays in a model executor of the campaign's machine. */
static int replay_on(struct model_run *run, const struct ifr_machine *machine, struct ifr_error *err) {
	const struct campaign_state *state = run->state;
	struct ifr_model_executor model;
	ifr_model_executor_init(&model, machine, state->core);
	run->model = &model;
	model.deadline_ns = state->model_deadline_ns == INT64_MAX ? 0 : state->model_deadline_ns;
	model.progress = state->plan.replay_progress;
	model.foresee = say_duration;
	model.data = run;
	model.spread = state->plan.spread_replays;
	model.cluster = state->plan.cluster;
	model.machine_spec = state->plan.machine;
	ifr_plan_init(&run->plan);
	int failed = replay_jobs(run, &model, err);
	ifr_plan_release(&run->plan);
	free(run->recording);
	return failed;
}

int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	struct model_run run = {.state = state, .result = result};
	if (!ifr_counters_has_model(state->counters) || *result->model_left_out || result->model_is_partial)
		return 0;
	int failed = ifr_machine_open(&machine, state->plan.machine, err);
	if (!failed)
		failed = replay_on(&run, machine, err);
	ifr_machine_free(machine);
	result->interrupted |= ifr_launch_interrupted();
	return result->interrupted ? 0 : failed;
}
