/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measuring loop: carries out the schedule's jobs that the experiment does not hold yet, stores the runs, and
 * refuses variants that behave otherwise than the program. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "common/clock.h"
#include "common/file.h"
#include "harness/campaign/figures.h"

struct pace {
	int64_t begun_ns;   /* moved on by the time of copying */
	int64_t run_ns;     /* of one run, with its overhead */
	int64_t copying_ns; /* of the last repetition's copies */
	unsigned measured, done, planned, repetitions_left;
};

struct measurement {
	struct campaign_state *state;
	struct ifr_campaign_result *result;
	struct pace pace;
	unsigned last; /* the repetition behind the last */
	char *path;    /* of the variant that was described last */
	bool stopped;
};

/* Describes how a variant's run differs from its program's behaviour; NULL if it does not. The text is valid until
 * the next call. */
static const char *find_difference(const struct campaign_state *state, unsigned id,
                                   const struct ifr_outcome *outcome) {
	const char *expected = state->programs[campaign_program_of(state, id)].reference_digest;
	static char why[160];
	char digest[IFR_SHA256_HEX];
	if (outcome->timed_out)
		snprintf(why, sizeof why, "did not end within %.1f s", (double)state->timeout_ns / 1e9);
	else if (outcome->signal)
		snprintf(why, sizeof why, "ended by signal %d (%s)", outcome->signal, strsignal(outcome->signal));
	else if (outcome->exit_status != state->plan.expected_exit)
		snprintf(why, sizeof why, "exited with status %d instead of %d", outcome->exit_status,
		         state->plan.expected_exit);
	else {
		ifr_sha256(ifr_buffer_text(&outcome->output), outcome->output.length, digest);
		if (!*expected || !strcmp(digest, expected))
			return state->metrics && !*outcome->refused
			           ? campaign_find_missing_figure(state, campaign_program_of(state, id), &outcome->figures,
			                                          why, sizeof why)
			           : NULL;
		snprintf(why, sizeof why, "printed something else than the program as it ships");
	}
	return why;
}

static void remember_refusal(const struct campaign_state *state, struct ifr_campaign_result *result, unsigned id,
                             const char *why) {
	char name[IFR_NAME_MAX];
	campaign_variant_name(state, id, name);
	if (!result->refused_variants++)
		snprintf(result->refusal, sizeof result->refusal, "%s %s", name, why);
}

static int store_run(struct campaign_state *state, const struct ifr_job *job, int64_t started_ns,
                     const struct ifr_outcome *outcome, struct ifr_campaign_result *result,
                     struct ifr_error *err) {
	const char *difference = find_difference(state, job->variant, outcome);
	struct ifr_experiment_run run = {
		.variant = job->variant,
		.repetition = job->repetition,
		.pass = job->pass,
		.started_ns = started_ns,
		.exit_status = outcome->exit_status,
		.refused = difference          ? difference
	               : *outcome->refused ? outcome->refused
	                                   : NULL,
		.values = outcome->values,
		.value_count = ifr_counters_count(state->counters),
		.copy = (unsigned)state->copies[job->variant],
		.twin = job->twin,
	};
	int failed = ifr_experiment_add_run(state->experiment, &run, err);
	if (failed || !difference)
		return failed;
	if (campaign_layout_of(state, job->variant) == 0)
		/* The program itself is not steady: its one run is lost, the layout is not to blame. */
		return ifr_experiment_warn(
			state->experiment,
			"The program as it ships did not behave the same in every run; such runs were left out.", err);
	remember_refusal(state, result, job->variant, difference);
	return ifr_experiment_refuse_variant(state->experiment, job->variant, difference, err);
}

static bool fits_budget(const struct campaign_state *state, int64_t run_ns) {
	return ifr_clock_ns() + run_ns + run_ns / 5 <= state->deadline_ns;
}

static enum ifr_job_decision decide_job(void *data, const struct ifr_job *job) {
	struct measurement *m = data;
	struct campaign_state *state = m->state;
	m->pace.done++;
	if (!campaign_needs_run(state, job))
		return IFR_JOB_SKIP;
	m->stopped = !fits_budget(state, m->pace.run_ns);
	return m->stopped ? IFR_JOB_STOP : IFR_JOB_DO;
}

static int describe_job(void *data, const struct ifr_job *job, struct ifr_job_request *request,
                        struct ifr_error *err) {
	struct measurement *m = data;
	const struct campaign_state *state = m->state;
	free(m->path);
	m->path = campaign_variant_path(state, job->variant);
	campaign_describe_launch(state, job->variant, m->path, job->pass, &request->launch);
	return campaign_prepare_run(state, &request->launch, m->path, state->plan.warmups, err);
}

static void show_progress(const struct campaign_state *state, struct pace *pace) {
	pace->measured++;
	pace->run_ns = (ifr_clock_ns() - pace->begun_ns) / pace->measured;
	int64_t left_ns = pace->run_ns * (pace->planned - pace->done) + pace->copying_ns * pace->repetitions_left;
	int64_t budget_left_ns = state->deadline_ns == INT64_MAX ? left_ns : state->deadline_ns - ifr_clock_ns();
	if (state->plan.progress)
		state->plan.progress(pace->done, pace->planned, left_ns < budget_left_ns ? left_ns : budget_left_ns);
}

