/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's values: each program's recording (recordings.c) is replayed under the plans of its variants. */
#include <stdio.h>
#include <stdlib.h>

#include "harness/campaign/cycles.h"
#include "harness/campaign/model_values.h"
#include "harness/campaign/state.h"

struct model_run {
	struct campaign_state *state;
	struct ifr_campaign_result *result;
	const struct ifr_model_executor *model;
	struct ifr_plan plan; /* of the job that was described last */
	char *recording;
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

/* Lists the jobs program by program: each recording is read once. */
static size_t list_jobs(const struct campaign_state *state, struct ifr_job *jobs) {
	size_t count = 0;
	for (unsigned program = 0; program < state->plan.program_count; program++)
		for (unsigned id = program; id < state->ready; id += state->plan.program_count)
			jobs[count++] = (struct ifr_job){.variant = id};
	return count;
}

/* Replays the missing jobs. Where the budget has no time for that, the campaign goes on without them. */
static int replay_jobs(struct model_run *run, const struct ifr_machine *machine, struct ifr_error *err) {
	const struct ifr_job_owner owner = {run, decide_job, describe_job, store_counts};
	struct campaign_state *state = run->state;
	struct ifr_model_executor model;
	struct ifr_job *jobs = ifr_alloc((state->ready + 1) * sizeof *jobs);
	const size_t count = list_jobs(state, jobs);
	ifr_model_executor_init(&model, machine, state->core);
	run->model = &model;
	model.deadline_ns = state->model_deadline_ns == INT64_MAX ? 0 : state->model_deadline_ns;
	model.progress = state->plan.replay_progress;
	ifr_plan_init(&run->plan);
	int failed = model.executor.carry_out(&model.executor, jobs, count, &owner, err);
	if (failed && model.expected_ns) {
		snprintf(run->result->model_left_out, sizeof run->result->model_left_out, "%.500s", err->message);
		failed = 0;
	}
	ifr_plan_release(&run->plan);
	free(run->recording);
	free(jobs);
	return failed;
}

int campaign_model(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	struct ifr_machine *machine = NULL;
	struct model_run run = {.state = state, .result = result};
	if (!ifr_counters_has_model(state->counters) || *result->model_left_out)
		return 0;
	int failed = ifr_machine_open(&machine, state->plan.machine, err);
	if (!failed)
		failed = replay_jobs(&run, machine, err);
	ifr_machine_free(machine);
	result->interrupted |= ifr_launch_interrupted();
	return result->interrupted ? 0 : failed;
}
