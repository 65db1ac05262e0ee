/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The campaigns of a search: random layouts, given layouts beside the shipped one, and the confirmation. */
#ifndef IFR_HARNESS_OPTIMIZE_STAGES_H
#define IFR_HARNESS_OPTIMIZE_STAGES_H

#include "harness/build/build.h"
#include "harness/optimize/candidates.h"
#include "harness/optimize/optimize.h"

/* A layout with its measured time. */
struct trial {
	struct candidate candidate;
	double time; /* logarithm of its median, less that of the shipped layout in the same stage */
};

/* Whether it is the layout that ships. */
bool trial_is_shipped(const struct trial *trial);

struct stages {
	const struct ifr_optimization *search;
	struct ifr_builder *builder;
	struct candidate_source source;
	int64_t deadline_ns; /* on CLOCK_MONOTONIC; INT64_MAX: none */
	bool interrupted;
};

/* The moment at which a share of the rest of the budget is used; INT64_MAX without one. */
int64_t stages_moment(const struct stages *stages, double share);

/* A stage's experiment in the folder of the search; the caller frees. */
char *stage_file(const struct stages *stages, const char *name);

/* Measures random layouts. trials receives them and the shipped one; the caller releases them. share: of the rest of the
 * budget. Errors: those of campaigns. */
int stage_learn(struct stages *stages, double share, struct trial **trials, size_t *count, struct ifr_error *err);

/* Measures the layouts of trials and sets their times. repetitions: of each. Errors: those of campaigns and of making the
 * variants. */
int stage_measure(struct stages *stages, const char *name, unsigned repetitions, double share,
                  struct trial *trials, size_t count, struct ifr_error *err);

/* Compares the shipped layout with another in stack positions of their own, by runs that no stage before has seen.
 * confirmed->arguments: NULL for those of the search. Errors: those of campaigns and comparisons; IFR_E_USAGE for
 * arguments that are no words. */
int stage_confirm(struct stages *stages, const char *name, double share, const struct candidate *best,
                  struct ifr_confirmed *confirmed, struct ifr_error *err);

#endif
