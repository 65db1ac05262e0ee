/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/executor.h"

#include <time.h>

static int64_t wall_clock_ns(void) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Runs the program with regions of IFR_REPEAT running their statement once. Its sums serve the measured launch. */
static int run_once(struct ifr_launch *launch, struct ifr_outcome *once, struct ifr_error *err) {
	struct ifr_launch first = *launch;
	first.repeats = 1;
	launch->once = &once->runtime;
	return ifr_launch_run(&first, once, err);
}

static int run_job(const struct ifr_job *job, const struct ifr_job_owner *owner, struct ifr_error *err) {
	struct ifr_job_request request = {0};
	struct ifr_outcome once, outcome;
	ifr_outcome_init(&once);
	ifr_outcome_init(&outcome);
	int result = owner->describe(owner->data, job, &request, err);
	int64_t started_ns = wall_clock_ns();
	if (!result && request.launch.counters && ifr_counters_has_repeats(request.launch.counters))
		result = run_once(&request.launch, &once, err);
	if (!result && once.interrupted)
		outcome.interrupted = true;
	else if (!result)
		result = ifr_launch_run(&request.launch, &outcome, err);
	if (!result && !outcome.interrupted)
		result = owner->take(owner->data, job, started_ns, &outcome, err);
	ifr_outcome_release(&once);
	ifr_outcome_release(&outcome);
	return result;
}

static int carry_out(const struct ifr_executor *executor, const struct ifr_job *jobs, size_t count,
                     const struct ifr_job_owner *owner, struct ifr_error *err) {
	(void)executor;
	int result = 0;
	for (size_t i = 0; i < count && !result && !ifr_launch_interrupted(); i++) {
		enum ifr_job_decision decision = owner->decide(owner->data, &jobs[i]);
		if (decision == IFR_JOB_STOP)
			break;
		if (decision == IFR_JOB_DO)
			result = run_job(&jobs[i], owner, err);
	}
	return result;
}

const struct ifr_executor ifr_executor_local = {carry_out};