static int store_outcome(void *data, const struct ifr_job *job, int64_t started_ns,
                         const struct ifr_outcome *outcome, struct ifr_error *err) {
	struct measurement *m = data;
	m->result->runs++;
	int failed = store_run(m->state, job, started_ns, outcome, m->result, err);
	if (!failed)
		failed = campaign_note_left(m->state, outcome, err);
	show_progress(m->state, &m->pace);
	return failed;
}

/* Lists the jobs of a repetition in their order; returns their number. slots and jobs: twice the variants, in every
 * pass. */
static unsigned list_jobs(const struct campaign_state *state, unsigned repetition, struct ifr_slot *slots,
                          struct ifr_job *jobs) {
	bool *twinned = ifr_alloc((state->ready + 1) * sizeof *twinned);
	for (unsigned id = 0; id < state->ready; id++)
		twinned[id] = campaign_has_variant(state, id) && campaign_has_twin(state, id, repetition);
	unsigned count = ifr_schedule_repetition(state->plan.generator.seed, repetition, state->ready,
	                                         ifr_counters_passes(state->counters), twinned, slots);
	unsigned listed = 0;
	for (unsigned i = 0; i < count; i++)
		if (repetition < state->plan.repetitions || state->again[slots[i].variant])
			jobs[listed++] = (struct ifr_job){slots[i].variant, repetition, slots[i].pass, slots[i].twin};
	free(twinned);
	return listed;
}

/* Copies the files of a repetition, in time for a run behind the copies. */
static int copy_files(struct measurement *m, unsigned repetition, struct ifr_error *err) {
	struct campaign_state *state = m->state;
	int64_t begun_ns = ifr_clock_ns();
	bool whole = true;
	int result = campaign_copy_variants(state, repetition, state->deadline_ns - m->pace.run_ns, &whole, err);
	m->stopped = !whole;
	m->pace.copying_ns = ifr_clock_ns() - begun_ns;
	m->pace.begun_ns += m->pace.copying_ns;
	m->pace.repetitions_left = m->last - repetition - 1;
	return result;
}

static int measure_repetition(struct measurement *m, unsigned repetition, struct ifr_slot *slots,
                              struct ifr_job *jobs, struct ifr_error *err) {
	const struct ifr_job_owner owner = {m, decide_job, describe_job, store_outcome};
	const struct campaign_state *state = m->state;
	unsigned count = list_jobs(state, repetition, slots, jobs);
	const struct ifr_executor *executor = state->plan.executor ? state->plan.executor : &ifr_executor_local;
	int result = copy_files(m, repetition, err);
	return result || m->stopped ? result : executor->carry_out(executor, jobs, count, &owner, err);
}

/* Measures the repetitions from … to - 1. */
static int measure_repetitions(struct campaign_state *state, unsigned from, unsigned to,
                               struct ifr_campaign_result *result, struct ifr_error *err) {
	unsigned most = 2 * state->ready * ifr_counters_passes(state->counters);
	struct ifr_slot *slots = ifr_alloc((most + 1) * sizeof *slots);
	struct ifr_job *jobs = ifr_alloc((most + 1) * sizeof *jobs);
	struct measurement m = {
		.state = state,
		.result = result,
		.last = to,
		.pace = {.begun_ns = ifr_clock_ns(), .run_ns = state->run_ns ? state->run_ns : state->reference_ns}};
	int failed = 0;
	/* Memory that the model's replays freed goes back to the kernel: a run is a copy of this process first, pays for
	 * its page tables, and inherits its resident set as max-rss. */
	malloc_trim(0);
	for (unsigned i = from; i < to; i++)
		m.pace.planned += list_jobs(state, i, slots, jobs);
	for (unsigned i = from; i < to && !failed && !m.stopped && !ifr_launch_interrupted(); i++)
		failed = measure_repetition(&m, i, slots, jobs, err);
	state->running.spent_ns += m.pace.run_ns * m.pace.measured;
	state->running.count += m.pace.measured;
	state->run_ns = m.pace.run_ns;
	if (!failed)
		failed = campaign_save_cost(state, "copy", &state->copying, err);
	if (!failed)
		failed = campaign_save_cost(state, "run", &state->running, err);
	result->interrupted |= ifr_launch_interrupted();
	result->complete =
		!failed && !m.stopped && !result->interrupted && state->ready == campaign_variant_count(state);
	free(m.path);
	free(jobs);
	free(slots);
	return failed;
}

int campaign_measure(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	state->running = (struct campaign_cost){0};
	return measure_repetitions(state, 0, state->plan.repetitions, result, err);
}

int campaign_look_again(struct campaign_state *state, struct ifr_campaign_result *result, struct ifr_error *err) {
	const unsigned from = state->plan.repetitions;
	return measure_repetitions(state, from, from + state->again_repetitions, result, err);
}
