/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of code that a described predictor could tell apart: loops in parts whose trips fit its history, and joins that
 * branch with a copy for each path. What each saves, by the predictor alone, from one recording. */
#ifndef IFR_HARNESS_BRANCH_COPIES_H
#define IFR_HARNESS_BRANCH_COPIES_H

#include "harness/code/code.h"
#include "model/model.h"

enum ifr_copy_kind { IFR_COPY_LOOP, IFR_COPY_JOIN };

struct ifr_branch_copy {
	enum ifr_copy_kind kind;
	uint64_t normalised; /* the branch */
	struct ifr_source_position position;
	bool known;                  /* its position */
	uint64_t executions, misses; /* of the branch, as recorded */
	uint64_t trips;              /* of the loop, all but a few times */
	unsigned parts, history;     /* that the loop has then, and the parameter of split-loops */
	uint64_t after;              /* mispredictions of all conditional branches with the copies */
};

struct ifr_branch_copies {
	struct ifr_branch_copy *items; /* the most saving first; each saves something by itself */
	size_t count;
	uint64_t before; /* mispredictions of all conditional branches */
};

/* Finds copies of the program's code. A branch of a copy has an entry of its own. Errors: IFR_E_ENVIRONMENT if
 * interrupted. Ref: Milenković et al. 2004, figures 4 and 5. */
int ifr_branch_copies_find(struct ifr_trace *trace, const struct ifr_machine *machine,
                           struct ifr_branch_copies *copies, struct ifr_error *err);
void ifr_branch_copies_release(struct ifr_branch_copies *copies);

#endif
