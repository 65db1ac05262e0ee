/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The campaigns of a search: random layouts, given layouts beside the shipped one, and layouts in several contexts. */
#ifndef IFR_HARNESS_OPTIMIZE_STAGES_H
#define IFR_HARNESS_OPTIMIZE_STAGES_H

#include "harness/build/build.h"
#include "harness/optimize/candidates.h"
#include "harness/optimize/optimize.h"
#include "harness/store/store.h"

/* A layout with its measured time. */
struct trial {
	struct candidate candidate;
	double
		time; /* logarithm of its median, less that of the shipped layout in the same stage; the weighted mean over
	                workloads */
	double noise; /* variance of that, without the shipped layout's; NaN: unknown */
};

/* Whether it is the layout that ships. */
bool trial_is_shipped(const struct trial *trial);

struct stages {
	const struct ifr_optimization *search;
	struct ifr_builder *builder;
	struct candidate_source source;
	int64_t deadline_ns; /* on CLOCK_MONOTONIC; INT64_MAX: none */
	size_t runs;         /* of all stages so far, without twins */
	bool interrupted;
	bool no_time;               /* the last stage failed because its part of the budget has no time for it */
	struct ifr_strings skipped; /* stages that the search went on without, for want of time */
};

/* Goes on without a stage that the budget has no time for. Returns the result, 0 after such a one. */
int stage_skip(struct stages *stages, const char *name, int result, struct ifr_error *err);
/* Fails for want of time. needed_ns, of left_ns: for what does not fit; the message names the budget whose part is long
 * enough. */
int stages_refuse(struct stages *stages, const char *step, int64_t needed_ns, int64_t left_ns, const char *why,
                  struct ifr_error *err);

/* The moment at which a share of the rest of the budget is used; INT64_MAX without one. */
int64_t stages_moment(const struct stages *stages, double share);

/* The name of a workload's experiment of a stage, without ending: "random", or "random-fib"; the caller frees. */
char *stage_name(const char *stage, const struct ifr_optimization_workload *workload);
/* A file in the folder of the search; the caller frees. */
char *stage_file(const struct stages *stages, const char *name);

/* Measures random layouts in all workloads. trials receives them and the shipped one; the caller releases them. share: of
 * the rest of the budget. Errors: those of campaigns. */
int stage_learn(struct stages *stages, double share, struct trial **trials, size_t *count, struct ifr_error *err);

/* Measures the layouts of trials in all workloads and sets their times. repetitions: of each. Errors: those of campaigns
 * and of making the variants. */
int stage_measure(struct stages *stages, const char *name, unsigned repetitions, double share,
                  struct trial *trials, size_t count, struct ifr_error *err);

/* The axes of contexts: the stack, and for other goals than the mean the heap, if a loader can place it. */
unsigned stage_context_axes(const struct stages *stages);

/* Layouts in process contexts of their own, by runs that no other stage sees. */
struct contexts_request {
	const char *name, *folder; /* of the experiment; of the layouts' files */
	const struct ifr_optimization_workload *workload;
	double share;                        /* of the rest of the budget */
	unsigned repetitions;                /* of each layout in each context; 0: as for a confirmation */
	const struct ifr_plan *const *plans; /* [count]; NULL: the shipped file */
	size_t count;
};
/* Runs them: plan i is program i of the dataset, which the caller releases, context k its layout k. Errors: those of
 * campaigns and of making the variants. */
int stage_run_in_contexts(struct stages *stages, const struct contexts_request *request,
                          struct ifr_dataset *dataset, struct ifr_error *err);

#endif
