/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An executor carries out jobs: each runs one variant once under one pass of counters. The campaign lists the
 * jobs and stores their outcomes; an executor knows only how to carry out a job. There are two executors: this machine
 * (ifr_executor_local), and the model (harness/simulate/model_executor.h). A cluster is none: its nodes carry out whole
 * campaigns, each a share of the design (harness/cluster/cluster.h).
 *
 * To add an executor: implement carry_out in a file of its own, and let a command put it into struct ifr_campaign.
 * The launches of a request point into this process: an executor elsewhere serialises them. Reference runs, and the
 * checks of processor and address-space randomization, stay on this machine. */
#ifndef IFR_HARNESS_EXECUTOR_H
#define IFR_HARNESS_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/plan.h"
#include "harness/exec/launch.h"

struct ifr_job {
	unsigned variant, repetition, pass; /* variant: its id */
	bool twin; /* the second run of its repetition, on the same copy of the variant's file */
};

/* The inputs of a job. */
struct ifr_job_request {
	struct ifr_launch launch;    /* the variant's file, its arguments and process context, the counters */
	const struct ifr_plan *plan; /* the variant's layout */
	const char *recording;       /* of its program, for executors that replay; NULL: none */
};

enum ifr_job_decision { IFR_JOB_DO, IFR_JOB_SKIP, IFR_JOB_STOP };

/* The owner of the jobs: the campaign. */
struct ifr_job_owner {
	void *data;
	/* Called right before a job: skips one that is no longer needed, stops where the budget has no time for it. */
	enum ifr_job_decision (*decide)(void *data, const struct ifr_job *job);
	/* Fills in the request. Its pointers stay valid until the call for the next job. */
	int (*describe)(void *data, const struct ifr_job *job, struct ifr_job_request *request, struct ifr_error *err);
	/* Stores a job's outcome; started_ns is since the epoch, 0 where nothing was executed. */
	int (*take)(void *data, const struct ifr_job *job, int64_t started_ns, const struct ifr_outcome *outcome,
	            struct ifr_error *err);
};

struct ifr_executor {
	/* Carries out the jobs until the owner stops them or the user interrupts. Errors: those of the owner;
	 * IFR_E_ENVIRONMENT if a job cannot be started. A failing program is an outcome, not an error. */
	int (*carry_out)(const struct ifr_executor *executor, const struct ifr_job *jobs, size_t count,
	                 const struct ifr_job_owner *owner, struct ifr_error *err);
};

/* Runs the jobs one after the other on this machine. Where the request's counters measure regions of IFR_REPEAT, a job
 * is two runs: one that executes their statements once, and one with the requested repetitions. */
extern const struct ifr_executor ifr_executor_local;

#endif
