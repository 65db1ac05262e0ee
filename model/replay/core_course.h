/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a chunk that all lanes' cores share: the executions that they run, and the calls that returns are
 * predicted by. Private to the folder. */
#ifndef IFR_MODEL_CORE_COURSE_H
#define IFR_MODEL_CORE_COURSE_H

#include "model/replay/block_entries.h"
#include "model/replay/return_stack.h"

/* Executions in a row, with the number of each event's next one before them (outcomes.h). */
struct ifr_core_span {
	size_t first, end;     /* in the chunk */
	uint32_t before;       /* the execution before the first; IFR_EXECUTION_BREAK without one */
	bool apart;            /* others were skipped before it */
	uint64_t instructions; /* of the run, before the first */
	uint32_t conditional, indirect, taken;
	size_t data;
};

/* Instead of a calling block: the return stack was empty, or the machine has none and predicts all returns right. */
enum { IFR_NO_CALLER = UINT32_MAX - 1 };
#define IFR_ANY_CALLER UINT32_MAX

/* A branch, as the predictor knows it: as in struct ifr_core_outcome. */
struct ifr_core_branch {
	bool known, several, divides;
};

/* A block, as the predictor remembers it. */
struct ifr_core_past {
	uint16_t taken;   /* executions for which it knows yet that the block's branch was taken … */
	uint16_t entered; /* … and that a taken branch led to the block */
	bool several;     /* its indirect branch has led to several targets */
	uint32_t target;  /* the last one's block, + 1; 0: none yet */
};

struct ifr_core_course {
	uint64_t period; /* of the samples; 0: all executions are run */
	struct ifr_core_span *spans;
	size_t spans_count, room;
	struct ifr_core_branch *branches; /* by execution of the chunk: the branch before it */
	struct ifr_core_past *pasts;      /* by block */
	size_t blocks_count;
	uint32_t *callers; /* by execution of the chunk; of those behind a return: the block that called */
	uint64_t instructions;
	uint64_t unchanged; /* instructions up to which the core runs, or does not */
	uint32_t before;
	bool runs;
	bool skipping; /* the last execution was not run */
	struct ifr_return_stack stack;
	struct ifr_block_entries *entries; /* NULL: no block loses its entry */
};

void ifr_core_course_init(struct ifr_core_course *course, const struct ifr_pass *pass);
void ifr_core_course_release(struct ifr_core_course *course);
/* Goes through the pass's chunk. */
void ifr_core_course_follow(struct ifr_core_course *course, const struct ifr_pass *pass);

#endif
