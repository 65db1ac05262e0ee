/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/model_executor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/simulate/plan_replay.h"

/* Jobs of one recording, with copies of their plans. */
struct batch {
	char *recording;
	struct ifr_job *jobs;
	struct ifr_plan *plans;
	size_t count;
	const struct ifr_counters *counters;
};

static void release_batch(struct batch *batch) {
	for (size_t i = 0; i < batch->count; i++)
		ifr_plan_release(&batch->plans[i]);
	free(batch->plans);
	free(batch->jobs);
	free(batch->recording);
	*batch = (struct batch){0};
}

static void fill_values(const struct ifr_counters *counters, const struct ifr_counts *counts, double *values) {
	for (unsigned i = 0; i < ifr_counters_count(counters); i++) {
		const struct ifr_counter *counter = ifr_counters_get(counters, i);
		values[i] = counter->pass == IFR_PASS_MODEL ? (double)counts->value[counter->event] : NAN;
	}
}

static int report_outcomes(struct ifr_model_executor *model, const struct batch *batch,
                           const struct ifr_counts *counts, const struct ifr_count_errors *errors,
                           const struct ifr_job_owner *owner, struct ifr_error *err) {
	int result = 0;
	for (size_t i = 0; i < batch->count && !result; i++) {
		struct ifr_outcome outcome;
		ifr_outcome_init(&outcome);
		outcome.values = ifr_alloc((ifr_counters_count(batch->counters) + 1) * sizeof *outcome.values);
		fill_values(batch->counters, &counts[i], outcome.values);
		model->errors = &errors[i];
		result = owner->take(owner->data, &batch->jobs[i], 0, &outcome, err);
		ifr_outcome_release(&outcome);
	}
	return result;
}

static int replay_batch(struct ifr_model_executor *model, struct batch *batch, const struct ifr_job_owner *owner,
                        struct ifr_error *err) {
	struct ifr_count_errors *errors = ifr_alloc((batch->count + 1) * sizeof *errors);
	struct ifr_plan_replay replay = {.machines = &model->machine,
	                                 .machine_count = 1,
	                                 .core = model->core,
	                                 .errors = errors,
	                                 .deadline_ns = model->deadline_ns,
	                                 .progress = model->progress,
	                                 .foresee = model->foresee,
	                                 .data = model->data,
	                                 .spread = model->deadline_ns ? NULL : model->spread,
	                                 .cluster = model->cluster,
	                                 .trace_file = batch->recording,
	                                 .machine_specs = &model->machine_spec};
	struct ifr_counts *counts = ifr_alloc((batch->count + 1) * sizeof *counts);
	int result = batch->count ? ifr_trace_open(batch->recording, &replay.trace, err) : 0;
	if (!result && batch->count)
		result = ifr_replay_plans(&replay, batch->plans, batch->count, counts, err);
	model->expected_ns = replay.expected_ns;
	model->expected_layouts = batch->count;
	if (!result)
		result = report_outcomes(model, batch, counts, errors, owner, err);
	ifr_trace_free(replay.trace);
	free(counts);
	free(errors);
	release_batch(batch);
	return result;
}

static void add_to_batch(struct batch *batch, const struct ifr_job *job, const struct ifr_job_request *request) {
	batch->jobs = ifr_realloc(batch->jobs, batch->count + 1, sizeof *batch->jobs);
	batch->plans = ifr_realloc(batch->plans, batch->count + 1, sizeof *batch->plans);
	batch->jobs[batch->count] = *job;
	ifr_plan_copy(&batch->plans[batch->count++], request->plan);
	if (!batch->recording)
		batch->recording = ifr_strdup(request->recording);
	batch->counters = request->launch.counters;
}

static int replay_jobs(const struct ifr_executor *executor, const struct ifr_job *jobs, size_t count,
                       const struct ifr_job_owner *owner, struct ifr_error *err) {
	struct ifr_model_executor *model = (struct ifr_model_executor *)executor;
	struct batch batch = {0};
	int result = 0;
	for (size_t i = 0; i < count && !result; i++) {
		struct ifr_job_request request = {0};
		enum ifr_job_decision decision = owner->decide(owner->data, &jobs[i]);
		if (decision == IFR_JOB_STOP)
			break;
		if (decision == IFR_JOB_SKIP)
			continue;
		result = owner->describe(owner->data, &jobs[i], &request, err);
		if (!result && batch.count && strcmp(batch.recording, request.recording))
			result = replay_batch(model, &batch, owner, err);
		/* Replaying asked the owner about no job, so the request still holds. */
		if (!result)
			add_to_batch(&batch, &jobs[i], &request);
	}
	if (!result)
		result = replay_batch(model, &batch, owner, err);
	release_batch(&batch);
	return result;
}

void ifr_model_executor_init(struct ifr_model_executor *executor, const struct ifr_machine *machine,
                             enum ifr_core_use core) {
	*executor = (struct ifr_model_executor){.executor = {replay_jobs}, .machine = machine, .core = core};
}
