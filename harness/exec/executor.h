/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An executor carries out jobs: each runs one variant once under one pass of counters. The campaign decides which
 * jobs there are and keeps what comes of them; an executor knows only how a job is done. Today there are two: this
 * machine (ifr_executor_local), and the model (harness/simulate/model_executor.h).
 *
 * To add an executor: implement carry_out, and choose it in campaign.c. */
#ifndef IFR_HARNESS_EXECUTOR_H
#define IFR_HARNESS_EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/plan.h"
#include "harness/exec/launch.h"

struct ifr_job {
	unsigned variant, repetition, pass; /* variant: its id */
};

/* All that an executor may need to do a job. */
struct ifr_job_request {
	struct ifr_launch launch;    /* the variant's file, its arguments and process context, the counters */
	const struct ifr_plan *plan; /* the variant's layout */
	const char *recording;       /* of its program, for executors that replay; NULL: none */
};

enum ifr_job_decision { IFR_JOB_DO, IFR_JOB_SKIP, IFR_JOB_STOP };

/* The owner of the jobs: the campaign. */
struct ifr_job_owner {
	void *data;
	/* Called right before a job, which may have become needless, or may not fit into the budget any more. */
	enum ifr_job_decision (*decide)(void *data, const struct ifr_job *job);
	/* Fills in the request, whose pointers stay valid until it is called for the next job. */
	int (*describe)(void *data, const struct ifr_job *job, struct ifr_job_request *request, struct ifr_error *err);
	/* Takes what came of a job; started_ns is since the epoch, 0 where nothing was executed. */
	int (*take)(void *data, const struct ifr_job *job, int64_t started_ns, const struct ifr_outcome *outcome,
	            struct ifr_error *err);
};

struct ifr_executor {
	/* Does the jobs, as far as the owner lets it and nobody interrupts. Errors: of the owner; IFR_E_ENVIRONMENT if
	 * a job cannot be done at all. A program that fails is an outcome, no error. */
	int (*carry_out)(const struct ifr_executor *executor, const struct ifr_job *jobs, size_t count,
	                 const struct ifr_job_owner *owner, struct ifr_error *err);
};

/* One job after the other, in their order, on this machine. Where the request's counters measure regions of
 * IFR_REPEAT, each job is two runs: one in which they run their statement once, and one as requested. */
extern const struct ifr_executor ifr_executor_local;

#endif
